// Any bytes as the file of a decision cache: reading them is safe, and what they hold can be
// written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/tune/decisions/decision_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = vyre::parse_decisions(text);
  if (!parsed) return 0;
  const auto again = vyre::parse_decisions(vyre::decision_text(parsed->entries));
  if (!again || again->entries != parsed->entries || again->skipped != 0) std::abort();
  return 0;
}

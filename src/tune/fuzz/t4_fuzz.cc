// Any bytes as a file of T4 results: an error, or results that evidence can hold and that can be
// written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/tune/evidence/t4.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = vyre::parse_t4(text, "fuzz");
  if (!file) {
    if (file.error().what.empty()) std::abort();
    return 0;
  }
  const vyre::TuningKey key = file->key.value_or(vyre::TuningKey{.program = "fuzz"});
  const auto events = vyre::evidence_of(*file, "fuzz");
  const auto store = vyre::EvidenceStore::in_memory();
  if (!store->append(key, events)) std::abort();
  const auto state = store->find(key);
  if (events.empty()) return 0;
  if (!state || !vyre::parse_t4(vyre::t4_text(*state), "again")) std::abort();
  return 0;
}

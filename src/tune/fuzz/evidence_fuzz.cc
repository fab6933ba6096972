// Any bytes as a file of evidence: reading them is safe, the lines can be written and read again,
// and summaries fold to the same states as what they stand for.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vyre/tune/evidence/evidence_fold.h"
#include "vyre/tune/evidence/evidence_match.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = vyre::parse_evidence(text, 0, "fuzz");
  if (!parsed) return 0;
  vyre::EvidenceFold fold;
  for (const vyre::EvidenceLine& line : parsed->lines) {
    const std::string written = vyre::evidence_text(line);
    const auto again = vyre::parse_evidence(written, 0, "again");
    if (!again || again->lines.size() != 1) std::abort();
    if (vyre::evidence_text(again->lines.front()) != written) std::abort();
    fold.take(line);
  }

  std::string summaries;
  for (const auto& [id, state] : fold.states()) {
    summaries += vyre::evidence_text(fold.summary(id, "by"));
    (void)vyre::best_match(fold.states(), state.key);
  }
  const auto compacted = vyre::parse_evidence(summaries, 0, "summaries");
  if (!compacted || compacted->bytes != summaries.size()) std::abort();
  vyre::EvidenceFold again;
  for (const vyre::EvidenceLine& line : compacted->lines) again.take(line);
  if (again.states() != fold.states()) std::abort();
  return 0;
}

// Folds lines of evidence into the states of keys.
//
// Lines count in their order, except for decisions: of promotions, settlings and reopenings the one
// with the latest time counts, and the same holds for pins. The order of two merged files therefore
// does not matter.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "vyre/tune/evidence/evidence_text.h"

namespace vyre {

using KeyStates = std::map<std::string, KeyState, std::less<>>;  // by key_id

// Times from before a drift say about as much as one sample: their median.
void age_times(std::vector<double>& times_ns);
// Of all samples the last kRecentSamples are kept.
void add_samples(CandidateState& candidate, std::span<const double> times_ns,
                 std::uint64_t samples);

class EvidenceFold {
 public:
  // A copy of an earlier line changes nothing.
  void take(const EvidenceLine& line);
  // Includes keys of which only the id is known; their TuningKey is empty.
  const KeyStates& states() const { return states_; }
  bool knows(std::string_view key_id) const;  // whether the key is known, not only its id
  bool is_copy(const EvidenceLine& line) const;
  // The key's state as one line.
  SummaryLine summary(const std::string& key_id, std::string by) const;

 private:
  struct Details {
    std::unordered_map<std::string, std::size_t> candidates;  // their positions
    std::vector<WriterMark> included;                         // in summaries; the latest one last
    std::vector<WriterMark> latest;                           // in any line
    bool has_unnamed = false;  // there are lines without a writer, which `included` does not cover
  };

  CandidateState& candidate(Details& details, KeyState& state, const std::string& text);
  void reject(Details& details, KeyState& state, const std::string& text, const std::string& why);
  bool is_copy(const std::string& key_id, const std::string& by,
               std::span<const WriterMark> includes) const;
  void apply(const EventLine& line, Details& details, KeyState& state);
  void apply(const SummaryLine& line, Details& details, KeyState& state);

  KeyStates states_;
  std::unordered_map<std::string, Details> details_;  // by key_id
  std::unordered_set<std::uint64_t> taken_;           // hashes of key and "by"
};

}  // namespace vyre

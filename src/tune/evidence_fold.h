// From lines of evidence to the states of keys.
//
// What counts is the order of the lines, but for choices: of promotions, settlings and reopenings
// the one with the latest time stands, whatever the order, and so for pins. So it does not matter
// which of two merged files comes first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "vyre/tune/evidence_text.h"

namespace vyre {

using KeyStates = std::map<std::string, KeyState, std::less<>>;  // by key_id

class EvidenceFold {
 public:
  // A copy of a line that was taken before changes nothing.
  void take(const EvidenceLine& line);
  // Also keys that nothing but their id is known of: their TuningKey is empty.
  const KeyStates& states() const { return states_; }
  bool knows(std::string_view key_id) const;  // the key, not only its id

 private:
  CandidateState& candidate(const std::string& key_id, KeyState& state, const std::string& text);
  void reject(const std::string& key_id, KeyState& state, const std::string& candidate,
              const std::string& why);
  bool is_rejected(const std::string& key_id, const KeyState& state, const std::string& candidate);
  void apply(const EventLine& line, KeyState& state);
  void apply(const SummaryLine& line, KeyState& state);
  bool is_copy(std::string_view key_id, std::string_view by);

  KeyStates states_;
  std::unordered_map<std::string, std::unordered_map<std::string, std::size_t>> candidates_;
  std::unordered_set<std::uint64_t> taken_;  // hashes of key and "by"
};

}  // namespace vyre

// The keys of an evidence file: how a person names them, and how they are shown.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vyre/cli/cache/cache.h"
#include "vyre/cli/json_text.h"
#include "vyre/tune/evidence/evidence.h"

namespace vyre {

// The evidence file of --store, or else the user's. It need not exist.
std::filesystem::path evidence_file(const CacheOptions& options);
Result<std::shared_ptr<EvidenceStore>> open_evidence(const CacheOptions& options);
// Opens a file that the user named, which must therefore exist.
Result<std::shared_ptr<EvidenceStore>> open_named_evidence(const std::string& path);

// The keys that a word names: the key whose id is the word or begins with it (with or without
// "t1-"), or all keys whose kernel has this name. There may be none. A word that begins several ids
// is an error.
Result<std::vector<KeyState>> match_keys(std::span<const KeyState> states, const std::string& word);
// The same, but it is an error unless there is at least one, or exactly one.
Result<std::vector<KeyState>> find_keys(std::span<const KeyState> states, const std::string& word);
Result<KeyState> find_key(std::span<const KeyState> states, const std::string& word);

// "t1-7cf66c7c": as many digits as tell the keys apart, at least 8.
class ShortIds {
 public:
  explicit ShortIds(std::span<const KeyState> states);
  std::string operator()(const KeyState& state) const;

 private:
  std::size_t length_ = 0;
};

std::uint64_t sample_count(const KeyState& state);
std::size_t measured_count(const KeyState& state);

std::string kernel_name(const KeyState& state);   // its name, else the beginning of its program
std::string state_text(const KeyState& state);    // "settled", "searching", "pinned", ...
std::int64_t now_ms();                            // since 1970
std::string age_text(std::int64_t at_ms);         // "5 s", "3 min", "7 h", "12 d"
std::string duration_text(double ns);             // "12.3 us"
std::string gain_text(double share);              // "31.6%"
std::string size_text_of(const KeyState& state);  // "any" where size does not matter
std::string device_text(const KeyState& state);   // with driver and generator

Json to_json(const KeyState& state);

}  // namespace vyre

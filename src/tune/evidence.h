// What was learned about keys, as events in one file that only grows. The state of a key is the
// fold of its events, so that files merge by concatenation and processes share one by appending.
// The format is described in docs/cache-format.md and at the top of evidence.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/tuning_key.h"

namespace vyre {

enum class EventKind : std::uint8_t {
  measured,   // times of a candidate
  verified,   // a candidate's results equal the incumbent's
  rejected,   // a candidate is out for good: it cannot run, failed, or was wrong
  promoted,   // a candidate became the incumbent
  settled,    // nothing is left to try
  reopened,   // times drifted: the search goes on
  untunable,  // the program is not to be tuned
  pinned,     // a person chose; nothing else is served
  unpinned,
  spent,  // of the regret ledger, since the last such event of the same process
};
std::string_view to_string(EventKind kind);

struct EvidenceEvent {
  EventKind kind = EventKind::measured;
  std::string candidate{};           // not for untunable, unpinned, spent
  std::vector<double> times_ns{};    // measured
  std::string reason{};              // rejected, promoted, reopened, untunable, pinned
  std::string over{};                // promoted: the incumbent before
  double gain = 0;                   // promoted: share of the time that it saves
  double noise = 0;                  // promoted: the spread of that share
  std::uint32_t pairs = 0;           // promoted: paired samples behind it
  double lost_ns = 0, spent_ns = 0;  // spent
  std::int64_t at_ms = 0;            // since 1970; 0: filled in by append
};

// The fold.
struct CandidateState {
  std::string candidate;
  std::vector<double> recent_ns{};  // the last kRecentSamples
  std::uint64_t samples = 0;        // ever
  bool verified = false;
  std::string rejected{};  // why; empty: not
};
inline constexpr std::size_t kRecentSamples = 15;

struct KeyState {
  TuningKey key;
  std::vector<CandidateState> candidates{};  // in the order of their first event
  std::string incumbent{};                   // the last promoted or settled; empty: none
  std::string reason{};                      // why it is the incumbent
  bool settled = false;
  std::string pin{};        // empty: none
  std::string untunable{};  // why; empty: it is tunable
  double lost_ns = 0, spent_ns = 0;
  std::int64_t first_ms = 0, last_ms = 0;
  std::uint64_t events = 0;

  // The pin, else the incumbent, else nothing.
  std::string_view decision() const { return pin.empty() ? incumbent : pin; }
};

enum class MatchKind : std::uint8_t {
  exact,         // this very key: an answer
  bucket,        // another size of the same bucket: an answer
  other_size,    // a hint
  other_driver,  // a hint: the same device with another driver or code generator
  other_device,  // a hint
};
std::string_view to_string(MatchKind kind);

struct Match {
  MatchKind kind = MatchKind::exact;
  KeyState state;
  bool is_answer() const { return kind == MatchKind::exact || kind == MatchKind::bucket; }
};

// Safe to use from many threads, and beside other stores and processes on the same file.
class EvidenceStore {
 public:
  // Reads the file if it is there. A torn last line is left out; any other line that is not one of
  // ours is an error that names it, and the file stays as it is.
  static Result<std::shared_ptr<EvidenceStore>> open(std::filesystem::path path);
  // Keeps everything in memory alone.
  static std::shared_ptr<EvidenceStore> in_memory();

  const std::filesystem::path& path() const { return path_; }

  // In the file, each event a whole line, when it returns; and in the fold. All events of one call
  // are appended together, under the file's lock.
  Result<void> append(const TuningKey& key, std::span<const EvidenceEvent> events);

  // The state of exactly this key.
  std::optional<KeyState> find(const TuningKey& key) const;
  // The best that is known for it: exact, then of its bucket, then the nearest hint.
  std::optional<Match> lookup(const TuningKey& key) const;
  std::vector<KeyState> all() const;

  // Takes over what others appended since.
  Result<void> refresh();
  // Rewrites the file with one summary line a key. Nothing that others append meanwhile is lost.
  Result<void> compact();
  // Removes keys by id, or everything when there are none given.
  Result<std::size_t> remove(std::span<const std::string> key_ids);

 private:
  EvidenceStore() = default;

  std::filesystem::path path_;  // empty: in memory
  mutable std::mutex mutex_;
  std::map<std::string, KeyState, std::less<>> states_;  // by key_id
  std::uint64_t read_bytes_ = 0;                         // of the file, into the fold
};

// <cache folder>/tuner/evidence.jsonl: all devices in one file, so that one is a hint for another.
std::filesystem::path evidence_path();

}  // namespace vyre

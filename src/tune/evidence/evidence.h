// The evidence: what was learned about keys, as events in a file to which lines are only appended.
// The state of a key is the fold of its events, so that files merge by concatenation and processes
// share a file by appending to it. docs/cache-format.md and evidence_text.h describe the format.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

enum class EventKind : std::uint8_t {
  measured,   // times of a candidate
  compared,   // pairs of calls of a candidate and the incumbent
  verified,   // a candidate's results equal the incumbent's
  rejected,   // a candidate is never tried again: it cannot run, failed, or was wrong
  promoted,   // a candidate became the incumbent
  settled,    // the search has ended
  reopened,   // times drifted, and the search continues
  untunable,  // the program is not tuned
  pinned,     // a person pinned a candidate; nothing else is served
  unpinned,
  spent,  // additions to the regret ledger since the last such event of the same process
};
std::string_view to_string(EventKind kind);

struct EvidenceEvent {
  EventKind kind = EventKind::measured;
  std::string candidate{};             // not for untunable, unpinned, spent; may be empty for
                                       // settled (the incumbent) and reopened
  std::vector<double> times_ns{};      // measured
  std::string reason{};                // all but measured, verified, unpinned, spent
  std::string over{};                  // promoted: the incumbent before; compared: the incumbent
  std::vector<int> log_ratios{};       // compared: of each pair, as paired_comparison.h keeps them
  std::uint32_t final = 0;             // compared: which comparison of the search it is, from 1
  double gain = 0;                     // promoted: share of the time that it saves ...
  double gain_low = 0, gain_high = 0;  // ... with its 99% interval
  std::uint32_t pairs = 0;             // promoted: paired samples behind it
  double lost_ns = 0, spent_ns = 0;    // spent
  std::int64_t at_ms = 0;              // since 1970; 0: filled in by append
};

// The fold of a candidate's events.
struct CandidateState {
  std::string candidate{};
  std::vector<double> recent_ns{};  // the last kRecentSamples times
  std::uint64_t samples = 0;        // the number ever taken
  bool verified = false;
  std::string rejected{};  // why; empty: not
  // The incumbent with which it was compared; the first kMostComparedPairs pairs, and the number of
  // the comparison, follow.
  std::string compared_with{};
  std::vector<int> log_ratios{};
  std::uint32_t final = 0;

  bool operator==(const CandidateState&) const = default;
};
inline constexpr std::size_t kRecentSamples = 15;
inline constexpr std::size_t kMostComparedPairs = 4096;

struct KeyState {
  TuningKey key{};
  std::vector<CandidateState> candidates{};  // in the order of their first event
  std::string incumbent{};                   // the last promoted or settled; empty: none
  std::string reason{};                      // why it is the incumbent
  bool settled = false;
  std::string pin{};        // the pinned candidate; empty: none
  std::string untunable{};  // the reason; empty: the program is tuned
  double lost_ns = 0, spent_ns = 0;
  std::int64_t first_ms = 0, last_ms = 0;
  std::uint64_t events = 0;

  // The incumbent's last promotion; 0 and empty if it became the incumbent without one.
  std::string over{};
  double gain = 0, gain_low = 0, gain_high = 0;
  std::uint32_t pairs = 0;
  std::uint32_t finals = 0;     // comparisons that were begun, ever
  std::int64_t decided_ms = 0;  // when it was last promoted, settled or reopened
  std::uint64_t promotions = 0, reopenings = 0;
  std::string reopened{};    // the reason of the last reopening
  std::string pin_reason{};  // why a person pinned the candidate
  std::int64_t pinned_ms = 0;

  bool operator==(const KeyState&) const = default;
  // The pin, else the incumbent, else nothing.
  std::string_view decision() const { return pin.empty() ? incumbent : pin; }
};

enum class MatchKind : std::uint8_t {
  exact,         // the key itself: an answer
  bucket,        // another size of the same bucket: an answer
  other_size,    // another size: a hint
  other_driver,  // the same device with another driver or code generator: a hint
  other_device,  // another device: a hint
};
std::string_view to_string(MatchKind kind);

struct Match {
  MatchKind kind = MatchKind::exact;
  KeyState state;
  bool is_answer() const { return kind == MatchKind::exact || kind == MatchKind::bucket; }
};

struct EvidenceBatch;
class EvidenceFile;
class EvidenceFold;
class EvidenceQueue;
class FileLock;

// The longest time that saving waits for a lock or a disk.
inline constexpr std::chrono::milliseconds kSaveWait{5'000};

// Safe to use from many threads, and beside other stores and processes on the same file. The last
// owner waits for events that were handed over, for a bounded time, and logs those that are lost.
class EvidenceStore {
 public:
  // Reads the file if it exists, in a folder that private_folder.h trusts. An incomplete last line
  // is ignored; any other line that is not evidence is an error that names the line, and the file
  // is left as it is. Code::unavailable where the disk does not answer within kDiskWait.
  static Result<std::shared_ptr<EvidenceStore>> open(std::filesystem::path path);
  // A store that has not read its file yet. refresh() reads it, or the first write does.
  static std::shared_ptr<EvidenceStore> unread(std::filesystem::path path);
  // A store without a file.
  static std::shared_ptr<EvidenceStore> in_memory();

  EvidenceStore(const EvidenceStore&) = delete;
  EvidenceStore& operator=(const EvidenceStore&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Appends the events of one call together, under the file's lock. When it returns, they are in
  // the file, one line each, and in the fold.
  Result<void> append(const TuningKey& key, std::span<const EvidenceEvent> events);
  // Returns at once, without waiting for the file's lock or the disk. The events are in the fold at
  // once; a thread writes them to the file soon, and tries again if it cannot. flush(), the last
  // owner and exit(3) wait for that thread. Events for which there is no memory are dropped, which
  // flush() tells.
  void hand_over(const TuningKey& key, std::vector<EvidenceEvent> events);
  // Returns when everything that was handed over is in the file. The error says how much is not,
  // and why; it is tried again later.
  Result<void> flush(std::chrono::milliseconds wait = kSaveWait);

  // The state of exactly this key.
  std::optional<KeyState> find(const TuningKey& key) const;
  // The best match that has a decision: the key itself, then its bucket, then the nearest hint.
  std::optional<Match> lookup(const TuningKey& key) const;
  std::vector<KeyState> all() const;

  // Reads what other processes have appended since the last read.
  Result<void> refresh();
  // The same, but Code::unavailable where the disk does not answer within kDiskWait.
  static Result<void> refresh_within_time(const std::shared_ptr<EvidenceStore>& store);
  // Rewrites the file with one summary line per key. Lines that other processes append meanwhile
  // are kept. It happens by itself when a file has grown to many times that size.
  Result<void> compact();
  // Adds the lines of another evidence file, given as text, except for those that are already here.
  // Messages call it `name`.
  struct Merged {
    std::size_t taken = 0, copies = 0;  // lines
  };
  Result<Merged> merge(std::string_view text, const std::filesystem::path& name);
  // Removes the keys with these ids, or all keys if no ids are given. Returns the number removed.
  Result<std::size_t> remove(std::span<const std::string> key_ids);

 private:
  friend class EvidenceStores;
  explicit EvidenceStore(std::filesystem::path path);
  ~EvidenceStore();
  // Destroys the store for its last owner. If the store's thread hangs in a write, the store is
  // leaked, because the thread still uses it.
  static void put_away(EvidenceStore* store);

  void flush_or_tell();
  std::int64_t time_of_event(const std::string& key_id) const;  // with mutex_ held
  void take(const EvidenceBatch& batch);                        // with mutex_ held
  // Around fork(2), on the thread that forks.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

  Result<void> write(const TuningKey& key, std::span<const EvidenceEvent> events,
                     const std::function<std::string()>& next_name, std::chrono::milliseconds wait);
  // With writing_ held.
  Result<void> take_news();
  // Absent for a store in memory.
  Result<std::optional<FileLock>> lock_for_writing(std::chrono::milliseconds wait);
  std::string next_line_name();  // with mutex_ held
  std::string summaries(std::span<const std::string> without);
  Result<void> replace(const FileLock* lock, std::string_view content);
  void compact_if_large(const FileLock& lock);

  const std::filesystem::path path_;  // empty: in memory
  std::mutex writing_;                // one user of the file at a time; taken before mutex_
  std::unique_ptr<EvidenceFile> file_;
  std::uint64_t compact_at_bytes_ = 0;
  mutable std::mutex mutex_;
  std::string writer_;  // the name of this store in the lines of the file
  std::uint64_t written_lines_ = 0;
  std::unique_ptr<EvidenceFold> fold_;    // the lines read so far, and the events in the queue
  std::set<std::string> keys_in_file_;    // the ids whose `key` line is in the file
  std::unique_ptr<EvidenceQueue> queue_;  // null for a store in memory
};

// <cache folder>/tuner/evidence.jsonl. All devices share one file, so that one device can give
// hints for another.
std::filesystem::path evidence_path();

}  // namespace vyre

#include "vyre/tune/evidence/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <set>

#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/paths.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/base/log.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/tune/evidence/evidence_file.h"
#include "vyre/tune/evidence/evidence_fold.h"
#include "vyre/tune/evidence/evidence_match.h"
#include "vyre/tune/evidence/evidence_queue.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// A file is compacted when it exceeds kCompactBytes and this many times the size of its summaries.
constexpr std::uint64_t kCompactBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kCompactFactor = 4;

std::int64_t now_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

// How long one try waits for the lock while a thread flushes or the process ends.
constexpr std::chrono::milliseconds kLockSlice{100};
// How long the destructor of a store, and the end of the process, wait for writes.
constexpr std::chrono::milliseconds kLastWait{2'000};
// How long the destructor then waits for the end of the try that is under way.
constexpr std::chrono::milliseconds kEndWait{500};

Error unwritten(const EvidenceQueue::Left& left, const fs::path& path) {
  std::string what =
      fmt::format("{} of what was learned {} not in {} yet",
                  left.events == 1 ? "1 event" : fmt::format("{} events", left.events),
                  left.events == 1 ? "is" : "are", path.string());
  if (left.dropped > 0) what += fmt::format(", and {} were dropped", left.dropped);
  if (left.no_memory) what += " because there was no memory for them";
  if (left.failure) what += fmt::format(": {}", left.failure->what);
  const Code code = left.no_memory ? Code::out_of_memory : Code::unavailable;
  return {.code = left.failure ? left.failure->code : code,
          .what = std::move(what),
          .fix = left.failure ? left.failure->fix : std::string()};
}

}  // namespace

// The stores of this process. exit(3) waits for their queued events, and a child process begins
// with empty queues.
class EvidenceStores {
 public:
  static EvidenceStores& all() {
    static auto& stores = *new EvidenceStores;
    return stores;
  }
  void add(EvidenceStore* store) {
    const std::scoped_lock lock(mutex_);
    stores_.insert(store);
  }
  void remove(EvidenceStore* store) {
    const std::scoped_lock lock(mutex_);
    stores_.erase(store);
    left_.erase(store);
  }
  // It is used by its thread alone from now on. Allocates nothing.
  void leave(EvidenceStore* store) {
    const std::scoped_lock lock(mutex_);
    left_.insert(stores_.extract(store));
  }

 private:
  EvidenceStores() {
    std::atexit([] { all().flush(); });
  }
  void flush() {
    const std::scoped_lock lock(mutex_);
    for (EvidenceStore* store : stores_) store->flush_or_tell();
  }
  void before_fork() {
    mutex_.lock();
    for (EvidenceStore* store : stores_) store->before_fork();
  }
  void after_fork_in_parent() {
    for (EvidenceStore* store : stores_) store->after_fork_in_parent();
    mutex_.unlock();
  }
  void after_fork_in_child() {
    for (EvidenceStore* store : stores_) store->after_fork_in_child();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::set<EvidenceStore*> stores_;
  std::set<EvidenceStore*> left_;  // for good
  ForkWatch fork_watch_{{.before =
                             [this](const auto&) {
                               before_fork();
                               return true;
                             },
                         .in_parent = [this] { after_fork_in_parent(); },
                         .in_child = [this] { after_fork_in_child(); }}};
};

EvidenceStore::EvidenceStore(fs::path path)
    : path_(std::move(path)),
      file_(std::make_unique<EvidenceFile>(path_)),
      compact_at_bytes_(kCompactBytes),
      writer_(new_writer()),
      fold_(std::make_unique<EvidenceFold>()) {
  if (!path_.empty()) {
    queue_ = std::make_unique<EvidenceQueue>([this](const EvidenceBatch& batch) {
      std::size_t event = 0;
      return write(batch.key, batch.events, [&] { return batch.line_name(event++); }, kLockSlice);
    });
  }
  EvidenceStores::all().add(this);
}

EvidenceStore::~EvidenceStore() = default;

void EvidenceStore::put_away(EvidenceStore* store) {
  if (store->queue_) {
    EvidenceStores::all().leave(store);
    store->flush_or_tell();
    if (!store->queue_->end(kEndWait)) return keep_library_loaded();
  }
  EvidenceStores::all().remove(store);
  delete store;
}

void EvidenceStore::before_fork() {
  mutex_.lock();
  if (queue_) queue_->before_fork();
}

void EvidenceStore::after_fork_in_parent() {
  if (queue_) queue_->after_fork_in_parent();
  mutex_.unlock();
}

void EvidenceStore::after_fork_in_child() {
  if (queue_) queue_->after_fork_in_child();
  // The thread that was writing does not exist in the child, and may have left the reader in any
  // state. A new reader begins at the start of the file.
  new (&writing_) std::mutex;
  static_cast<void>(file_.release());
  file_ = std::make_unique<EvidenceFile>(path_);
  writer_ = new_writer();
  written_lines_ = 0;
  mutex_.unlock();
}

Result<std::shared_ptr<EvidenceStore>> EvidenceStore::open(fs::path path) {
  if (path.empty()) return fail(Code::invalid_input, "the path of an evidence file is empty");
  auto store = unread(std::move(path));
  VYRE_CHECK(refresh_within_time(store));
  return store;
}

std::shared_ptr<EvidenceStore> EvidenceStore::unread(fs::path path) {
  return {new EvidenceStore(std::move(path)), put_away};
}

Result<void> EvidenceStore::refresh_within_time(const std::shared_ptr<EvidenceStore>& store) {
  return with_disk(store->path_.parent_path(), [store] { return store->refresh(); });
}

std::shared_ptr<EvidenceStore> EvidenceStore::in_memory() { return unread({}); }

Result<void> EvidenceStore::take_news() {
  if (path_.empty()) return {};
  VYRE_TRY(const EvidenceFile::News news, file_->read());
  const std::lock_guard guard(mutex_);
  if (news.from_start) {
    fold_ = std::make_unique<EvidenceFold>();
    keys_in_file_.clear();
  }
  for (const EvidenceLine& line : news.lines) {
    fold_->take(line);
    if (const auto* key = std::get_if<KeyLine>(&line)) keys_in_file_.insert(key_id(key->key));
    if (const auto* summary = std::get_if<SummaryLine>(&line);
        summary != nullptr && summary->state.key != TuningKey()) {
      keys_in_file_.insert(summary->key_id);
    }
  }
  if (news.from_start) {
    for (const EvidenceBatch& batch : queue_->waiting()) take(batch);
  }
  return {};
}

Result<void> EvidenceStore::refresh() {
  const std::lock_guard writing(writing_);
  auto taken = take_news();
  if (!taken && taken.error().code == Code::invalid_input) {
    // Other processes may complete a torn line and write the next one while this reads.
    taken = take_news();
  }
  return taken;
}

std::string EvidenceStore::next_line_name() {
  return fmt::format("{}-{}", writer_, written_lines_++);
}

Result<std::optional<FileLock>> EvidenceStore::lock_for_writing(std::chrono::milliseconds wait) {
  if (path_.empty()) return std::nullopt;
  VYRE_TRY(auto lock, file_->lock(EvidenceFile::Missing::is_made, wait));
  VYRE_CHECK(take_news());
  return lock;
}

Result<void> EvidenceStore::append(const TuningKey& key, std::span<const EvidenceEvent> events) {
  if (events.empty()) return {};
  VYRE_CHECK(check_writable(key, events));
  return write(key, events, [this] { return next_line_name(); }, kDefaultLockWait);
}

void EvidenceStore::hand_over(const TuningKey& key, std::vector<EvidenceEvent> events) {
  if (events.empty()) return;
  if (const auto good = check_writable(key, events); !good) {
    VYRE_LOG(warn, "{}", describe(good.error()));
    return;
  }
  if (!queue_) {
    if (const auto kept = append(key, events); !kept) VYRE_LOG(warn, "{}", describe(kept.error()));
    return;
  }
  const std::size_t count = events.size();
  const std::lock_guard guard(mutex_);
  std::optional<EvidenceBatch> batch;
  const auto added = attempt_work([&] {
    const std::int64_t now = time_of_event(key_id(key));
    for (EvidenceEvent& event : events) {
      if (event.at_ms == 0) event.at_ms = now;
    }
    batch = queue_->add(key, std::move(events));
  });
  if (!added) return queue_->count_dropped(count);
  if (batch) take(*batch);
}

// When these lines are read back from the file, they are copies and change nothing.
void EvidenceStore::take(const EvidenceBatch& batch) {
  const std::string id = key_id(batch.key);
  if (!fold_->knows(id)) fold_->take(KeyLine{batch.key});
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    fold_->take(EventLine{id, batch.line_name(i), batch.events[i]});
  }
}

Result<void> EvidenceStore::flush(std::chrono::milliseconds wait) {
  if (!queue_) return {};
  const EvidenceQueue::Left left = queue_->flush(wait);
  if (left.events == 0 && left.dropped == 0) return {};
  return std::unexpected(unwritten(left, path_));
}

void EvidenceStore::flush_or_tell() {
  Result<void> flushed;
  if (const auto ran = attempt_work([&] { flushed = flush(kLastWait); }); !ran) flushed = ran;
  if (!flushed) {
    VYRE_LOG(warn, "what is learned is not remembered: {}", describe(flushed.error()));
  }
}

// Later events never get an earlier time, even if the clock was set back.
std::int64_t EvidenceStore::time_of_event(const std::string& key_id) const {
  const auto known = fold_->states().find(key_id);
  return std::max(now_ms(), known == fold_->states().end() ? 0 : known->second.last_ms);
}

Result<void> EvidenceStore::write(const TuningKey& key, std::span<const EvidenceEvent> events,
                                  const std::function<std::string()>& next_name,
                                  std::chrono::milliseconds wait) {
  const std::string id = key_id(key);
  const std::lock_guard writing(writing_);
  VYRE_TRY(const std::optional<FileLock> lock, lock_for_writing(wait));
  std::vector<EvidenceLine> lines;
  {
    const std::lock_guard guard(mutex_);
    const bool is_known = path_.empty() ? fold_->knows(id) : keys_in_file_.contains(id);
    if (!is_known) lines.push_back(KeyLine{key});
    const std::int64_t now = time_of_event(id);
    for (const EvidenceEvent& event : events) {
      lines.push_back(EventLine{id, next_name(), event});
      if (event.at_ms == 0) std::get<EventLine>(lines.back()).event.at_ms = now;
    }
    if (path_.empty()) {
      for (const EvidenceLine& line : lines) fold_->take(line);
      return {};
    }
  }
  std::string text;
  for (const EvidenceLine& line : lines) text += evidence_text(line);
  VYRE_CHECK(file_->append(*lock, text));
  // From here on they are in the file.
  if (const auto taken = take_news(); !taken) {
    warn_once("what was just learned is not read back", taken.error());
    return {};
  }
  compact_if_large(*lock);
  return {};
}

Result<EvidenceStore::Merged> EvidenceStore::merge(std::string_view text,
                                                   const std::filesystem::path& name) {
  VYRE_TRY(const ParsedEvidence parsed, parse_evidence(text, 0, name));
  const std::lock_guard writing(writing_);
  VYRE_TRY(const std::optional<FileLock> lock, lock_for_writing(kDefaultLockWait));
  Merged merged;
  std::string lines;
  {
    const std::lock_guard guard(mutex_);
    EvidenceFold copies_of;  // finds lines that occur twice in the text
    for (const EvidenceLine& line : parsed.lines) {
      if (fold_->is_copy(line) || copies_of.is_copy(line)) {
        ++merged.copies;
        continue;
      }
      copies_of.take(line);
      ++merged.taken;
      if (path_.empty()) fold_->take(line);
      lines += evidence_text(line);
    }
  }
  if (lines.empty() || path_.empty()) return merged;
  VYRE_CHECK(file_->append(*lock, lines));
  VYRE_CHECK(take_news());
  compact_if_large(*lock);
  return merged;
}

std::optional<KeyState> EvidenceStore::find(const TuningKey& key) const {
  const std::string id = key_id(key);
  const std::lock_guard guard(mutex_);
  const auto found = fold_->states().find(id);
  if (found == fold_->states().end() || !fold_->knows(id)) return std::nullopt;
  return found->second;
}

std::optional<Match> EvidenceStore::lookup(const TuningKey& key) const {
  const std::lock_guard guard(mutex_);
  return best_match(fold_->states(), key);
}

std::vector<KeyState> EvidenceStore::all() const {
  const std::lock_guard guard(mutex_);
  std::vector<KeyState> states;
  for (const auto& [id, state] : fold_->states()) {
    if (fold_->knows(id)) states.push_back(state);
  }
  return states;
}

std::string EvidenceStore::summaries(std::span<const std::string> without) {
  const std::lock_guard guard(mutex_);
  std::string text;
  for (const auto& [id, state] : fold_->states()) {
    if (std::ranges::find(without, id) != without.end()) continue;
    text += evidence_text(fold_->summary(id, next_line_name()));
  }
  return text;
}

Result<void> EvidenceStore::replace(const FileLock* lock, std::string_view content) {
  if (lock != nullptr) {
    VYRE_CHECK(file_->replace(*lock, content));
    return take_news();
  }
  VYRE_TRY(const ParsedEvidence parsed, parse_evidence(content, 0, path_));
  const std::lock_guard guard(mutex_);
  fold_ = std::make_unique<EvidenceFold>();
  for (const EvidenceLine& line : parsed.lines) fold_->take(line);
  return {};
}

// If compaction fails, the file is still valid, so this is not an error.
void EvidenceStore::compact_if_large(const FileLock& lock) {
  if (file_->bytes_read() <= compact_at_bytes_) return;
  const std::string text = summaries({});
  compact_at_bytes_ = std::max(kCompactBytes, kCompactFactor * text.size());
  if (file_->bytes_read() <= compact_at_bytes_) return;
  const auto replaced = replace(&lock, text);
  if (!replaced) log_message(LogLevel::warn, describe(replaced.error()));
}

Result<void> EvidenceStore::compact() {
  if (path_.empty()) return {};
  const std::lock_guard writing(writing_);
  VYRE_TRY(const auto lock, file_->lock(EvidenceFile::Missing::is_nothing, kDefaultLockWait));
  if (!lock) return {};
  VYRE_CHECK(take_news());
  return replace(&*lock, summaries({}));
}

Result<std::size_t> EvidenceStore::remove(std::span<const std::string> key_ids) {
  const std::lock_guard writing(writing_);
  std::optional<FileLock> lock;
  if (!path_.empty()) {
    VYRE_TRY(auto acquired, file_->lock(EvidenceFile::Missing::is_nothing, kDefaultLockWait));
    if (acquired) lock.emplace(*std::move(acquired));
    VYRE_CHECK(take_news());
    if (!lock) return 0;
  }
  std::size_t removed = 0;
  {
    const std::lock_guard guard(mutex_);
    removed = key_ids.empty()
                  ? fold_->states().size()
                  : static_cast<std::size_t>(
                        std::ranges::count_if(fold_->states(), [&](const auto& known) {
                          return std::ranges::find(key_ids, known.first) != key_ids.end();
                        }));
  }
  if (removed == 0) return 0;
  const std::string rest = key_ids.empty() ? std::string() : summaries(key_ids);
  VYRE_CHECK(replace(lock ? &*lock : nullptr, rest));
  return removed;
}

fs::path evidence_path() { return cache_folder() / "tuner" / "evidence.jsonl"; }

}  // namespace vyre

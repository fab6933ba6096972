#include "vyre/tune/evidence.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "vyre/base/files.h"
#include "vyre/base/log.h"
#include "vyre/base/paths.h"
#include "vyre/tune/evidence_file.h"
#include "vyre/tune/evidence_fold.h"
#include "vyre/tune/evidence_match.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// A file is compacted when it is larger than this, and larger than this many times its summaries.
constexpr std::uint64_t kCompactBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kCompactFactor = 4;

std::int64_t now_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

std::string new_writer() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

EvidenceStore::EvidenceStore(fs::path path)
    : path_(std::move(path)),
      file_(std::make_unique<EvidenceFile>(path_)),
      compact_at_bytes_(kCompactBytes),
      fold_(std::make_unique<EvidenceFold>()) {}

EvidenceStore::~EvidenceStore() = default;

Result<std::shared_ptr<EvidenceStore>> EvidenceStore::open(fs::path path) {
  if (path.empty()) return fail(Code::invalid_input, "the path of an evidence file is empty");
  std::shared_ptr<EvidenceStore> store(new EvidenceStore(std::move(path)));
  VYRE_CHECK(store->refresh());
  return store;
}

std::shared_ptr<EvidenceStore> EvidenceStore::in_memory() {
  return std::shared_ptr<EvidenceStore>(new EvidenceStore(fs::path()));
}

Result<void> EvidenceStore::take_news() {
  if (path_.empty()) return {};
  VYRE_TRY(const EvidenceFile::News news, file_->read());
  const std::lock_guard guard(mutex_);
  if (news.from_start) fold_ = std::make_unique<EvidenceFold>();
  for (const EvidenceLine& line : news.lines) fold_->take(line);
  return {};
}

Result<void> EvidenceStore::refresh() {
  const std::lock_guard writing(writing_);
  auto taken = take_news();
  if (!taken && taken.error().code == Code::invalid_input) {
    // Nothing keeps others from closing a torn line and writing the next while it is read.
    taken = take_news();
  }
  return taken;
}

// Of one line of this process: another writer after a fork.
std::string EvidenceStore::next_line_name() {
  if (writer_process_ != ::getpid()) {
    writer_process_ = ::getpid();
    writer_ = new_writer();
    written_lines_ = 0;
  }
  return fmt::format("{}-{}", writer_, written_lines_++);
}

Result<std::optional<FileLock>> EvidenceStore::lock_for_writing() {
  if (path_.empty()) return std::nullopt;
  VYRE_TRY(auto lock, file_->lock(EvidenceFile::Missing::is_made));
  VYRE_CHECK(take_news());
  return lock;
}

Result<void> EvidenceStore::append(const TuningKey& key, std::span<const EvidenceEvent> events) {
  if (events.empty()) return {};
  VYRE_CHECK(check_writable(key, events));
  const std::string id = key_id(key);
  const std::lock_guard writing(writing_);
  VYRE_TRY(const std::optional<FileLock> lock, lock_for_writing());

  std::vector<EvidenceLine> lines;
  {
    const std::lock_guard guard(mutex_);
    if (!fold_->knows(id)) lines.push_back(KeyLine{key});
    // A clock that was set back does not make what comes later older.
    const auto known = fold_->states().find(id);
    const std::int64_t now =
        std::max(now_ms(), known == fold_->states().end() ? 0 : known->second.last_ms);
    for (const EvidenceEvent& event : events) {
      lines.push_back(EventLine{id, next_line_name(), event});
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
  VYRE_CHECK(take_news());
  compact_if_large(*lock);
  return {};
}

Result<EvidenceStore::Merged> EvidenceStore::merge(std::string_view text,
                                                   const std::filesystem::path& name) {
  VYRE_TRY(const ParsedEvidence parsed, parse_evidence(text, 0, name));
  const std::lock_guard writing(writing_);
  VYRE_TRY(const std::optional<FileLock> lock, lock_for_writing());
  Merged merged;
  std::string lines;
  {
    const std::lock_guard guard(mutex_);
    EvidenceFold copies_of;  // lines that are twice in the text
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

// What could not be made smaller is as good as before: nothing has failed.
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
  VYRE_TRY(const auto lock, file_->lock(EvidenceFile::Missing::is_nothing));
  if (!lock) return {};
  VYRE_CHECK(take_news());
  return replace(&*lock, summaries({}));
}

Result<std::size_t> EvidenceStore::remove(std::span<const std::string> key_ids) {
  const std::lock_guard writing(writing_);
  std::optional<FileLock> lock;
  if (!path_.empty()) {
    VYRE_TRY(auto acquired, file_->lock(EvidenceFile::Missing::is_nothing));
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

#include "vyre/plan/specification/feedback_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "vyre/base/log.h"

namespace vyre {
namespace {

std::uint64_t text_bytes(const Decisions& decisions) {
  std::uint64_t bytes = 0;
  for (const auto& [key, workgroup] : decisions) bytes += decision_line_bytes(key, workgroup);
  return bytes;
}

}  // namespace

FeedbackStore::FeedbackStore(std::filesystem::path path, std::size_t max_entries)
    : seen_(signature_of(path)), cache_(std::move(path), max_entries) {}

FeedbackStore::Signature FeedbackStore::signature_of(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {.device = static_cast<std::uint64_t>(status.st_dev),
          .inode = static_cast<std::uint64_t>(status.st_ino),
          .bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::optional<Extent> FeedbackStore::find(std::string_view key) {
  const std::lock_guard reading(reading_);
  const Signature now = signature_of(cache_.path());
  if (!has_seen(now)) {
    if (const auto loaded = cache_.reload(); !loaded)
      VYRE_LOG(warn, "{}", describe(to_error(loaded.error())));
    const std::lock_guard lock(mutex_);
    seen_ = now;
  }
  return cache_.find(key);
}

bool FeedbackStore::has_seen(const Signature& signature) {
  const std::lock_guard lock(mutex_);
  return signature == seen_;
}

bool FeedbackStore::note(std::string_view key, const Extent& workgroup) {
  const std::lock_guard lock(mutex_);
  if (noted_ == saved_ && cache_.find(key) == workgroup && signature_of(cache_.path()) == seen_)
    return false;
  if (const auto recorded = cache_.record(key, workgroup); !recorded) {
    VYRE_LOG(warn, "{}", describe(to_error(recorded.error())));
    return false;
  }
  ++noted_;
  return true;
}

void FeedbackStore::save() {
  std::uint64_t noted;
  {
    const std::lock_guard lock(mutex_);
    noted = noted_;
  }
  const auto result = cache_.save();
  const std::lock_guard lock(mutex_);
  if (result) {
    // If another process has written meanwhile, its content must still be read.
    const Signature now = signature_of(cache_.path());
    if (now.bytes == text_bytes(result->entries)) seen_ = now;
    saved_ = std::max(saved_, noted);
    warned_ = false;
  } else if (!std::exchange(warned_, true)) {
    VYRE_LOG(warn, "launch decisions stay in memory for now: {}",
             describe(to_error(result.error())));
  }
}

}  // namespace vyre

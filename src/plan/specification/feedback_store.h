// The decision file of one device. It is read again only when it has changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>

#include "vyre/base/process/fork_watch.h"
#include "vyre/tune/decisions/decision_cache.h"

namespace vyre {

class FeedbackStore {
 public:
  FeedbackStore(std::filesystem::path path, std::size_t max_entries);

  // The decision that the file has for the key.
  std::optional<Extent> find(std::string_view key);

  // Notes a decision; false if the file already has it. save() writes it.
  bool note(std::string_view key, const Extent& workgroup);
  // A failure is logged, and the next save writes the decision.
  void save();

 private:
  // Identifies the content of the file.
  struct Signature {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modified_ns = 0;
    bool operator==(const Signature&) const = default;
  };
  static Signature signature_of(const std::filesystem::path& path);
  bool has_seen(const Signature& signature);

  // Held while the file is read, so that a reader who finds it changed waits for the new content.
  // Taken before mutex_.
  ForkSafeMutex reading_{HeldFor::work};
  // Protects the members below; never held while a file is read or written.
  ForkSafeMutex mutex_;
  // The signature of the content in the cache. It is taken before the file is read, so that a
  // change in between is noticed at the next call.
  Signature seen_;
  DecisionCache cache_;
  std::uint64_t noted_ = 0;  // the number of decisions noted so far
  std::uint64_t saved_ = 0;  // the number of these that are in the file
  bool warned_ = false;      // a failure to save was logged
};

}  // namespace vyre

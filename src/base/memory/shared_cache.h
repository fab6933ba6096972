// Shared things that are found again by a key. What nobody else holds is forgotten once it is too
// much, the least recently used first; what somebody holds always stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace vyre {

struct SharedCacheLimits {
  std::size_t count = std::numeric_limits<std::size_t>::max();
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
};

// For one thread at a time.
template <class Key, class T>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<T>;
  // What was forgotten. The caller destroys it where it holds no lock.
  using Forgotten = std::vector<Pointer>;

  explicit SharedCache(SharedCacheLimits limits) : limits_(limits) {}

  // Null if it is not there.
  Pointer find(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return nullptr;
    at->second.used = ++clock_;
    return at->second.value;
  }
  // The same, which is then no longer there.
  Pointer take(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return nullptr;
    Pointer out = std::move(at->second.value);
    bytes_ -= at->second.bytes;
    entries_.erase(at);
    return out;
  }
  // What is found under the key from now on: this, or what was there before.
  Pointer put(const Key& key, Pointer value, std::uint64_t bytes, Forgotten& forgotten) {
    const auto [at, fresh] = entries_.try_emplace(key, Entry{std::move(value), bytes, 0});
    at->second.used = ++clock_;
    if (fresh) bytes_ += bytes;
    Pointer out = at->second.value;
    if (fresh) forget(forgotten);
    return out;
  }
  std::size_t size() const { return entries_.size(); }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [key, entry] : entries_) visit(*entry.value);
  }

 private:
  struct Entry {
    Pointer value;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // by the clock, which counts uses
  };
  using Place = typename std::map<Key, Entry>::iterator;

  // Forgets an eighth more than it must, and looks again only after as many additions, so that an
  // addition takes constant time on average even where most entries are held.
  void forget(Forgotten& forgotten) {
    if (entries_.size() <= limits_.count && bytes_ <= limits_.bytes) return;
    if (until_look_ > 0) {
      --until_look_;
      return;
    }
    const auto most = limits_.count - limits_.count / 8;
    const auto most_bytes = limits_.bytes - limits_.bytes / 8;
    std::vector<Place> idle;
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->second.value.use_count() == 1) idle.push_back(at);
    }
    std::ranges::sort(idle, {}, [](const Place& at) { return at->second.used; });
    for (const Place& at : idle) {
      if (entries_.size() <= most && bytes_ <= most_bytes) break;
      bytes_ -= at->second.bytes;
      forgotten.push_back(std::move(at->second.value));
      entries_.erase(at);
    }
    until_look_ = entries_.size() / 8;
  }

  const SharedCacheLimits limits_;
  std::map<Key, Entry> entries_;
  std::uint64_t bytes_ = 0, clock_ = 0;
  std::size_t until_look_ = 0;
};

}  // namespace vyre

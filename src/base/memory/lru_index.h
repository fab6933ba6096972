// The index of a bounded cache with least-recently-used eviction: a hash index and a recency list
// over slot numbers 0..capacity-1. The entries are in the caller's array, at these slots. Nothing
// is allocated, and an index of all zero bytes is empty, so it costs nothing in thread-local
// storage.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vyre {

// Two halves of a packed key's word.
constexpr std::uint64_t pack_word(std::uint32_t low, std::uint32_t high) {
  return low | static_cast<std::uint64_t>(high) << 32;
}

// A fast hash of a packed key, for tables inside one process; not to be stored.
constexpr std::uint64_t hash_words(std::span<const std::uint64_t> words) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15, kEven = 0xd1b54a32d192ed03;
  std::uint64_t hash = words.size() * kOdd;
  std::size_t i = 0;
  for (; i + 1 < words.size(); i += 2) {
    const Wide product = static_cast<Wide>(words[i] ^ hash ^ kOdd) * (words[i + 1] ^ kEven);
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  if (i < words.size()) {
    const Wide product = static_cast<Wide>(words[i] ^ hash ^ kOdd) * kEven;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return hash;
}

template <std::size_t kCapacity>
class LruIndex {
  static_assert(kCapacity > 0 && kCapacity < 0xffff);

 public:
  using Slot = std::uint16_t;

  std::size_t size() const { return size_; }

  // The least recently used slot, and the most recently used one, if there is any.
  std::optional<Slot> oldest() const { return slot_of(oldest_); }
  std::optional<Slot> newest() const { return slot_of(newest_); }

  // The slot that was inserted with `hash` and for which same(slot) holds. Does not count as a use.
  template <class Same>
  std::optional<Slot> find(std::uint64_t hash, Same&& same) const {
    const std::uint32_t tag = tag_of(hash);
    for (Link link = buckets_[bucket_of(tag)]; link != kNone; link = nodes_[link - 1].chain) {
      const Slot slot = static_cast<Slot>(link - 1);
      if (nodes_[slot].tag == tag && same(slot)) return slot;
    }
    return std::nullopt;
  }

  // Marks a slot as the most recently used one.
  void touch(Slot slot) {
    if (newest_ == slot + 1) return;
    unlink(slot);
    push_newest(slot);
  }

  // A slot for a new key, which must not be present: the next unused one (slots are handed out in
  // ascending order) or, at capacity, that of the least recently used entry, which is evicted.
  Slot insert(std::uint64_t hash) {
    Slot slot;
    if (size_ < kCapacity) {
      slot = static_cast<Slot>(size_++);
    } else {
      slot = static_cast<Slot>(oldest_ - 1);
      unchain(slot);
      unlink(slot);
    }
    Node& node = nodes_[slot];
    node.tag = tag_of(hash);
    Link& bucket = buckets_[bucket_of(node.tag)];
    node.chain = bucket;
    bucket = static_cast<Link>(slot + 1);
    push_newest(slot);
    return slot;
  }

  void clear() {
    buckets_.fill(kNone);
    size_ = 0;
    newest_ = oldest_ = kNone;
  }

 private:
  // A slot number plus one, so that zero means "none".
  using Link = std::uint16_t;
  static constexpr Link kNone = 0;
  static constexpr std::size_t kBuckets = std::bit_ceil(2 * kCapacity);

  struct Node {
    std::uint32_t tag = 0;
    Link chain = kNone, newer = kNone, older = kNone;
  };

  static constexpr std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }
  static constexpr std::size_t bucket_of(std::uint32_t tag) { return tag & (kBuckets - 1); }
  static std::optional<Slot> slot_of(Link link) {
    if (link == kNone) return std::nullopt;
    return static_cast<Slot>(link - 1);
  }

  void unlink(Slot slot) {
    const Node& node = nodes_[slot];
    (node.newer == kNone ? newest_ : nodes_[node.newer - 1].older) = node.older;
    (node.older == kNone ? oldest_ : nodes_[node.older - 1].newer) = node.newer;
  }

  void push_newest(Slot slot) {
    const Link link = static_cast<Link>(slot + 1);
    nodes_[slot].newer = kNone;
    nodes_[slot].older = newest_;
    (newest_ == kNone ? oldest_ : nodes_[newest_ - 1].newer) = link;
    newest_ = link;
  }

  void unchain(Slot slot) {
    Link* link = &buckets_[bucket_of(nodes_[slot].tag)];
    while (*link != slot + 1) link = &nodes_[*link - 1].chain;
    *link = nodes_[slot].chain;
  }

  std::array<Node, kCapacity> nodes_{};
  std::array<Link, kBuckets> buckets_{};
  std::uint32_t size_ = 0;
  Link newest_ = kNone, oldest_ = kNone;
};

}  // namespace vyre

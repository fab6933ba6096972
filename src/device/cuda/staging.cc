#include <algorithm>
#include <cstring>

#include "vyre/device/cuda/staging_internal.h"

namespace vyre {

Result<void> Staging::prepare(Part& part, std::uint64_t bytes) {
  if (part.copied == nullptr) {
    VYRE_TRY(part.copied, events_.take());
  }
  if (part.chunk.host == nullptr) {
    VYRE_TRY(part.chunk, pinned_.take(bytes));
  }
  return {};
}

Result<void> Staging::reuse(Part& part) {
  if (part.pending) {
    VYRE_CHECK(
        context_.check(context_.driver().event_synchronize(part.copied), "cuEventSynchronize"));
  }
  part.pending = false;
  part.used = 0;
  return {};
}

Result<void> Staging::mark(Part& part) {
  VYRE_CHECK(context_.check(context_.driver().event_record(part.copied, stream_), "cuEventRecord"));
  part.pending = true;
  return {};
}

Result<void> Staging::stage(Part& part, CuAddress to, std::span<const std::byte> from) {
  std::byte* at = part.chunk.host + part.used;
  std::memcpy(at, from.data(), from.size());
  part.used += (from.size() + 63) / 64 * 64;
  return context_.check(context_.driver().copy_to_device(to, at, from.size(), stream_),
                        "cuMemcpyHtoDAsync");
}

Result<void> Staging::write_small(CuAddress to, std::span<const std::byte> from) {
  Part* part = &small_[small_turn_];
  VYRE_CHECK(prepare(*part, kSmallBytes));
  if (part->used + from.size() > part->chunk.bytes) {
    VYRE_CHECK(mark(*part));
    small_turn_ ^= 1U;
    part = &small_[small_turn_];
    VYRE_CHECK(prepare(*part, kSmallBytes));
    VYRE_CHECK(reuse(*part));
  }
  return stage(*part, to, from);
}

Result<void> Staging::write_large(CuAddress to, std::span<const std::byte> from) {
  for (unsigned turn = 0; !from.empty(); turn ^= 1U) {
    Part& part = large_[turn];
    VYRE_CHECK(prepare(part, kLargeBytes));
    VYRE_CHECK(reuse(part));
    const auto piece = from.first(std::min<std::size_t>(from.size(), kLargeBytes));
    VYRE_CHECK(stage(part, to, piece));
    VYRE_CHECK(mark(part));
    to += piece.size();
    from = from.subspan(piece.size());
  }
  return {};
}

Result<void> Staging::write(BoundMemory to, std::span<const std::byte> from) {
  if (from.empty()) return {};
  const std::scoped_lock lock(write_mutex_);
  return from.size() <= kSmallBytes ? write_small(to.address, from) : write_large(to.address, from);
}

Result<void> Staging::read(BoundMemory from, std::span<std::byte> to) {
  if (to.empty()) return {};
  const std::scoped_lock lock(read_mutex_);
  const bool small = to.size() <= kSmallBytes;
  Pair& pair = small ? read_small_ : read_large_;
  const std::uint64_t chunk = small ? kSmallBytes : kLargeBytes;
  const auto piece_at = [&](std::uint64_t offset) {
    return to.subspan(offset, std::min<std::uint64_t>(chunk, to.size() - offset));
  };
  const auto ask = [&](std::uint64_t offset) -> Result<void> {
    Part& part = pair[offset / chunk % 2];
    VYRE_CHECK(prepare(part, chunk));
    VYRE_CHECK(context_.check(context_.driver().copy_to_host(part.chunk.host, from.address + offset,
                                                             piece_at(offset).size(), stream_),
                              "cuMemcpyDtoHAsync"));
    return mark(part);
  };
  VYRE_CHECK(ask(0));
  for (std::uint64_t offset = 0; offset < to.size(); offset += chunk) {
    if (offset + chunk < to.size()) VYRE_CHECK(ask(offset + chunk));
    Part& part = pair[offset / chunk % 2];
    VYRE_CHECK(reuse(part));
    const auto piece = piece_at(offset);
    std::memcpy(piece.data(), part.chunk.host, piece.size());
  }
  return {};
}

void Staging::release() {
  for (Pair* pair : {&small_, &large_, &read_small_, &read_large_}) {
    for (Part& part : *pair) {
      if (part.chunk.host != nullptr) pinned_.give_back(part.chunk);
      if (part.copied != nullptr) events_.give_back(part.copied);
      part = {};
    }
  }
}

}  // namespace vyre

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "vyre/device/cuda/launch_notes_internal.h"

namespace vyre {

void LaunchNotes::add(std::string_view kernel) {
  std::array<std::uint64_t, (kNameBytes + 1) / 8> words{};
  const std::size_t length = std::min<std::size_t>(kernel.size(), kNameBytes);
  auto* bytes = reinterpret_cast<char*>(words.data());
  bytes[0] = static_cast<char>(length);
  std::memcpy(bytes + 1, kernel.data(), length);
  Slot& slot = slots_[added_.fetch_add(1, std::memory_order_acq_rel) % kKept];
  for (std::size_t i = 0; i <= length / 8; ++i) {
    slot[i].store(words[i], std::memory_order_relaxed);
  }
}

void LaunchNotes::settle(std::uint64_t count) {
  std::uint64_t seen = settled_.load(std::memory_order_relaxed);
  while (seen < count && !settled_.compare_exchange_weak(seen, count)) {
  }
}

void LaunchNotes::collect(std::vector<std::string>& names) const {
  const std::uint64_t end = added();
  std::uint64_t i = settled_.load();
  if (end > kKept) i = std::max(i, end - kKept);
  for (; i < end; ++i) {
    std::array<std::uint64_t, (kNameBytes + 1) / 8> words{};
    for (std::size_t w = 0; w < words.size(); ++w) {
      words[w] = slots_[i % kKept][w].load(std::memory_order_relaxed);
    }
    const auto* bytes = reinterpret_cast<const char*>(words.data());
    const auto length = std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), kNameBytes);
    std::string name(bytes + 1, length);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
}

std::string suspects_text(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return fmt::format("kernel '{}'", names.front());
  return fmt::format("one of the kernels '{}'", fmt::join(names, "', '"));
}

}  // namespace vyre

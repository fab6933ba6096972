// The lengths in the size of a tuning key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vyre {

struct SizeAxes {
  std::array<std::uint64_t, 3> length{};
  std::size_t count = 0;
};

// The axes of "1000", "1000x20" or "1000x20x3"; empty for any other text.
std::optional<SizeAxes> parse_size(std::string_view size);

}  // namespace vyre

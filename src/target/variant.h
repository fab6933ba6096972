// One way to run a program: every choice that changes the code or the launch, and nothing that
// changes the result.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/extent.h"

namespace vyre {

// Which items a lane takes if it takes several.
enum class ItemLayout : std::uint8_t {
  strided,  // a workgroup apart: neighbouring lanes take neighbouring items
  blocked,  // consecutive items, which a lane can load together
};

enum class BoundsMode : std::uint8_t {
  // One uniform test per workgroup selects code without checks or with checks.
  tested_once,
  // Every access is checked.
  checked,
};

std::string_view to_string(ItemLayout layout);
std::string_view to_string(BoundsMode mode);

// An override and the value with which this variant was made. The value is kept as the text that a
// user would write, so that it compares and prints exactly.
struct OverrideSetting {
  std::string name{};
  std::string value{};

  auto operator<=>(const OverrideSetting&) const = default;
};

struct Variant {
  Extent workgroup{1, 1, 1};
  std::uint32_t items_per_lane = 1;
  ItemLayout layout = ItemLayout::strided;
  std::uint32_t gang_width = 1;  // invocations in one vector on the CPU; 1: scalar code
  std::uint32_t groups_per_task = 1;
  BoundsMode bounds = BoundsMode::tested_once;
  std::vector<OverrideSetting> overrides{};  // ordered by name

  auto operator<=>(const Variant&) const = default;
};

// "64x1x1 items=4 blocked gang=16 groups=8 checked TILE=32". Values that equal the default are left
// out, except for the workgroup. Equal texts mean equal variants.
std::string to_string(const Variant& variant);

}  // namespace vyre

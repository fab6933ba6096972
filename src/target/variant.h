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

// Which elements a lane takes when it takes several.
enum class ItemLayout : std::uint8_t {
  strided,  // every workgroup-width-th: neighbouring lanes touch neighbouring elements
  blocked,  // consecutive ones: a lane can load them together
};

enum class BoundsMode : std::uint8_t {
  // One uniform test a workgroup picks an unchecked body or the checked one.
  tested_once,
  // Every access is checked.
  checked,
};

std::string_view to_string(ItemLayout layout);
std::string_view to_string(BoundsMode mode);

// The value of an override constant that this variant was made with, by the constant's name. The
// value is kept as the text a user would write, so that it compares and prints exactly.
struct OverrideSetting {
  std::string name{};
  std::string value{};

  auto operator<=>(const OverrideSetting&) const = default;
};

struct Variant {
  Extent workgroup{1, 1, 1};
  std::uint32_t items_per_lane = 1;
  ItemLayout layout = ItemLayout::strided;
  std::uint32_t gang_width = 1;  // lanes of one vector on the CPU; 1 is the scalar lane loop
  std::uint32_t groups_per_task = 1;
  BoundsMode bounds = BoundsMode::tested_once;
  std::vector<OverrideSetting> overrides{};  // ordered by name

  auto operator<=>(const Variant&) const = default;
};

// "64x1x1 items=4 blocked gang=16 groups=8 checked TILE=32": what equals the default is left out,
// the workgroup never is. Equal texts mean equal variants.
std::string to_string(const Variant& variant);

}  // namespace vyre

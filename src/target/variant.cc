#include "vyre/target/variant.h"

#include <fmt/format.h>

namespace vyre {

std::string_view to_string(ItemLayout layout) {
  switch (layout) {
    case ItemLayout::strided: return "strided";
    case ItemLayout::blocked: return "blocked";
  }
  return "unknown";
}

std::string_view to_string(BoundsMode mode) {
  switch (mode) {
    case BoundsMode::tested_once: return "tested_once";
    case BoundsMode::checked: return "checked";
  }
  return "unknown";
}

std::string to_string(const Variant& variant) {
  const Variant usual;
  std::string text =
      fmt::format("{}x{}x{}", variant.workgroup[0], variant.workgroup[1], variant.workgroup[2]);
  if (variant.items_per_lane != usual.items_per_lane) {
    text += fmt::format(" items={}", variant.items_per_lane);
  }
  if (variant.layout != usual.layout) text += fmt::format(" {}", to_string(variant.layout));
  if (variant.gang_width != usual.gang_width) text += fmt::format(" gang={}", variant.gang_width);
  if (variant.groups_per_task != usual.groups_per_task) {
    text += fmt::format(" groups={}", variant.groups_per_task);
  }
  if (variant.bounds != usual.bounds) text += fmt::format(" {}", to_string(variant.bounds));
  for (const OverrideSetting& value : variant.overrides) {
    text += fmt::format(" {}={}", value.name, value.value);
  }
  return text;
}

}  // namespace vyre

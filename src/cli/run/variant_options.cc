#include "vyre/cli/run/variant_options.h"

#include <fmt/format.h>

#include "vyre/cli/values.h"

namespace vyre {
namespace {

Result<std::uint32_t> parse_count(const std::string& text) {
  VYRE_TRY(const std::uint64_t value, parse_whole(text, UINT32_MAX));
  if (value == 0) return fail(Code::invalid_input, "it must be at least 1");
  return static_cast<std::uint32_t>(value);
}

Result<ItemLayout> parse_layout(const std::string& text) {
  for (const ItemLayout layout : {ItemLayout::strided, ItemLayout::blocked}) {
    if (text == to_string(layout)) return layout;
  }
  return fail(Code::invalid_input, fmt::format("there is no layout {}", quote(text)),
              "there are strided and blocked");
}

}  // namespace

std::string first_option(const FixedChoices& choices) {
  if (choices.items_per_lane) return "--items-per-lane";
  if (choices.layout) return "--layout";
  if (choices.gang_width) return "--gang";
  if (choices.workgroup) return "--workgroup";
  return choices.groups_per_task ? "--groups-per-task" : "";
}

void declare(OptionSet& set, FixedChoices& choices) {
  set.value("--workgroup", "X[,Y[,Z]]", "the workgroup shape, instead of the declared one",
            choices.workgroup, [](const std::string& text) { return parse_extent(text); });
  set.value("--items-per-lane", "K", "invocations per lane: 1, 2, 4, 8 or 16",
            choices.items_per_lane, parse_count);
  set.value("--layout", "LAYOUT", "the items of a lane: strided or blocked", choices.layout,
            parse_layout);
  set.value("--gang", "W", "invocations in one vector on the CPU: 1, 8, 16 or 32",
            choices.gang_width, parse_count);
  set.value("--groups-per-task", "N", "workgroups that a CPU thread takes at a time; 1: auto",
            choices.groups_per_task, parse_count);
}

}  // namespace vyre

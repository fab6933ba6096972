#include "vyre/cli/variant_options.h"

#include <fmt/format.h>

#include "vyre/cli/values.h"

namespace vyre {
namespace {

Result<std::uint32_t> parse_count(const std::string& text) {
  VYRE_TRY(const std::uint64_t value, parse_whole(text, UINT32_MAX));
  if (value == 0) return fail(Code::invalid_input, "the least is 1");
  return static_cast<std::uint32_t>(value);
}

Result<ItemLayout> parse_layout(const std::string& text) {
  for (const ItemLayout layout : {ItemLayout::strided, ItemLayout::blocked}) {
    if (text == to_string(layout)) return layout;
  }
  return fail(Code::invalid_input, fmt::format("there is no layout {}", quote(text)),
              "there are strided and blocked");
}

// The options given, as they were typed.
std::string given(const VariantOptions& options) {
  std::string out;
  const auto add = [&](std::string_view name, const auto& value) {
    out += fmt::format("{}{} {}", out.empty() ? "" : " ", name, value);
  };
  if (options.items_per_lane) add("--items-per-lane", *options.items_per_lane);
  if (options.layout) add("--layout", to_string(*options.layout));
  if (options.gang) add("--gang", *options.gang);
  if (options.workgroup) {
    const Extent& w = *options.workgroup;
    add("--workgroup", fmt::format("{},{},{}", w[0], w[1], w[2]));
  }
  if (options.groups_per_task) add("--groups-per-task", *options.groups_per_task);
  return out;
}

Result<void> check_limits(const Limits& limits, const Extent& workgroup, std::string_view device) {
  std::uint64_t threads = 1;
  bool fits = true;
  for (std::size_t axis = 0; axis < workgroup.size(); ++axis) {
    fits = fits && workgroup[axis] <= limits.max_block_dim[axis];
    if (fits) threads *= workgroup[axis];
  }
  if (fits && threads <= limits.max_threads_per_block) return {};
  return fail(
      Code::limit,
      fmt::format("--workgroup: {} is too large; {} allows {} invocations, along each axis {}",
                  format_extent(workgroup), device, limits.max_threads_per_block,
                  format_extent(limits.max_block_dim)));
}

}  // namespace

std::string VariantOptions::first() const {
  const std::string all = given(*this);
  return all.substr(0, all.find(' '));
}

void declare(OptionSet& set, VariantOptions& options) {
  set.value("--workgroup", "X[,Y[,Z]]", "another workgroup than the declared one",
            options.workgroup, [](const std::string& text) { return parse_extent(text); });
  set.value("--items-per-lane", "K", "invocations that one lane takes: 1, 2, 4, 8 or 16",
            options.items_per_lane, parse_count);
  set.value("--layout", "LAYOUT", "of a lane's items: strided or blocked", options.layout,
            parse_layout);
  set.value("--gang", "W", "lanes of one vector on the CPU: 1, 8, 16 or 32", options.gang,
            parse_count);
  set.value("--groups-per-task", "N", "workgroups that a thread takes at once; 1: by the size",
            options.groups_per_task, parse_count);
}

Variant with_options(Variant variant, const VariantOptions& options) {
  if (options.items_per_lane) variant.items_per_lane = *options.items_per_lane;
  if (options.layout) variant.layout = *options.layout;
  if (options.gang) variant.gang_width = *options.gang;
  if (options.workgroup) variant.workgroup = *options.workgroup;
  if (options.groups_per_task) variant.groups_per_task = *options.groups_per_task;
  return variant;
}

Result<void> check_variant(const Kernel& kernel, const VariantOptions& options,
                           const Limits& limits, std::string_view device, const std::string& why) {
  if (options.workgroup) VYRE_CHECK(check_limits(limits, *options.workgroup, device));
  if (why.empty()) return {};
  const std::string asked = given(options);
  return fail(Code::invalid_input,
              fmt::format("{} cannot run {}: {}", kernel.program->name,
                          asked.empty() ? fmt::format("on {}", device) : "with " + asked, why));
}

Result<Variant> choose_variant(const Session& session, const Kernel& kernel,
                               const VariantOptions& options) {
  Variant variant = with_options(session.default_variant(kernel), options);
  const Device& device = session.device();
  VYRE_CHECK(check_variant(kernel, options, device.limits(), device.name(),
                           session.why_not(kernel, variant)));
  return variant;
}

}  // namespace vyre

#include "vyre/plan/variants/variant_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

constexpr std::array<std::uint32_t, 5> kItems = {1, 2, 4, 8, 16};
constexpr std::array<std::uint32_t, 4> kGangs = {1, 8, 16, 32};
constexpr std::array<std::uint32_t, 3> kGroups = {1, 8, 64};  // 1: the device chooses

std::vector<Extent> gpu_shapes(const Extent& declared) {
  if (declared[1] == 1 && declared[2] == 1) {
    return {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}};
  }
  if (declared[2] == 1) {
    return {{8, 8, 1},   {16, 4, 1},  {16, 8, 1},  {16, 16, 1}, {16, 32, 1}, {32, 1, 1},
            {32, 2, 1},  {32, 4, 1},  {32, 8, 1},  {32, 16, 1}, {32, 32, 1}, {64, 1, 1},
            {64, 2, 1},  {64, 4, 1},  {64, 8, 1},  {64, 16, 1}, {128, 1, 1}, {128, 2, 1},
            {128, 4, 1}, {128, 8, 1}, {256, 1, 1}, {256, 2, 1}, {512, 1, 1}};
  }
  return {{4, 4, 4},  {8, 4, 4},  {8, 8, 4},   {8, 8, 8},   {16, 4, 2}, {16, 4, 4}, {16, 8, 2},
          {32, 2, 1}, {32, 2, 2}, {32, 4, 1},  {32, 4, 2},  {32, 8, 1}, {64, 2, 1}, {64, 2, 2},
          {64, 4, 1}, {64, 4, 2}, {128, 1, 1}, {128, 2, 1}, {256, 1, 1}};
}

std::vector<Extent> host_shapes(const Extent& declared) {
  if (declared[1] == 1 && declared[2] == 1) {
    return {{64, 1, 1}, {256, 1, 1}, {1024, 1, 1}};
  }
  if (declared[2] == 1) {
    return {{16, 16, 1}, {32, 8, 1}, {64, 4, 1}, {256, 1, 1}, {256, 4, 1}};
  }
  return {{16, 4, 4}, {32, 8, 1}, {64, 2, 2}, {256, 1, 1}};
}

bool fits(const SpaceRequest& r, const Variant& v) {
  const Extent covers = covered_by(v, r.kind);
  for (unsigned i = 0; i < 3; ++i) {
    if (ceil_div<std::uint64_t>(r.extent[i], covers[i]) > r.limits.max_grid_dim[i]) return false;
    // The next smaller shape also covers the extent.
    if (covers[i] > 1 && covers[i] / 2 >= std::max(r.extent[i], 32U)) return false;
  }
  return true;
}

class Space {
 public:
  explicit Space(const SpaceRequest& request) : request_(request) {}

  void add(const Variant& v) {
    if (!seen_.insert(v).second) return;
    if (request_.shape_is_fixed && v.workgroup != request_.usual.workgroup) return;
    if (v != request_.usual) {
      if (!fits(request_, v) || !request_.why_not(v).empty()) return;
    }
    out.push_back(v);
  }

  std::vector<Variant> out;

 private:
  const SpaceRequest& request_;
  std::set<Variant> seen_;
};

}  // namespace

Extent covered_by(const Variant& variant, TargetKind kind) {
  Extent covers = variant.workgroup;
  if (kind == TargetKind::nvptx) covers[0] *= variant.items_per_lane;
  return covers;
}

std::vector<Variant> variant_space(const SpaceRequest& request) {
  Space space(request);
  space.add(request.usual);
  const bool gpu = request.kind == TargetKind::nvptx;
  std::vector<Extent> shapes = gpu ? gpu_shapes(request.declared) : host_shapes(request.declared);
  if (std::ranges::find(shapes, request.declared) == shapes.end()) {
    shapes.push_back(request.declared);
  }
  Variant v = request.usual;
  for (const Extent& shape : shapes) {
    v.workgroup = shape;
    if (gpu) {
      for (const std::uint32_t items : kItems) {
        v.items_per_lane = items;
        v.layout = ItemLayout::strided;
        space.add(v);
        v.layout = ItemLayout::blocked;
        if (items > 1) space.add(v);
      }
      continue;
    }
    for (const std::uint32_t gang : kGangs) {
      for (const std::uint32_t groups : kGroups) {
        v.gang_width = gang;
        v.groups_per_task = groups;
        space.add(v);
      }
    }
  }
  return std::move(space.out);
}

Configuration configuration_of(const Variant& v, TargetKind kind) {
  Configuration out;
  out.emplace_back("workgroup", size_text(v.workgroup));
  const bool gpu = kind == TargetKind::nvptx;
  const Variant plain;
  if (gpu || v.items_per_lane != plain.items_per_lane) {
    out.emplace_back("items", std::to_string(v.items_per_lane));
  }
  if (gpu || v.layout != plain.layout) {
    out.emplace_back("layout", to_string(v.layout));
  }
  if (!gpu || v.gang_width != plain.gang_width) {
    out.emplace_back("gang", std::to_string(v.gang_width));
  }
  if (!gpu || v.groups_per_task != plain.groups_per_task) {
    out.emplace_back("groups", std::to_string(v.groups_per_task));
  }
  if (v.bounds != plain.bounds) out.emplace_back("bounds", to_string(v.bounds));
  for (const OverrideSetting& o : v.overrides) out.emplace_back(o.name, o.value);
  return out;
}

}  // namespace vyre

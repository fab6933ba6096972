#include "vyre/plan/specification/cold_start.h"

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/tune/decisions/natural_gradient_step.h"

namespace vyre {
namespace {

bool has_width(std::span<const CostRow> rows, std::uint32_t width) {
  return std::ranges::find(rows, width, &CostRow::width) != rows.end();
}

const Measurement* find_width(std::span<const Measurement> measured, std::uint32_t width) {
  const Extent workgroup{width, 1, 1};
  const auto at = std::ranges::lower_bound(measured, workgroup, {}, &Measurement::workgroup);
  return at != measured.end() && at->workgroup == workgroup ? &*at : nullptr;
}

std::vector<CostRow> gather_costs(const Extent& declared, std::uint32_t element_count,
                                  const Limits& limits, std::span<const Measurement> measured) {
  std::vector<CostRow> rows;
  rows.reserve(kWorkgroupCandidates.size() + 1 + measured.size());
  const auto add = [&](std::uint32_t width, std::uint64_t cost_ns, bool is_measured) {
    rows.push_back({.width = width, .cost_ns = cost_ns, .measured = is_measured, .weight_q16 = 0});
  };
  const auto add_candidate = [&](std::uint32_t width) {
    if (!fits_limits(width, limits) || has_width(rows, width)) return;
    const Measurement* known = find_width(measured, width);
    add(width, known ? known->elapsed_ns : estimated_ns(element_count, width), known != nullptr);
  };
  for (const std::uint32_t width : kWorkgroupCandidates) add_candidate(width);
  add_candidate(declared[0]);

  // Measured workgroups are distinct; only a candidate can equal one of them.
  const std::size_t candidates = rows.size();
  for (const Measurement& m : measured) {
    const auto [width, y, z] = m.workgroup;
    if (y != 1 || z != 1 || m.elapsed_ns == 0 || !fits_limits(width, limits)) continue;
    if (!has_width(std::span(rows).first(candidates), width)) add(width, m.elapsed_ns, true);
  }
  return rows;
}

}  // namespace

std::uint64_t estimated_ns(std::uint32_t element_count, std::uint32_t width) {
  const std::uint64_t groups = ceil_div<std::uint64_t>(element_count, width);
  const std::uint64_t idle = groups * width - element_count;
  return saturating_add(saturating_mul(groups, kColdStartGridStepNs),
                        saturating_mul(idle, kColdStartIdleLaneNs));
}

bool fits_limits(std::uint32_t width, const Limits& limits) {
  return width != 0 && width <= limits.max_threads_per_block && width <= limits.max_block_dim[0];
}

CostTable cost_table(const Extent& declared, std::uint32_t element_count, const Limits& limits,
                     std::span<const Measurement> measured) {
  CostTable table{gather_costs(declared, element_count, limits, measured), std::nullopt};
  if (table.rows.size() < 2) return table;
  std::vector<Measurement> samples;
  samples.reserve(table.rows.size());
  for (const CostRow& row : table.rows) samples.push_back({{row.width, 1, 1}, row.cost_ns});
  std::vector<std::uint32_t> weights(samples.size());
  const auto step = suggest_with_identity({kColdStartTemperatureNs}, samples, weights);
  if (!step) return table;
  for (std::size_t i = 0; i < weights.size(); ++i) table.rows[i].weight_q16 = weights[i];
  table.selected = step->selected[0];
  return table;
}

std::optional<Extent> select_workgroup(const Extent& declared, std::uint32_t element_count,
                                       const Limits& limits,
                                       std::span<const Measurement> measured) {
  const CostTable table = cost_table(declared, element_count, limits, measured);
  if (!table.selected) return std::nullopt;
  return Extent{*table.selected, 1, 1};
}

}  // namespace vyre

#include <algorithm>
#include <utility>
#include <variant>

#include "vyre/device/cpu/cpu_recording_internal.h"

namespace vyre {

CpuRecording::CpuRecording(const BandMachine& machine, std::span<const WorkItem> items)
    : ListedWork(items), machine_(machine) {
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == WorkItem::Kind::launch) keep(i, items[i].launch);
    reach_.push_back(items[i].reach);
    after_all_.push_back(items[i].after_all);
  }
}

Result<void> CpuRecording::set(std::uint32_t item, const Launch& launch) {
  VYRE_CHECK(check_item(item, launch));
  const std::scoped_lock lock(mutex_);
  keep(item, launch);
  laid_out_ = false;
  return {};
}

std::string_view CpuRecording::one_by_one() const {
  const std::scoped_lock lock(mutex_);
  lay_out();
  const bool has_runs = std::ranges::any_of(
      parts_, [](const Part& part) { return std::holds_alternative<Run>(part); });
  return has_runs ? "" : "no launches can follow each other in bands";
}

std::vector<WorkBands> CpuRecording::bands() const {
  const std::scoped_lock lock(mutex_);
  lay_out();
  std::vector<WorkBands> out;
  for (const Part& part : parts_) {
    const Run* run = std::get_if<Run>(&part);
    if (run == nullptr) continue;
    out.push_back({.first_item = run->items.front(),
                   .last_item = run->items.back(),
                   .rows = run->bands.rows,
                   .regions = run->bands.regions()});
  }
  return out;
}

std::vector<BandBoundary> CpuRecording::boundaries() const {
  const std::scoped_lock lock(mutex_);
  lay_out();
  return boundaries_;
}

std::optional<BandLaunch> CpuRecording::rows_of(std::uint32_t item) const {
  if (!reach_[item]) return std::nullopt;
  const Launch launch = items_[item].launch.launch();
  return band_launch(launch.grid, launch.extent, launch.workgroup, launch.bindings, *reach_[item]);
}

// Divides the items into the parts that are played one after the other. A clear is moved in front
// of preceding launches that do not touch its memory.
void CpuRecording::lay_out() const {
  if (std::exchange(laid_out_, true)) return;
  parts_.clear();
  boundaries_.assign(items_.size(), BandBoundary::first_launch);
  std::vector<std::uint32_t> launches;
  std::vector<std::optional<BandLaunch>> rows;
  BandBoundary why = BandBoundary::first_launch;  // the group of launches begins
  const auto end_group = [&](BandBoundary next) {
    if (launches.empty()) return;
    add_group(launches, rows);
    boundaries_[launches.front()] = why;
    launches.clear();
    rows.clear();
    why = next;
  };
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (after_all_[i]) end_group(BandBoundary::waits_anyway);
    if (item.kind == WorkItem::Kind::launch) {
      launches.push_back(i);
      rows.push_back(rows_of(i));
      continue;
    }
    const bool is_free =
        item.kind == WorkItem::Kind::clear && std::ranges::all_of(rows, [&](const auto& launch) {
          return launch && !touches(*launch, item.to);
        });
    if (!is_free) end_group(BandBoundary::memory_cleared);
    parts_.emplace_back(i);
  }
  end_group(BandBoundary::none);
}

void CpuRecording::add_group(std::span<const std::uint32_t> launches,
                             std::span<const std::optional<BandLaunch>> rows) const {
  BandPlan plan = plan_bands(rows, machine_);
  for (std::size_t l = 0; l < launches.size(); ++l) boundaries_[launches[l]] = plan.boundaries[l];
  auto next = plan.runs.begin();
  for (std::size_t l = 0; l < launches.size();) {
    if (next == plan.runs.end() || next->first != l) {
      parts_.emplace_back(launches[l++]);
      continue;
    }
    Run& run = std::get<Run>(parts_.emplace_back(Run{}));
    run.items.assign(launches.begin() + static_cast<std::ptrdiff_t>(l),
                     launches.begin() + static_cast<std::ptrdiff_t>(l + next->count));
    run.schedule = schedule_bands(rows, *next);
    run.rows.assign(rows.begin() + static_cast<std::ptrdiff_t>(l),
                    rows.begin() + static_cast<std::ptrdiff_t>(l + next->count));
    l += next->count;
    run.bands = std::move(*next++);
  }
}

ItemBands CpuDevice::bands_of(std::span<const WorkItem> items) const {
  const CpuRecording recording(band_machine_, items);
  ItemBands out{.bands = recording.bands(), .why_not = {}};
  for (const BandBoundary boundary : recording.boundaries()) {
    out.why_not.push_back(sentence(boundary));
  }
  return out;
}

Result<void> CpuRecording::play(CpuDevice& device, Queue& queue, const PlayLimits& limits) {
  const std::scoped_lock lock(mutex_);
  const auto began = std::chrono::steady_clock::now();
  lay_out();
  for (Part& part : parts_) {
    if (Run* run = std::get_if<Run>(&part)) {
      VYRE_CHECK(play_run(device, *run, limits, began));
    } else {
      VYRE_CHECK(play_item(queue, std::get<std::uint32_t>(part), limits, began));
    }
  }
  return {};
}

Result<void> CpuRecording::play_run(CpuDevice& device, Run& run, const PlayLimits& limits,
                                    std::chrono::steady_clock::time_point began) {
  launches_.clear();
  for (const std::uint32_t item : run.items) {
    Launch& launch = launches_.emplace_back(items_[item].launch.launch());
    limit(launch, limits, began);
  }
  return device.play_bands(launches_, run.rows, run.bands, run.schedule, run.space);
}

}  // namespace vyre

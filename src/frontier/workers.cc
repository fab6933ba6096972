#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "vyre/device/cpu/cpu_device.h"
#include "vyre/frontier/signals.h"
#include "vyre/frontier/workers_internal.h"

namespace vyre {
namespace {

// Each thread of the CPU runs workgroups in pairs, because a launch with one workgroup per task is
// cut as the device likes. The second of a pair finds no work left.
constexpr std::uint32_t kGroupsPerThread = 2;
constexpr std::uint32_t kMostWorkers = 4096;
// The work is cut into this many chunks for each worker, so that no worker has much left when the
// others are done.
constexpr std::uint32_t kChunks = 8;

constexpr std::uint32_t kGpuLanes = 256, kGpuSoloLanes = 1024, kGpuCrowdLanes = 512;
// The workgroups of a crowd are few, because they wait for each other after each round.
constexpr std::uint32_t kCrowd = 32, kLeastCrowd = 2;
// The lanes of workgroups on the CPU, where only tests use them: two subgroups, the fewest that
// need to work together.
constexpr std::uint32_t kHostLanes = 64;
// More workgroups than a multiprocessor runs at once, so that those with little work make room.
constexpr std::uint32_t kGroupsPerMultiprocessor = 32;

std::atomic<bool> groups_on_host{false};

bool is_host(const Session& session) { return session.device().target().kind == TargetKind::host; }

}  // namespace

void use_groups_on_host(bool use) { groups_on_host = use; }

Result<std::uint32_t> device_workers(const Session& session) {
  if (const auto* cpu = dynamic_cast<const CpuDevice*>(&session.device())) return cpu->threads();
  VYRE_TRY(const Profile profile, session.device().told_profile());
  return std::clamp(profile.multiprocessors * kGroupsPerMultiprocessor, 1U, kMostWorkers);
}

Result<FrontierWorkers> FrontierWorkers::make(const Session& session, FrontierCode& code,
                                              std::uint32_t workers) {
  FrontierWorkers out(session, code);
  VYRE_TRY(const std::uint32_t all, device_workers(session));
  out.workers_ = std::clamp(workers == 0 ? all : workers, 1U, kMostWorkers);
  out.on_host_ = is_host(session);
  if (!out.on_host_) {
    out.lanes_ = kGpuLanes;
    out.solo_lanes_ = kGpuSoloLanes;
    out.crowd_lanes_ = kGpuCrowdLanes;
    VYRE_TRY(const Profile profile, session.device().told_profile());
    out.crowd_ = std::bit_floor(std::min(profile.multiprocessors, kCrowd));
  } else if (groups_on_host) {
    out.lanes_ = out.solo_lanes_ = out.crowd_lanes_ = kHostLanes;
    out.crowd_ = std::bit_floor(std::min(out.workers_, kCrowd));
  }
  if (out.crowd_ < kLeastCrowd) out.crowd_ = 0;
  if (!out.in_groups()) {
    VYRE_TRY(out.control_, session.buffer(sizeof out.words));
    return out;
  }
  VYRE_TRY(out.control_, session.buffer(control::kGroupWords * 4));
  VYRE_TRY(out.inputs_, session.buffer(control::kInputs * 4));
  return out;
}

Result<void> FrontierWorkers::begin_run() {
  if (in_groups()) VYRE_CHECK(session_.clear(control_));
  bank_ = 0;
  bank_used_ = false;
  begin_round();
  return {};
}

void FrontierWorkers::begin_round() {
  std::fill(words.begin() + control::kInputs, words.end(), 0U);
  // The kernels that used the bank have cleared the next one.
  if (bank_used_) bank_ = (bank_ + 1) % control::kBanks;
  bank_used_ = false;
}

Result<const Dispatch*> FrontierWorkers::dispatch(FrontierKernel which, std::uint32_t workers,
                                                  const RunLimits& limits) {
  const std::uint32_t groups = in_groups()    ? std::bit_ceil(workers)
                               : workers == 1 ? kGroupsPerThread
                                              : kGroupsPerThread * workers_;
  const auto found = dispatches_.find({which, groups});
  if (found != dispatches_.end()) return &found->second;
  const bool together = which == FrontierKernel::crowd;
  const std::uint32_t lanes = together                        ? crowd_lanes_
                              : which == FrontierKernel::solo ? solo_lanes_
                                                              : lanes_;
  VYRE_TRY(const Kernel kernel, code_->kernel(which, lanes));
  std::vector<Binding> all = bindings;
  const auto bind = [&](EngineBuffer buffer, const Buffer& memory) {
    all.push_back({.group = code_->functions.group,
                   .binding = static_cast<std::uint32_t>(buffer),
                   .buffer = memory});
  };
  bind(EngineBuffer::control, control_);
  if (in_groups()) bind(EngineBuffer::inputs, inputs_);
  Variant variant{.workgroup = {lanes, 1, 1}};
  if (!in_groups()) variant.groups_per_task = kGroupsPerThread;
  if (in_groups() && on_host_) variant.gang_width = kSubgroupSize;
  VYRE_TRY(Dispatch made, session_.prepare(kernel, all, DispatchSize::workgroups({groups, 1, 1}),
                                           variant, limits));
  ++prepared_;
  if (together) {
    VYRE_TRY(made, session_.together(std::move(made)));
  }
  return &dispatches_.emplace(std::pair{which, groups}, std::move(made)).first->second;
}

Result<void> FrontierWorkers::launch_groups(const Dispatch& dispatch, const RunLimits& limits) {
  words[control::bank] = bank_;
  bank_used_ = true;
  const auto inputs = std::span(words).first(control::kInputs);
  VYRE_CHECK(session_.write_uniforms(inputs_, std::as_bytes(inputs)));
  return session_.submit(dispatch, limits);
}

Result<void> FrontierWorkers::launch(FrontierKernel which, const FrontierWork& work,
                                     const RunLimits& limits) {
  if (limits.stopped()) return fail(Code::device, "the graph program was stopped");
  const std::uint32_t workers = std::clamp(work.workers, 1U, workers_);
  VYRE_TRY(const Dispatch* const dispatch, this->dispatch(which, workers, limits));
  launched_ = std::max(launched_, workers);
  words[control::count] = work.count;
  if (in_groups()) {
    words[control::workers] = workers;
    // Vertices that a subgroup takes at a time.
    const std::uint32_t subgroups = workers * (lanes_ / kSubgroupSize);
    words[control::chunk] = std::clamp(work.count / subgroups, 1U, kSubgroupSize);
    return launch_groups(*dispatch, limits);
  }
  words[control::workers] = workers * kGroupsPerThread;
  words[control::chunk] = std::clamp(work.count / (workers * kChunks), 1U, std::max(work.most, 1U));
  words[control::cursor] = 0;
  std::memcpy(control_.host(), words.data(), sizeof words);
  VYRE_CHECK(session_.run(*dispatch, limits));
  std::memcpy(words.data(), control_.host(), sizeof words);
  return {};
}

// The error says so if the device does not run that many workgroups together.
Result<void> FrontierWorkers::try_crowd(std::uint32_t count, const RunLimits& limits) {
  VYRE_TRY(const Dispatch* const dispatch, this->dispatch(FrontierKernel::crowd, crowd_, limits));
  // The word at which they wait begins with 0.
  VYRE_CHECK(begin_run());
  words[control::count] = count;
  words[control::workers] = crowd_;
  words[control::chunk] = kCrowdLeast;
  return launch_groups(*dispatch, limits);
}

Result<bool> FrontierWorkers::launch_crowd(std::uint32_t count, const RunLimits& limits) {
  while (crowd_ >= kLeastCrowd) {
    if (limits.stopped()) return fail(Code::device, "the graph program was stopped");
    const Result<void> launched = try_crowd(count, limits);
    if (launched) {
      VYRE_CHECK(begin_run());
      return true;
    }
    const Code code = launched.error().code;
    if (code != Code::limit && code != Code::unavailable) return std::unexpected(launched.error());
    crowd_ = code == Code::limit ? crowd_ / 2 : 0;
  }
  VYRE_CHECK(begin_run());
  return false;
}

Result<void> FrontierWorkers::fetch() {
  if (!in_groups()) return {};
  const auto left = std::span(words).subspan(control::kInputs);
  return session_.read(control_, std::uint64_t{bank_} * control::kBankWords * 4,
                       std::as_writable_bytes(left));
}

}  // namespace vyre

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "vyre/device/cpu/cpu_device.h"
#include "vyre/frontier/workers_internal.h"

namespace vyre {
namespace {

// Each thread of the CPU runs workgroups in pairs, because a launch with one workgroup per task is
// cut as the device likes. The second of a pair finds no work left.
constexpr std::uint32_t kGroupsPerThread = 2;
constexpr std::uint32_t kGpuLanes = 128;
constexpr std::uint32_t kMostWorkers = 4096;
// Chunks for each worker, so that none is left with much when the others are done.
constexpr std::uint32_t kChunks = 8;

}  // namespace

Result<std::uint32_t> device_workers(const Session& session) {
  if (const auto* cpu = dynamic_cast<const CpuDevice*>(&session.device())) return cpu->threads();
  VYRE_TRY(const Profile profile, session.device().told_profile());
  return std::clamp(profile.multiprocessors * 4, 1U, kMostWorkers);
}

Result<FrontierWorkers> FrontierWorkers::make(const Session& session, FrontierCode& code,
                                              std::uint32_t workers) {
  FrontierWorkers out(session, code);
  VYRE_TRY(const std::uint32_t all, device_workers(session));
  out.workers_ = std::clamp(workers == 0 ? all : workers, 1U, kMostWorkers);
  out.on_host_ = session.device().target().kind == TargetKind::host;
  out.lanes_ = out.on_host_ ? 1 : kGpuLanes;
  VYRE_TRY(out.control_, session.buffer(sizeof out.words));
  return out;
}

void FrontierWorkers::begin_round() {
  std::fill(words.begin() + control::kInputs, words.end(), 0U);
}

Result<const Dispatch*> FrontierWorkers::dispatch(FrontierKernel which, bool alone,
                                                  const RunLimits& limits) {
  auto& slot = dispatches_[static_cast<std::size_t>(which)][alone ? 1 : 0];
  if (slot) return &*slot;
  VYRE_TRY(const Kernel kernel, code_->kernel(which, lanes_));
  std::vector<Binding> all = bindings;
  all.push_back({.group = code_->functions.group,
                 .binding = static_cast<std::uint32_t>(EngineBuffer::control),
                 .buffer = control_});
  const std::uint32_t each = on_host_ ? kGroupsPerThread : 1;
  const Variant variant{.workgroup = {lanes_, 1, 1}, .gang_width = 1, .groups_per_task = each};
  VYRE_TRY(slot, session_.prepare(kernel, all,
                                  DispatchSize::workgroups({each * (alone ? 1 : workers_), 1, 1}),
                                  variant, limits));
  ++prepared_;
  return &*slot;
}

Result<void> FrontierWorkers::launch(FrontierKernel which, const FrontierWork& work,
                                     const RunLimits& limits) {
  if (limits.stopped()) return fail(Code::device, "the graph program was stopped");
  const std::uint32_t workers = std::clamp(work.workers, 1U, workers_);
  VYRE_TRY(const Dispatch* const dispatch, this->dispatch(which, workers == 1, limits));
  words[control::count] = work.count;
  words[control::workers] = workers * (on_host_ ? kGroupsPerThread : 1);
  words[control::chunk] =
      std::clamp(work.count / (workers * lanes_ * kChunks), 1U, std::max(work.most, 1U));
  words[control::cursor] = 0;
  if (on_host_) {
    std::memcpy(control_.host(), words.data(), sizeof words);
    VYRE_CHECK(session_.run(*dispatch, limits));
    std::memcpy(words.data(), control_.host(), sizeof words);
    return {};
  }
  VYRE_CHECK(session_.write(control_, 0, std::as_bytes(std::span(words))));
  VYRE_CHECK(session_.run(*dispatch, limits));
  return session_.read(control_, 0, std::as_writable_bytes(std::span(words)));
}

}  // namespace vyre

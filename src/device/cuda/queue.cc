#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/core_internal.h"
#include "vyre/device/cuda/deadlines_internal.h"
#include "vyre/device/cuda/graph_internal.h"
#include "vyre/device/cuda/launch_notes_internal.h"
#include "vyre/device/cuda/recording_internal.h"
#include "vyre/device/cuda/staging_internal.h"
#include "vyre/device/together.h"

namespace vyre {
namespace {

class CudaEvent final : public Event {
 public:
  CudaEvent(std::shared_ptr<CudaCore> core, SharedEvent event)
      : core_(std::move(core)), event_(std::move(event)) {}

  Result<bool> ready() override {
    CurrentContext current(core_->context);
    if (!current) return current.error();
    const CuResult result = core_->driver.event_query(event_.get());
    if (result == cu::kNotReady) return false;
    VYRE_CHECK(core_->context.check(result, "cuEventQuery"));
    return true;
  }

  Result<void> wait() override {
    CurrentContext current(core_->context);
    if (!current) return current.error();
    return core_->context.check(core_->driver.event_synchronize(event_.get()),
                                "cuEventSynchronize");
  }

  Result<std::chrono::nanoseconds> since(const Event& earlier) override {
    const auto* other = dynamic_cast<const CudaEvent*>(&earlier);
    if (other == nullptr || other->core_ != core_) {
      return fail(Code::invalid_input, "the events are of different devices");
    }
    CurrentContext current(core_->context);
    if (!current) return current.error();
    float milliseconds = 0;
    const CuResult result =
        core_->driver.event_elapsed(&milliseconds, other->event_.get(), event_.get());
    if (result == cu::kNotReady) {
      return fail(Code::invalid_input, "the time between events that are not both ready is unknown",
                  "wait for them first");
    }
    VYRE_CHECK(core_->context.check(result, "cuEventElapsedTime"));
    return std::chrono::nanoseconds(std::llround(double{milliseconds} * 1e6));
  }

 private:
  std::shared_ptr<CudaCore>
      core_;  // declared before the event, which returns to a pool of the core
  SharedEvent event_;
};

// What work in the stream may still use after the queue is destroyed.
struct QueueParts {
  QueueParts(CudaCore& core, CuStream stream)
      : staging(core.context, core.pinned, core.untimed, stream),
        deadlines(core.context, core.pinned, core.untimed, stream) {}
  void release() {
    staging.release();
    deadlines.release();
  }

  Staging staging;
  Deadlines deadlines;
};

constexpr std::uint32_t kMostNodes = 512;  // of a graph

bool overlap(BoundMemory a, BoundMemory b) {
  return a.address < b.address + a.bytes && b.address < a.address + a.bytes;
}

}  // namespace

class CudaQueue final : public Queue {
 public:
  CudaQueue(std::shared_ptr<CudaCore> core, CuStream stream, bool own)
      : core_(std::move(core)),
        stream_(stream),
        own_(own),
        parts_(std::make_shared<QueueParts>(*core_, stream)) {
    core_->reclaim.add_stream(stream_, notes_);
  }
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  Result<void> launch(const Launch& l) override;
  Result<std::chrono::nanoseconds> time(const Launch& l, std::uint32_t times) override;
  Result<void> write(BoundMemory to, std::span<const std::byte> from) override;
  Result<void> read(BoundMemory from, std::span<std::byte> to) override;
  Result<void> copy(BoundMemory from, BoundMemory to) override;
  Result<void> clear(BoundMemory memory) override;
  Result<std::shared_ptr<Event>> record() override;
  Result<std::shared_ptr<WorkRecording>> record_work(std::span<const WorkItem> items) override;
  Result<void> play(WorkRecording& recording, const PlayLimits& limits) override;
  Result<void> wait() override;
  bool known_idle() const override { return notes_->all_settled(); }
  bool is_idle() const override;
  bool is_lent() const override { return !own_; }

 private:
  bool fits(const Launch& l, const CudaCode& code) const {
    const Limits& most = core_->limits;
    return code.core() == core_.get() && l.bindings.size() >= code.layout().bindings() &&
           l.grid[0] <= most.max_grid_dim[0] && l.grid[1] <= most.max_grid_dim[1] &&
           l.grid[2] <= most.max_grid_dim[2] && l.workgroup[0] <= most.max_block_dim[0] &&
           l.workgroup[1] <= most.max_block_dim[1] && l.workgroup[2] <= most.max_block_dim[2] &&
           std::uint64_t{l.workgroup[0]} * l.workgroup[1] * l.workgroup[2] <= code.max_threads();
  }
  std::unexpected<Error> misfit(const Launch& l, const CudaCode& code) const;
  // Waits for the zeroing of all memory allocated so far.
  Result<void> order() {
    const std::uint64_t allocations = core_->memory.allocations();
    if (allocations <= notes_->newest_allocation()) [[likely]]
      return {};
    if (CuEvent zeroed = core_->memory.zeroed(); zeroed != nullptr) {
      VYRE_CHECK(core_->context.check(core_->driver.stream_wait_event(stream_, zeroed, 0),
                                      "cuStreamWaitEvent"));
    }
    notes_->raise_newest_allocation(allocations);
    return {};
  }
  Result<void> submit(const Launch& l, const CudaCode& code, const LaunchWords& words);
  Result<void> submit_together(const Launch& l, const CudaCode& code, void** parameters);
  Result<void> submit_with_deadline(const Launch& l, const CudaCode& code);

  std::shared_ptr<CudaCore> core_;
  CuStream stream_;
  bool own_;
  std::shared_ptr<LaunchNotes> notes_ = std::make_shared<LaunchNotes>();
  std::shared_ptr<QueueParts> parts_;
};

CudaQueue::~CudaQueue() {
  CurrentContext current(core_->context);
  const auto dropped = attempt_work([&] { core_->reclaim.drop_stream(stream_, notes_); });
  // Without memory to remember the queue's last work, the queue must wait for this work here.
  if (!dropped && current) core_->driver.stream_synchronize(stream_);
  core_->reclaim.retire(ReleaseWhen::passed, 0, [parts = parts_] { parts->release(); });
  if (own_ && current) core_->driver.stream_destroy(stream_);
}

std::unexpected<Error> CudaQueue::misfit(const Launch& l, const CudaCode& code) const {
  const std::string& device = core_->context.name();
  if (code.core() != core_.get()) {
    return fail(Code::invalid_input,
                fmt::format("kernel '{}' was not loaded by this {}", l.kernel, device));
  }
  if (l.bindings.size() < code.layout().bindings()) {
    return fail(Code::invalid_input,
                fmt::format("kernel '{}' takes {} bindings; the launch has {}", l.kernel,
                            code.layout().bindings(), l.bindings.size()));
  }
  const Limits& most = core_->limits;
  const auto triple = [](const Extent& e) { return fmt::format("{}x{}x{}", e[0], e[1], e[2]); };
  for (unsigned i = 0; i < 3; ++i) {
    if (l.grid[i] <= most.max_grid_dim[i]) continue;
    return fail(Code::limit,
                fmt::format("kernel '{}' has a grid of {} workgroups; {} allows {}", l.kernel,
                            triple(l.grid), device, triple(most.max_grid_dim)),
                "use larger workgroups, more items per lane, or several launches");
  }
  return fail(Code::limit,
              fmt::format("kernel '{}' has workgroups of {}; {} allows {}, and {} threads for this "
                          "kernel's {} registers",
                          l.kernel, triple(l.workgroup), device, triple(most.max_block_dim),
                          code.max_threads(), code.facts().registers),
              "use smaller workgroups");
}

Result<void> CudaQueue::submit(const Launch& l, const CudaCode& code, const LaunchWords& words) {
  std::array<void*, kMaxParameters>
      parameters;  // as many entries are filled as the kernel has parameters
  code.layout().fill(parameters.data(), l, words);
  if (l.together) [[unlikely]]
    return submit_together(l, code, parameters.data());
  const CuResult result = core_->driver.launch_kernel(
      code.function(), l.grid[0], l.grid[1], l.grid[2], l.workgroup[0], l.workgroup[1],
      l.workgroup[2], code.dynamic_shared(), stream_, parameters.data(), nullptr);
  if (result != cu::kSuccess) [[unlikely]] {
    return std::unexpected(core_->context.error_of(result, "cuLaunchKernel", l.kernel));
  }
  notes_->add(l.kernel);
  return {};
}

Result<void> CudaQueue::submit_together(const Launch& l, const CudaCode& code, void** parameters) {
  if (core_->driver.launch_together == nullptr) {
    return fail(Code::unavailable, "this driver cannot run all workgroups of a launch at once",
                "use a driver for CUDA 9 or newer");
  }
  const CuResult result = core_->driver.launch_together(
      code.function(), l.grid[0], l.grid[1], l.grid[2], l.workgroup[0], l.workgroup[1],
      l.workgroup[2], code.dynamic_shared(), stream_, parameters);
  if (result == cu::kTooLargeTogether) {
    VYRE_TRY(const Occupancy fits, code_occupancy(*core_, code, l.workgroup));
    const std::uint64_t groups = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
    return too_many_together(l.kernel, groups, core_->context.name(), fits.groups_at_once);
  }
  if (result != cu::kSuccess) {
    return std::unexpected(core_->context.error_of(result, "cuLaunchCooperativeKernel", l.kernel));
  }
  notes_->add(l.kernel);
  return {};
}

Result<void> CudaQueue::submit_with_deadline(const Launch& l, const CudaCode& code) {
  LaunchWords words;
  VYRE_TRY(words.deadline, core_->clock.in(*l.deadline));
  const auto lock = parts_->deadlines.lock();
  VYRE_TRY(words.status, parts_->deadlines.take(l.kernel, l.asked.value_or(*l.deadline)));
  return submit(l, code, words);
}

Result<void> CudaQueue::launch(const Launch& l) {
  const auto& code = static_cast<const CudaCode&>(*l.code);
  if (is_empty(l)) return {};
  if (!fits(l, code)) [[unlikely]]
    return misfit(l, code);
  CurrentContext current(core_->context);
  if (!current) [[unlikely]]
    return current.error();
  VYRE_CHECK(order());
  if (l.deadline && code.layout().takes_deadline()) return submit_with_deadline(l, code);
  return submit(l, code, {.deadline = kNoDeadline, .status = core_->ignored_status.address});
}

// Uses one or several graphs if the driver has them. A launch with its own deadline, or whose
// workgroups wait for each other, cannot be in a graph.
Result<std::chrono::nanoseconds> CudaQueue::time(const Launch& l, std::uint32_t times) {
  const auto& code = static_cast<const CudaCode&>(*l.code);
  const bool plain = !l.together && (!l.deadline || !code.layout().takes_deadline());
  if (times < 2 || is_empty(l) || !plain || !has_graphs(core_->driver))
    return Queue::time(l, times);
  if (!fits(l, code)) return misfit(l, code);
  CurrentContext current(core_->context);
  if (!current) return current.error();
  VYRE_CHECK(order());
  const LaunchWords words{.deadline = kNoDeadline, .status = core_->ignored_status.address};
  const std::uint32_t nodes = std::min(times, kMostNodes);
  VYRE_TRY(const SharedGraph graph, make_graph(*core_, code, l, words, nodes));
  VYRE_CHECK(
      core_->context.check(core_->driver.graph_upload(graph.get(), stream_), "cuGraphUpload"));
  VYRE_TRY(const auto begin, record());
  for (std::uint32_t i = 0; i < times / nodes; ++i) {
    const CuResult result = core_->driver.graph_launch(graph.get(), stream_);
    if (result != cu::kSuccess) {
      return std::unexpected(core_->context.error_of(result, "cuGraphLaunch", l.kernel));
    }
    notes_->add(l.kernel);
  }
  for (std::uint32_t i = 0; i < times % nodes; ++i) VYRE_CHECK(submit(l, code, words));
  VYRE_TRY(const auto end, record());
  VYRE_CHECK(end->wait());
  return end->since(*begin);
}

Result<void> CudaQueue::write(BoundMemory to, std::span<const std::byte> from) {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  VYRE_CHECK(order());
  return parts_->staging.write(to, from);
}

Result<void> CudaQueue::read(BoundMemory from, std::span<std::byte> to) {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  VYRE_CHECK(order());
  const std::uint64_t launched = notes_->added();
  const std::uint64_t timed = parts_->deadlines.taken();
  if (to.empty()) return wait();
  VYRE_CHECK(parts_->staging.read(from, to));
  notes_->settle(launched);
  return parts_->deadlines.settle(timed);
}

Result<void> CudaQueue::copy(BoundMemory from, BoundMemory to) {
  if (from.bytes == 0 || from.address == to.address) return {};
  CurrentContext current(core_->context);
  if (!current) return current.error();
  const CudaDriver& driver = core_->driver;
  const auto move = [&](CuAddress target, CuAddress source) {
    return core_->context.check(driver.copy_on_device(target, source, from.bytes, stream_),
                                "cuMemcpyDtoDAsync");
  };
  if (!overlap(from, to)) {
    VYRE_CHECK(order());
    return move(to.address, from.address);
  }
  // The device copies the bytes in any order, so overlapping ranges go through other memory.
  VYRE_TRY(const DeviceMemory between, core_->memory.allocate(from.bytes, core_));
  VYRE_CHECK(order());
  VYRE_CHECK(move(between.address, from.address));
  return move(to.address, between.address);
}

Result<void> CudaQueue::clear(BoundMemory memory) {
  if (memory.bytes == 0) return {};
  CurrentContext current(core_->context);
  if (!current) return current.error();
  VYRE_CHECK(order());
  const bool words = memory.address % 4 == 0 && memory.bytes % 4 == 0;
  return core_->context.check(
      words ? core_->driver.set_words(memory.address, 0, memory.bytes / 4, stream_)
            : core_->driver.set_bytes(memory.address, 0, memory.bytes, stream_),
      "cuMemsetAsync");
}

Result<std::shared_ptr<Event>> CudaQueue::record() {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  VYRE_TRY(SharedEvent event, take_shared(core_->timed));
  VYRE_CHECK(
      core_->context.check(core_->driver.event_record(event.get(), stream_), "cuEventRecord"));
  return std::make_shared<CudaEvent>(core_, std::move(event));
}

Result<std::shared_ptr<WorkRecording>> CudaQueue::record_work(std::span<const WorkItem> items) {
  VYRE_CHECK(check_items(items));
  for (const WorkItem& item : items) {
    if (item.kind != WorkItem::Kind::launch || is_empty(item.launch)) continue;
    const auto& code = static_cast<const CudaCode&>(*item.launch.code);
    if (!fits(item.launch, code)) return misfit(item.launch, code);
  }
  CurrentContext current(core_->context);
  if (!current) return current.error();
  return CudaRecording::make(core_, items);
}

Result<void> CudaQueue::play(WorkRecording& recording, const PlayLimits& limits) {
  auto* own = dynamic_cast<CudaRecording*>(&recording);
  if (own == nullptr || own->core() != core_.get()) {
    return fail(Code::invalid_input,
                fmt::format("the recording was not made by this {}", core_->context.name()));
  }
  CurrentContext current(core_->context);
  if (!current) return current.error();
  VYRE_CHECK(order());
  int capturing = 0;
  if (!own_) {
    VYRE_CHECK(core_->context.check(core_->driver.stream_is_capturing(stream_, &capturing),
                                    "cuStreamIsCapturing"));
  }
  return own->play(*this, stream_, capturing != 0, *notes_, limits);
}

bool CudaQueue::is_idle() const {
  if (known_idle()) return true;
  CurrentContext current(core_->context);
  return !current || core_->driver.stream_query(stream_) != cu::kNotReady;
}

Result<void> CudaQueue::wait() {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  const std::uint64_t launched = notes_->added();
  const std::uint64_t timed = parts_->deadlines.taken();
  VYRE_CHECK(
      core_->context.check(core_->driver.stream_synchronize(stream_), "cuStreamSynchronize"));
  notes_->settle(launched);
  if (timed != 0 && core_->clock.stale() && core_->reclaim.idle()) {
    core_->clock.refresh();
  }
  if (core_->reclaim.anything_retired()) core_->reclaim.sweep();
  return parts_->deadlines.settle(timed);
}

Result<std::shared_ptr<Queue>> make_cuda_queue(const std::shared_ptr<CudaCore>& core,
                                               std::optional<CuStream> lent) {
  CurrentContext current(core->context);
  if (!current) return current.error();
  core->reclaim.sweep();
  if (lent) return std::make_shared<CudaQueue>(core, *lent, false);
  CuStream stream = nullptr;
  VYRE_CHECK(core->context.check(core->driver.stream_create(&stream, cu::kStreamNonBlocking),
                                 "cuStreamCreate"));
  return std::make_shared<CudaQueue>(core, stream, true);
}

}  // namespace vyre

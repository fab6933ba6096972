// A Session is an open device with its compiled kernels, buffers and launches.
//
//   VYRE_TRY(auto session, Session::open("auto", *SessionOptions::from_environment()));
//   VYRE_TRY(auto x, session.buffer(bytes));
//   VYRE_CHECK(session.write(x, 0, data));
//   VYRE_TRY(auto dispatch, session.prepare(kernel, bindings, DispatchSize::extent({n, 1, 1})));
//   VYRE_CHECK(session.run(dispatch));
//
// A Session is a handle: copies share everything. All functions may be called from many threads at
// once. Work of one session runs in the order of the calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/device/device.h"
#include "vyre/engine/code/code_store.h"
#include "vyre/engine/kernel_values.h"
#include "vyre/engine/tuned/host_copy.h"
#include "vyre/engine/tuned/tuning.h"
#include "vyre/ir/kernel.h"
#include "vyre/plan/planner.h"
#include "vyre/target/variant.h"

namespace vyre {

struct BoundStages;
struct CallContext;
struct CodeNeeds;
class DefaultGangs;
struct DimValue;
struct FusedSpace;
struct LaunchBands;
struct Pipeline;
struct PipelinePlan;
class PipelineBuilder;
struct PipelineOptions;
class PreparedPipeline;
struct ReadyPipeline;
class RecordedPlay;
class ServedLaunches;
struct ServedLaunch;
struct TunedCandidate;
class TunedKernel;
class Tuning;
class WgslEntry;

// Memory of the device. A Buffer is a handle: copies share the memory, and the last one frees it.
class Buffer {
 public:
  std::uint64_t size() const { return memory_.bytes; }
  // The bytes in the host's memory, if the device computes there (on the CPU); otherwise null.
  std::byte* host() const { return memory_.host; }
  std::uint64_t address() const { return memory_.address; }

 private:
  friend class Session;
  friend class RecordedPlay;
  DeviceMemory memory_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<HostCopy> copy_;  // of a small buffer in device memory
};

// A buffer, or a part of it, for one (group, binding) of a kernel.
struct Binding {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  Buffer buffer;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> bytes{};  // absent: to the buffer's end
  // False: the caller has written nothing to the buffer. The plan then calls a writable buffer an
  // output instead of an input_output.
  bool initialised = true;
};

// Three numbers of the type u32 in a buffer: the workgroups along x, y and z. They are read when
// the launch begins.
struct IndirectGrid {
  Buffer buffer;
  std::uint64_t offset = 0;  // a multiple of 4
};

// GPU code that vyre did not compile: PTX or a cubin, with a description of its parameters. The
// slot of a parameter is the rank of a binding by (group, binding).
struct OwnKernel {
  std::string name;
  GpuCode code;
  Extent workgroup{1, 1, 1};
  Extent covers{0, 0, 0};  // invocations of one workgroup along each axis; 0: as `workgroup`
};

// One of several launches that run one after the other, with what it needs.
struct StageLaunch {
  Kernel kernel;
  std::vector<Binding> bindings;
  Extent extent{1, 1, 1};
  std::vector<Buffer> cleared{};  // set to zeros before the launch
};

// A launch that fuses others, and these others in their order. Both leave the same results.
struct FusedStages {
  StageLaunch fused;
  std::vector<StageLaunch> parts;
};

// Whether the fused launch or its stages serve, and the times of both; a time is absent if it was
// not measured.
struct FusionChoice {
  bool fused = true;
  bool settled = false;
  std::string reason{};
  std::optional<CandidateTime> fused_time{}, apart_time{};
};

// A launch that is ready to run: the data of a dispatch, for the functions of the engine.
struct LaunchStep {
  struct Uniform {  // each launch takes its contents by value
    std::uint32_t slot = 0, bytes = 0;
    std::uint64_t offset = 0;
    BoundMemory memory;              // of the whole buffer
    std::shared_ptr<HostCopy> copy;  // of its contents
  };

  std::shared_ptr<Device> device;
  std::shared_ptr<const PlanDevice> plan_device;
  LaunchPlan plan;  // as prepared; a tuned launch may have another variant and grid by now
  DispatchSize size;
  std::optional<BoundMemory> groups;  // present: the grid is read from this memory
  std::vector<BoundMemory> bindings;  // by slot
  std::vector<Buffer> buffers;        // kept alive
  std::vector<Uniform> uniforms;
  std::vector<std::uint32_t> by_value;             // the slots of `uniforms`
  std::vector<std::shared_ptr<HostCopy>> written;  // host copies that a launch makes stale
  // If the plan is fixed: its code.
  std::shared_ptr<const LoadedCode> code;
  CodeSource source = CodeSource::compiled;
  bool together = false;  // Launch::together
  // If the launch is tuned: its candidates, and those that have served this dispatch.
  std::shared_ptr<TunedKernel> tuned;
  std::shared_ptr<ServedLaunches> served;
};

// A kernel with its code, bindings and size, which can be run any number of times. Running
// allocates nothing. A Dispatch keeps its code and its buffers alive.
//
// The plan, variant, grid and facts of a tuned dispatch are those of the best variant known at the
// moment of the call.
class Dispatch {
 public:
  Dispatch() = default;  // running it is an error

  const std::string& kernel() const { return step_.plan.kernel; }
  // What a call launches, and where each choice comes from. plan_text and plan_json render it.
  LaunchPlan plan() const;
  // The plan of each launch of a call, which may launch several kernels one after the other: the
  // stages of a fused launch. `plan`, `variant`, `grid` and `facts` are those of the first one.
  std::vector<LaunchPlan> plans() const;
  const Variant& variant() const;
  CodeSource code_source() const;
  CodeFacts facts() const;
  Extent grid() const;
  Extent extent() const { return step_.plan.extent; }
  // What the tuner knows about this launch; absent if the caller fixed the variant.
  std::optional<TuningView> tuning() const;
  // Absent if the dispatch is not a fused launch that may also run as its stages.
  std::optional<FusionChoice> fusion() const;

 private:
  friend class Session;
  friend class RecordedPlay;
  explicit Dispatch(LaunchStep step) : step_(std::move(step)) {}
  LaunchStep step_;
};

struct RunLimits {
  std::optional<std::chrono::nanoseconds> deadline{};  // counted from the call
  std::atomic<std::uint32_t>* stop =
      nullptr;  // when another thread sets it, launches on the CPU end
  // The deadline that messages name, if an earlier call has used up a part of it.
  std::optional<std::chrono::nanoseconds> asked{};

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed) != 0; }
  // The limits of work that begins now.
  WorkLimits for_work() const;
  // The limits that are left for a call now, if the deadline counts from `begin`.
  RunLimits counted_from(std::chrono::steady_clock::time_point begin) const;
  // The deadline becomes `most` if it is later or absent.
  void shorten(std::chrono::nanoseconds most);
};

struct SessionOptions {
  CpuOptions cpu;
  // The folder that keeps compiled code; absent: no code is kept on disk.
  std::optional<std::filesystem::path> code_folder{};
  // Absent: nothing is tuned, and no evidence is used.
  std::optional<TuningOptions> tuning{};

  // VYRE_THREADS, VYRE_AUTOTUNER and the user's cache folder.
  static Result<SessionOptions> from_environment();
};

class Session {
 public:
  // `device` is a name from `list_devices` ("cpu", "cuda:0"), "null", or "auto" for the fastest
  // one.
  static Result<Session> open(std::string_view device, SessionOptions options);
  // On a device that is already open, such as a NullDevice whose records a test reads.
  static Result<Session> open(std::shared_ptr<Device> device, SessionOptions options);

  Device& device() const { return *device_; }

  Result<Buffer> buffer(std::uint64_t bytes) const;  // filled with zeros
  // Uses memory that the caller owns, and that must outlive the Buffer and every Dispatch that
  // binds it: host memory on the CPU, an address in the device's memory on a GPU.
  Result<Buffer> adopt(std::span<std::byte> memory) const;
  Result<Buffer> adopt(std::uint64_t address, std::uint64_t bytes) const;

  // These take place after everything that was submitted before. The caller may reuse `bytes` when
  // the call returns. A range that is not wholly inside the buffer is an error.
  Result<void> write(const Buffer& buffer, std::uint64_t offset,
                     std::span<const std::byte> bytes) const;
  // For a buffer of at most HostCopy::kMost bytes that kernels bind only as uniforms, whose
  // contents a GPU gets with each launch: they are not copied into its memory.
  Result<void> write_uniforms(const Buffer& buffer, std::span<const std::byte> bytes) const;
  Result<void> read(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes) const;
  Result<void> clear(const Buffer& buffer) const;
  Result<void> clear(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) const;
  Result<void> copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                    std::uint64_t to_offset, std::uint64_t bytes) const;

  // Plans the launch, and compiles it if need be. If the caller fixes nothing, the order of
  // authority in plan/launch_plan.h decides, and a session that tunes searches from there on. A
  // whole Variant fixes everything. The limits hold for compiling: if they end it, the error has
  // Code::device, like that of a launch that was stopped.
  Result<Dispatch> prepare(const Kernel& kernel, std::span<const Binding> bindings,
                           DispatchSize size, const FixedChoices& fixed = {},
                           const RunLimits& limits = {}) const;
  // The same launch with all workgroups at once, so that they may wait for each other. Where the
  // device does not run as many at once, the error says how many it does. The variant is fixed.
  Result<Dispatch> together(Dispatch dispatch) const;
  // Prepares the program with one of several settings of its overrides, and searches for the
  // fastest. `identity` names the program in the evidence for all settings. All kernels have the
  // same bindings. The size is in invocations unless all kernels declare the same workgroup.
  Result<Dispatch> prepare(std::string_view identity, std::span<const KernelChoice> choices,
                           std::span<const Binding> bindings, DispatchSize size,
                           const RunLimits& limits = {}) const;
  // Each call reads the grid from a buffer, after everything that was submitted before has ended.
  // An axis of 0 runs nothing. With a grid beyond the device's limits the call fails and nothing
  // runs. The variant is fixed.
  Result<Dispatch> prepare(const Kernel& kernel, std::span<const Binding> bindings,
                           const IndirectGrid& grid, const FixedChoices& fixed = {},
                           const RunLimits& limits = {}) const;
  // Prepares a pipeline for any number of runs, from a builder and the sizes of its dims, or as
  // parsed. include/vyre/pipeline.h is its interface.
  Result<PreparedPipeline> prepare(PipelineBuilder pipeline, std::initializer_list<DimValue> dims,
                                   const RunLimits& limits = {}) const;
  Result<PreparedPipeline> prepare(Pipeline pipeline, const PipelineOptions& options,
                                   const RunLimits& limits = {}) const;
  // Prepares a fused launch and its parts as candidates of one search, whose evidence belongs to
  // this group of stages. Without `may_run_apart` the parts only name the group and need no
  // bindings, and the caller clears what the fused launch needs cleared.
  Result<Dispatch> prepare(const FusedStages& stages, bool may_run_apart,
                           const RunLimits& limits = {}) const;
  // Whether this session may run the parts: it searches, or the evidence has chosen them.
  bool may_run_apart(const FusedStages& stages) const;
  // What `prepare` would launch first: the fused kernel, or its stages.
  Result<std::vector<LaunchPlan>> plan(const FusedStages& stages, bool may_run_apart,
                                       const RunLimits& limits = {}) const;
  // What each launch of a pipeline would launch first. No memory is allocated for its buffers. On a
  // GPU, variants that nobody has measured may be compiled, as below.
  Result<std::vector<std::vector<LaunchPlan>>> plan(const ReadyPipeline& pipeline,
                                                    const PipelinePlan& plan,
                                                    const RunLimits& limits = {}) const;
  // Which of these launches run a band of rows at a time, where nothing is tuned any more. Empty:
  // they run one after the other.
  std::vector<LaunchBands> plan_bands(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                                      std::span<const std::vector<LaunchPlan>> runs) const;
  // What `prepare` would launch first. Allocates and launches nothing. On a GPU a variant that
  // nobody has measured may be compiled, to find out whether its code spills registers.
  Result<LaunchPlan> plan(const Kernel& kernel, std::span<const BindingBytes> bindings,
                          DispatchSize size, const FixedChoices& fixed = {}) const;
  // Only on a GPU. The grid covers the size; the kernel itself must ignore invocations beyond it.
  Result<Dispatch> prepare(const OwnKernel& kernel, std::span<const Binding> bindings,
                           DispatchSize size) const;
  // The declared variant; on the CPU with the gang that suits the code best before any measurement.
  Variant default_variant(const Kernel& kernel) const;
  // Every candidate of a search, the declared variant first.
  std::vector<Variant> variants(const Kernel& kernel, DispatchSize size) const;
  // Why a variant cannot run the kernel here; empty when it can.
  std::string why_not(const Kernel& kernel, const Variant& variant) const;

  // Returns when the launch has ended. A launch that passes its deadline is stopped, which is an
  // error; the session stays usable.
  Result<void> run(const Dispatch& dispatch, const RunLimits& limits = {}) const;
  // Runs a kernel once on the host's values, by the names of its variables; the results are in the
  // values when it returns.
  Result<void> run(const Kernel& kernel, std::initializer_list<KernelValue> values,
                   DispatchSize size, const RunLimits& limits = {}) const;
  Result<void> run(const WgslEntry& entry, std::initializer_list<KernelValue> values,
                   DispatchSize size, const RunLimits& limits = {}) const;
  Result<void> run(PreparedPipeline& pipeline, const RunLimits& limits = {}) const;
  // Returns as soon as the launch is queued; `wait`, or the next read, reports its failure.
  Result<void> submit(const Dispatch& dispatch, const RunLimits& limits = {}) const;
  // The device's time for one launch: the mean of `launches` consecutive ones, which this call
  // waits for. For a tuned dispatch the best variant is timed, and no candidate is tried.
  Result<std::chrono::nanoseconds> time(const Dispatch& dispatch, std::uint32_t launches = 1) const;
  // In the mode `on`: measures the candidates now instead of in the first call, on the present
  // contents of the buffers, which stay as they are. In other modes this does nothing.
  Result<void> measure(const Dispatch& dispatch, const RunLimits& limits = {}) const;
  // Returns when no background compilation is left.
  void wait_for_compilers() const;
  Result<std::shared_ptr<Event>> record() const { return queue_->record(); }
  Result<void> wait() const { return queue_->wait(); }
  // Returns when everything that tuning has learned is in the evidence file. The error says how
  // much could not be written, and why; it is kept, and the next save tries again.
  Result<void> save() const;

 private:
  friend class RecordedPlay;
  Result<LaunchStep> bind(const Kernel& kernel, std::span<const Binding> bindings) const;
  Result<BoundMemory> part(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) const;
  void choose_uniforms(const Kernel& kernel, std::span<const Binding> bindings,
                       LaunchStep& out) const;
  Result<void> check_dispatch(const Dispatch& dispatch) const;
  Result<Dispatch> prepare_launch(const LaunchRequest& request, std::span<const Binding> bindings,
                                  const WorkLimits& limits,
                                  std::optional<BoundMemory> groups = {}) const;
  Result<void> compile(LaunchStep& step, const Kernel& kernel, const WorkLimits& limits) const;
  Result<FusedSpace> space_of(const FusedStages& stages, std::span<const CodeNeeds> needs,
                              const WorkLimits& limits) const;
  Result<BoundStages> bind_stages(const FusedStages& stages, const WorkLimits& limits) const;
  LaunchRequest fused_request(const FusedStages& stages, const KernelChoice& only) const;
  Result<LaunchPlan> plan_indirect(const Kernel& kernel,
                                   std::span<const BindingBytes> bindings) const;
  Buffer stand_in(std::uint64_t address, std::uint64_t bytes) const;
  CodeFactsOf code_facts(const CodeNeeds& needs, const WorkLimits& limits) const;
  CodeNeeds needs_of(const Kernel& kernel, std::span<const BindingBytes> bindings) const;
  std::vector<std::uint32_t> default_gangs(std::span<const KernelChoice> choices) const;
  PlanMemory plan_memory(const WorkLimits& limits = {}) const;
  CallContext call_context() const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CodeStore> codes_;
  std::shared_ptr<const PlanDevice> plan_device_;
  std::shared_ptr<DefaultGangs> gangs_;
  std::shared_ptr<EvidenceStore> evidence_;  // null: no evidence is used
  std::optional<TuningOptions> tuning_options_;
  std::shared_ptr<Tuning> tuning_;  // null: nothing is tuned
  LaunchCosts costs_;
  bool on_host_ = false;  // the device computes in the host's memory
};

}  // namespace vyre

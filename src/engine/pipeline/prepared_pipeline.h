// A pipeline on a device: memory, code and launches are ready. Run it again and again:
//
//   VYRE_TRY(auto pipeline, session.prepare(std::move(builder), {{w, 640}, {h, 480}}));
//   VYRE_CHECK(pipeline.write(image, pixels));
//   VYRE_CHECK(session.run(pipeline));  // allocates nothing
//   VYRE_CHECK(pipeline.read(edges, out));
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vyre/engine/pipeline/recorded_play.h"
#include "vyre/engine/session.h"
#include "vyre/pipeline/pipeline_builder.h"
#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

struct PipelineOptions {
  ReadyOptions ready;        // sizes, data and files instead of what the pipeline says
  PipelinePlanOptions plan;  // fusion, and the budget of memory
};

// One thread at a time may use a PreparedPipeline.
class PreparedPipeline {
 public:
  // Allocates memory, writes sources and uniforms, and compiles. The limits hold for compiling,
  // here and below: where they end it, the call has failed.
  static Result<PreparedPipeline> make(const Session& session,
                                       std::shared_ptr<const ReadyPipeline> pipeline,
                                       std::shared_ptr<const PipelinePlan> plan,
                                       const RunLimits& limits = {});

  // Returns when the last launch has ended. Buffers that the caller fills keep their contents
  // between runs; all others begin with zeros. After a run that failed or was interrupted, buffers
  // hold what its launches had written by then. Names that change places in a loop are then as
  // after its last complete round or, if the device got all rounds at once, as before the run. The
  // next run continues from there.
  Result<void> run(const RunLimits& limits = {});
  // Returns when everything is queued: `Session::wait`, or the next read, reports a failure. The
  // call waits for the device where it must read the condition of a loop or a grid in a buffer.
  Result<void> submit(const RunLimits& limits = {});

  // Copies contiguous values to and from a buffer, whole: spans, vectors, arrays of numbers, or of
  // structs of the same layout. The number of bytes and the kind of the scalars must be the
  // buffer's. Temporaries cannot be read or written.
  template <std::ranges::contiguous_range R>
  Result<void> write(std::string_view buffer, const R& values) {
    using T = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
    static_assert(std::is_trivially_copyable_v<T>);
    return write_bytes(buffer, std::as_bytes(std::span(values)), scalar_kind_of<T>());
  }
  template <std::ranges::contiguous_range R>
  Result<void> read(std::string_view buffer, R&& values) const {
    using T = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
    static_assert(std::is_trivially_copyable_v<T>);
    return read_bytes(buffer, std::as_writable_bytes(std::span(values)), scalar_kind_of<T>());
  }
  // The memory of a buffer that the caller fills or reads. It may be other memory after a run with
  // a loop that exchanges names.
  Result<Buffer> buffer(std::string_view name) const;
  // Uses the caller's memory for a buffer that the caller fills or reads; its size must be the
  // buffer's. It must stay valid as long as the pipeline. Two buffers may have memory in common
  // only where no launch and no clear writes either of them.
  Result<void> bind(std::string_view name, const Buffer& memory);

  // Sets the contents of a uniform, in the layout of its type: a struct, a number, or an array or
  // vector of them. They hold from the next run on, until `resize` computes them again. If the plan
  // relied on the previous contents (two strides were equal, a guard always held), the next run
  // first plans again, and compiles if the plan has changed. Buffers that the caller fills keep
  // their contents.
  template <class T>
  Result<void> set_uniform(std::string_view uniform, const T& contents) {
    if constexpr (std::ranges::contiguous_range<T>) {
      return set_uniform_bytes(uniform, std::as_bytes(std::span(contents)));
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      return set_uniform_bytes(uniform, std::as_bytes(std::span(&contents, 1)));
    }
  }

  // Applies uniforms that were set. Otherwise the next run does this before anything else.
  Result<void> apply_uniforms(const RunLimits& limits = {});

  // Sizes, plans and compiles again. Buffers that the caller fills keep their contents if their
  // size stays the same, and hold zeros otherwise. A call that fails changes nothing. If the memory
  // for both sizes together exceeds the budget or the device, buffers whose contents are not needed
  // between runs are freed first.
  Result<void> resize(std::initializer_list<DimValue> dims, const RunLimits& limits = {});
  Result<void> resize(const std::vector<std::pair<std::string, std::uint64_t>>& dims,
                      const RunLimits& limits = {});

  Result<void> prepare_again(const PipelineOptions& options, const RunLimits& limits = {});

  // The device's time for one run: the mean of this number of consecutive runs. The limits are
  // those of all of them together.
  Result<std::chrono::nanoseconds> time(std::uint32_t runs, const RunLimits& limits = {});

  // The device's time for each launch on its own, with what the buffers hold now; the launches
  // change them.
  Result<std::vector<std::chrono::nanoseconds>> launch_times();

  // What runs launch number `launch` of the plan at this moment.
  const Dispatch& dispatch(std::size_t launch) const { return dispatch_now(steps_[launch]); }

  // For each launch of the plan, what runs at this moment: itself, or its stages one after the
  // other.
  std::vector<std::vector<LaunchPlan>> plans() const;
  // For each launch of the plan, whether it runs fused or as its stages; absent where there is no
  // choice.
  std::vector<std::optional<FusionChoice>> choices() const;
  // For each launch of the plan, whether it runs a band of rows at a time together with its
  // neighbours; empty: launches run one after the other.
  std::vector<LaunchBands> bands() const;
  // How the last run was submitted: "as a recording of 5 items", "launch by launch: ...".
  std::string played() const;

  // What was fused, what was not, and why, and what runs at this moment; the same as JSON.
  std::string plan() const;
  std::string json() const;
  const ReadyPipeline& ready() const { return *ready_; }
  const PipelinePlan& launches() const { return *plan_; }

 private:
  friend class Session;
  struct Step {
    // A launch, for each combination of the orders of the swap groups that it binds; the last
    // group's order varies fastest.
    std::vector<std::size_t> groups;
    std::vector<Dispatch> dispatches;
    bool clears_itself = false;  // its candidates clear what they need, each in its own way
  };
  // What it is made from, for `resize`.
  struct Origin {
    Pipeline pipeline;
    PipelineOptions options;
  };

  explicit PreparedPipeline(Session session) : session_(std::move(session)) {}
  static Result<PreparedPipeline> make(const Session& session, std::shared_ptr<const Origin> origin,
                                       const RunLimits& limits);
  Result<void> check_memory() const;
  Result<void> make_memory();
  Result<void> fill(std::size_t buffer);
  Result<void> make_steps(const RunLimits& limits = {});
  Result<Dispatch> dispatch_of(const PlannedLaunch& launch, Step& step, std::size_t index,
                               const RunLimits& limits);
  Result<Dispatch> dispatch_of_parts(const PlannedLaunch& launch, Step& step,
                                     const RunLimits& limits);
  Result<bool> allocate_apart(const PlannedLaunch& launch);
  // The piece of memory that a buffer has in an order of its swap group.
  std::size_t piece_of(std::size_t buffer, std::uint32_t order) const;
  const Buffer& place_of(std::size_t buffer) const { return place_in(order_, buffer); }
  const Buffer& place_in(const std::vector<std::uint32_t>& order, std::size_t buffer) const;

  Result<void> play_steps(const RunLimits& limits);
  Result<void> play_launch(std::size_t launch, const RunLimits& limits);
  Result<void> play_loop(const PlannedLoop& loop, const RunLimits& limits);
  Result<bool> is_over(const ReadyLoop& loop) const;
  const Dispatch& dispatch_now(const Step& step) const { return dispatch_in(order_, step); }
  const Dispatch& dispatch_in(const std::vector<std::uint32_t>& order, const Step& step) const;

  // All launches of a run, with every round of every loop.
  struct WholePlay {
    std::vector<std::uint32_t> from, to;  // the order of each swap group before and after
    std::shared_ptr<RecordedPlay> steps;
  };
  std::string why_not_whole() const;
  WholePlay make_whole_play() const;
  void prepare_whole_play();
  WholePlay& whole_play_now();

  Result<std::size_t> seen_outside(std::string_view name) const;
  Result<std::size_t> check_copy(std::string_view name, std::uint64_t bytes,
                                 std::optional<ScalarKind> kind) const;
  Result<void> write_bytes(std::string_view name, std::span<const std::byte> bytes,
                           std::optional<ScalarKind> kind);
  Result<void> read_bytes(std::string_view name, std::span<std::byte> bytes,
                          std::optional<ScalarKind> kind) const;
  Result<void> check_alone(std::size_t buffer, const Buffer& memory) const;
  bool is_written(std::size_t buffer) const;

  Result<void> set_uniform_bytes(std::string_view uniform, std::span<const std::byte> contents);
  std::span<const std::byte> contents_now(std::size_t uniform) const;
  bool plan_relies_on(const std::vector<std::size_t>& uniforms);
  Result<void> plan_for_uniforms(const RunLimits& limits);
  void find_reach();
  void find_reach_again();
  bool reach_depends_on(const std::vector<std::size_t>& uniforms);

  // Which buffers keep their contents when another plan takes the place of this one.
  enum class Kept : std::uint8_t { given, all };
  Result<void> replace(std::shared_ptr<const ReadyPipeline> ready,
                       std::shared_ptr<const PipelinePlan> plan,
                       std::shared_ptr<const Origin> origin, Kept kept, const RunLimits& limits);
  Result<bool> has_room_for(const PipelinePlan& plan) const;
  bool is_kept(std::size_t piece) const;
  void free_what_holds_nothing();
  Result<void> allocate_again();
  Result<void> keep_contents(const PreparedPipeline& before, Kept kept);

  Session session_;
  std::shared_ptr<const Origin> origin_;  // null: it cannot be resized
  std::shared_ptr<const ReadyPipeline> ready_;
  std::shared_ptr<const PipelinePlan> plan_;
  std::vector<Buffer> memory_;                       // by piece of memory of the plan
  std::vector<std::pair<std::size_t, Buffer>> own_;  // the caller's memory, by buffer
  std::vector<std::uint32_t> order_;                 // of each swap group, at this moment
  std::vector<Step> steps_;                          // by launch
  // The contents of uniforms that were set after `ready_` was made, by buffer; `uniforms_changed_`:
  // some of them are not in the device's memory yet.
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> contents_;
  bool uniforms_changed_ = false;
  // For sets of uniforms: whether the plan relies on any of them, as far as this was computed.
  std::map<std::vector<std::size_t>, bool> relied_on_;
  // What each launch may touch, given the contents of uniforms in `reach_contents_`; empty if no
  // device needs it. `reach_depends_on_` says for sets of uniforms whether that depends on any of
  // them, as far as this was computed.
  std::vector<std::shared_ptr<const LaunchReach>> reach_;
  std::map<std::size_t, std::vector<std::byte>> reach_contents_;
  std::map<std::vector<std::size_t>, bool> reach_depends_on_;
  bool in_bands_ = false;  // some launches may run in bands
  // The runs that were recorded as a whole, one for each order in which names stood at the start.
  // If the host must read something between the launches there is none, and `why_not_whole_` is the
  // reason.
  std::vector<WholePlay> plays_;
  std::string why_not_whole_;
  std::shared_ptr<RecordedPlay> played_;  // how the last run was played
};

}  // namespace vyre

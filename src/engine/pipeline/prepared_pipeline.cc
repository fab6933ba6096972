#include "vyre/engine/pipeline/prepared_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "vyre/data/npy/packed_elements.h"
#include "vyre/engine/pipeline/stage_launches_internal.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {

// The most orders in which the buffers of one launch may stand after exchanging their names.
constexpr std::size_t kMostOrders = 64;

Result<PreparedPipeline> PreparedPipeline::make(const Session& session,
                                                std::shared_ptr<const ReadyPipeline> pipeline,
                                                std::shared_ptr<const PipelinePlan> plan,
                                                const RunLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  PreparedPipeline out(session);
  out.ready_ = std::move(pipeline);
  out.plan_ = std::move(plan);
  out.order_.resize(out.ready_->swap_groups.size());
  VYRE_CHECK(session.plan(*out.ready_, *out.plan_, limits));  // before anything is allocated
  VYRE_CHECK(out.make_memory());
  VYRE_CHECK(out.make_steps(limits.counted_from(begin)));
  return out;
}

Result<PreparedPipeline> PreparedPipeline::make(const Session& session,
                                                std::shared_ptr<const Origin> origin,
                                                const RunLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  VYRE_TRY(auto ready, make_ready(origin->pipeline, origin->options.ready));
  VYRE_TRY(auto plan, plan_pipeline(ready, origin->options.plan));
  VYRE_TRY(PreparedPipeline out,
           make(session, std::make_shared<const ReadyPipeline>(std::move(ready)),
                std::make_shared<const PipelinePlan>(std::move(plan)), limits.counted_from(begin)));
  out.origin_ = std::move(origin);
  return out;
}

// Fails before anything is allocated if the pipeline does not fit into memory.
Result<void> PreparedPipeline::check_memory() const {
  VYRE_TRY(const MemoryInfo info, session_.device().memory_info());
  if (plan_->allocated_bytes <= info.free) return {};
  return fail(Code::out_of_memory,
              fmt::format("pipeline '{}' needs {} bytes of memory, and {} has {} left: {}",
                          ready_->name, plan_->allocated_bytes, session_.device().name(), info.free,
                          bytes_of_each(*ready_, *plan_)),
              "use smaller dims");
}

Result<void> PreparedPipeline::make_memory() {
  VYRE_CHECK(check_memory());
  for (const std::uint64_t bytes : plan_->memory) {
    VYRE_TRY(Buffer memory, session_.buffer(bytes));
    memory_.push_back(std::move(memory));
  }
  memory_.resize(plan_->memory.size() + plan_->memory_apart.size());
  for (std::size_t b = 0; b < ready_->buffers.size(); ++b) VYRE_CHECK(fill(b));
  return {};
}

// Writes the contents of a uniform, or the data of a source.
Result<void> PreparedPipeline::fill(std::size_t index) {
  const ReadyBuffer& buffer = ready_->buffers[index];
  if (!plan_->buffers[index].memory || (!buffer.uniform && !buffer.source)) return {};
  const Buffer& memory = memory_[*plan_->buffers[index].memory];
  if (buffer.uniform) return session_.write(memory, 0, contents_now(index));
  if (memory.host() != nullptr) {
    return put_data(*buffer.source, buffer.data(), buffer.opened, {memory.host(), buffer.bytes});
  }
  std::vector<std::byte> bytes(buffer.bytes);
  VYRE_CHECK(put_data(*buffer.source, buffer.data(), buffer.opened, bytes));
  return session_.write(memory, 0, bytes);
}

Result<void> PreparedPipeline::make_steps(const RunLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  steps_.clear();
  for (const PlannedLaunch& launch : plan_->launches) {
    Step step;
    std::size_t count = 1;
    for (std::size_t g = 0; g < ready_->swap_groups.size(); ++g) {
      const SwapGroup& group = ready_->swap_groups[g];
      const auto is_member = [&](std::size_t b) {
        return group.position(b) != group.members.size();
      };
      if (!std::ranges::any_of(launch.bindings, is_member, &StageBinding::buffer) &&
          !(launch.grid && is_member(launch.grid->buffer))) {
        continue;
      }
      step.groups.push_back(g);
      count *= group.orders.size();
      if (count > kMostOrders) {
        return fail(Code::limit,
                    fmt::format("pipeline '{}': the buffers of '{}' change places in more than {} "
                                "orders",
                                ready_->name, ready_->stages[launch.first_stage].name, kMostOrders),
                    "bind fewer buffers that change places to one stage");
      }
    }
    for (std::size_t index = 0; index < count; ++index) {
      auto dispatch = dispatch_of(launch, step, index, limits.counted_from(begin));
      if (!dispatch) return in_launch(launch, *ready_, dispatch.error());
      step.dispatches.push_back(*std::move(dispatch));
    }
    steps_.push_back(std::move(step));
  }
  if (reach_.empty()) find_reach();
  prepare_whole_play();
  return {};
}

// A fused launch that may run as its stages. Neither of them binds buffers that change places.
Result<Dispatch> PreparedPipeline::dispatch_of_parts(const PlannedLaunch& launch, Step& step,
                                                     const RunLimits& limits) {
  const auto place = [&](std::size_t b) -> const Buffer& {
    const PlannedBuffer& buffer = plan_->buffers[b];
    return memory_[buffer.memory ? *buffer.memory : *buffer.memory_apart];
  };
  FusedStages stages = fused_stages(launch, *ready_, place);
  if (session_.may_run_apart(stages)) {
    VYRE_TRY(step.clears_itself, allocate_apart(launch));
    stages = fused_stages(launch, *ready_, place);
  }
  return session_.prepare(stages, step.clears_itself, limits);
}

// Allocates the buffers that the stages of a fused launch need when they run one by one. False:
// there is not enough memory for them, so the launch stays fused.
Result<bool> PreparedPipeline::allocate_apart(const PlannedLaunch& launch) {
  for (const PlannedPart& part : launch.parts) {
    for (const StageBinding& b : part.bindings) {
      const auto piece = plan_->buffers[b.buffer].memory_apart;
      if (!piece || memory_[*piece].size() != 0) continue;
      const std::uint64_t bytes = plan_->memory_apart[*piece - plan_->memory.size()];
      VYRE_TRY(const MemoryInfo info, session_.device().memory_info());
      if (!may_take(bytes, info.free)) return false;
      auto memory = session_.buffer(bytes);
      if (!memory) {
        if (memory.error().code == Code::out_of_memory) return false;
        return std::unexpected(memory.error());
      }
      memory_[*piece] = *std::move(memory);
    }
  }
  return true;
}

std::vector<std::optional<FusionChoice>> PreparedPipeline::choices() const {
  std::vector<std::optional<FusionChoice>> out;
  for (const Step& step : steps_) out.push_back(step.dispatches.front().fusion());
  return out;
}

Result<Dispatch> PreparedPipeline::dispatch_of(const PlannedLaunch& launch, Step& step,
                                               std::size_t index, const RunLimits& limits) {
  if (!launch.parts.empty()) return dispatch_of_parts(launch, step, limits);
  std::vector<std::uint32_t> order(ready_->swap_groups.size());
  for (std::size_t i = step.groups.size(); i-- > 0;) {
    const std::size_t orders = ready_->swap_groups[step.groups[i]].orders.size();
    order[step.groups[i]] = static_cast<std::uint32_t>(index % orders);
    index /= orders;
  }
  const auto memory_of = [&](std::size_t b) -> const Buffer& {
    const SwapGroup* group = ready_->swap_group(b);
    const std::uint32_t at =
        group == nullptr ? 0 : order[static_cast<std::size_t>(group - ready_->swap_groups.data())];
    return memory_[piece_of(b, at)];
  };
  const std::vector<Binding> bindings = bindings_of(launch.bindings, *ready_, memory_of);
  if (!launch.grid) {
    return session_.prepare(launch.kernel, bindings, DispatchSize::extent(launch.extent), {},
                            limits);
  }
  const IndirectGrid grid{memory_of(launch.grid->buffer), launch.grid->offset};
  return session_.prepare(launch.kernel, bindings, grid, {}, limits);
}

std::size_t PreparedPipeline::piece_of(std::size_t buffer, std::uint32_t order) const {
  const SwapGroup* group = ready_->swap_group(buffer);
  if (group != nullptr) buffer = group->members[group->orders[order][group->position(buffer)]];
  return *plan_->buffers[buffer].memory;
}

const Buffer& PreparedPipeline::place_in(const std::vector<std::uint32_t>& order,
                                         std::size_t buffer) const {
  const SwapGroup* group = ready_->swap_group(buffer);
  if (group == nullptr) return memory_[piece_of(buffer, 0)];
  return memory_[piece_of(buffer,
                          order[static_cast<std::size_t>(group - ready_->swap_groups.data())])];
}

// ---- Names

Result<std::size_t> PreparedPipeline::seen_outside(std::string_view name) const {
  const auto index = ready_->find(name);
  if (!index || ready_->buffers[*index].uniform) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}' has no buffer '{}'", ready_->name, name));
  }
  if (!ready_->buffers[*index].seen_outside()) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' is a temporary, which holds nothing after a run",
                            ready_->name, name),
                "make it an output or an input");
  }
  if (!plan_->buffers[*index].memory) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': no stage uses '{}'", ready_->name, name));
  }
  return *index;
}

Result<std::size_t> PreparedPipeline::check_copy(std::string_view name, std::uint64_t bytes,
                                                 std::optional<ScalarKind> kind) const {
  VYRE_TRY(const std::size_t index, seen_outside(name));
  const ReadyBuffer& buffer = ready_->buffers[index];
  if (bytes != buffer.bytes) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' has {} bytes ({}), and {} are given", ready_->name,
                            name, buffer.bytes, buffer.type, bytes));
  }
  const TypeTable& types = buffer.program->types;
  std::optional<ScalarKind> other;
  if (kind) {
    for_each_scalar(types, buffer.layout.element, 0, [&](std::uint64_t, ScalarKind its) {
      if (its != *kind) other = its;
    });
  }
  // Structs may hold numbers of several kinds, so their bytes are not checked.
  if (other && types.scalar_kind(buffer.layout.element)) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' is {}, and the values are {}", ready_->name, name,
                            buffer.type, to_string(*kind)));
  }
  return index;
}

Result<void> PreparedPipeline::write_bytes(std::string_view name, std::span<const std::byte> bytes,
                                           std::optional<ScalarKind> kind) {
  VYRE_TRY(const std::size_t index, check_copy(name, bytes.size(), kind));
  if (ready_->buffers[index].starts_empty()) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' is an output, which begins with zeros at each run",
                            ready_->name, name),
                "make it an input");
  }
  return session_.write(place_of(index), 0, bytes);
}

Result<void> PreparedPipeline::read_bytes(std::string_view name, std::span<std::byte> bytes,
                                          std::optional<ScalarKind> kind) const {
  VYRE_TRY(const std::size_t index, check_copy(name, bytes.size(), kind));
  return session_.read(place_of(index), 0, bytes);
}

Result<Buffer> PreparedPipeline::buffer(std::string_view name) const {
  VYRE_TRY(const std::size_t index, seen_outside(name));
  return place_of(index);
}

bool PreparedPipeline::is_written(std::size_t buffer) const {
  if (ready_->buffers[buffer].starts_empty()) return true;  // it is cleared
  return std::ranges::any_of(ready_->stages,
                             [&](const ReadyStage& s) { return s.writes(buffer); }) ||
         std::ranges::any_of(ready_->loops, [&](const ReadyLoop& l) { return l.clears(buffer); });
}

// The plan (fusion, clearing of memory) assumes that buffers do not overlap.
Result<void> PreparedPipeline::check_alone(std::size_t buffer, const Buffer& memory) const {
  for (std::size_t b = 0; b < ready_->buffers.size(); ++b) {
    if (b == buffer || !plan_->buffers[b].memory) continue;
    const Buffer& other = memory_[*plan_->buffers[b].memory];
    const bool apart = memory.address() >= other.address() + other.size() ||
                       other.address() >= memory.address() + memory.size();
    if (apart || (!is_written(buffer) && !is_written(b))) continue;
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' would have memory in common with '{}', and the "
                            "pipeline writes {}",
                            ready_->name, ready_->buffers[buffer].name, ready_->buffers[b].name,
                            is_written(buffer) ? "it" : "the other"),
                "give each buffer memory of its own");
  }
  return {};
}

Result<void> PreparedPipeline::bind(std::string_view name, const Buffer& memory) {
  VYRE_TRY(const std::size_t index, seen_outside(name));
  if (memory.size() != ready_->buffers[index].bytes) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' has {} bytes, and the memory has {}", ready_->name,
                            name, ready_->buffers[index].bytes, memory.size()));
  }
  if (ready_->swap_group(index) != nullptr) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': '{}' changes places with another buffer, so it cannot "
                            "be the caller's own memory",
                            ready_->name, name),
                "write it and read it");
  }
  VYRE_CHECK(check_alone(index, memory));
  Buffer& place = memory_[*plan_->buffers[index].memory];
  const Buffer before = std::exchange(place, memory);
  if (auto made = make_steps(); !made) {
    place = before;
    VYRE_CHECK(make_steps());
    return made;
  }
  std::erase_if(own_, [&](const auto& own) { return own.first == index; });
  own_.emplace_back(index, memory);
  return {};
}

std::vector<std::vector<LaunchPlan>> PreparedPipeline::plans() const {
  std::vector<std::vector<LaunchPlan>> out;
  for (const Step& step : steps_) out.push_back(dispatch_now(step).plans());
  return out;
}

std::string PreparedPipeline::plan() const { return plan_text(*ready_, *plan_, plans(), bands()); }
std::string PreparedPipeline::json() const { return plan_json(*ready_, *plan_, plans(), bands()); }

// ---- The session's part

Result<PreparedPipeline> Session::prepare(Pipeline pipeline, const PipelineOptions& options,
                                          const RunLimits& limits) const {
  return PreparedPipeline::make(
      *this, std::make_shared<const PreparedPipeline::Origin>(std::move(pipeline), options),
      limits);
}

Result<PreparedPipeline> Session::prepare(PipelineBuilder builder,
                                          std::initializer_list<DimValue> dims,
                                          const RunLimits& limits) const {
  VYRE_TRY(Pipeline pipeline, std::move(builder).finish());
  PipelineOptions options;
  for (const DimValue& d : dims) options.ready.dims.emplace_back(d.dim.text(), d.value);
  return prepare(std::move(pipeline), options, limits);
}

Result<void> Session::run(PreparedPipeline& pipeline, const RunLimits& limits) const {
  if (pipeline.session_.device_ != device_) {
    return fail(Code::invalid_input, "the pipeline was prepared for another device");
  }
  return pipeline.run(limits);
}

}  // namespace vyre

// Whether a fused launch pays is measured like any other choice: its variants and its stages, one
// after the other, are candidates of one search. They are named by what the fused kernel and its
// stages are, so that evidence for one group of stages says nothing of another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "vyre/engine/session.h"
#include "vyre/engine/tuned_kernel_internal.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

constexpr const char* kApart = "launches=apart";  // how the names of candidates of several begin
// Beside what the planner would launch for each stage: settings that all stages share.
constexpr std::size_t kMostApart = 16;

std::string group_identity(const FusedStages& stages) {
  Hasher hasher;
  hasher.update("fused stages").update(stages.fused.kernel.fingerprint);
  for (const StageLaunch& part : stages.parts) {
    hasher.update(part.kernel.fingerprint);
    for (const std::uint32_t axis : part.extent) hasher.update_u32(axis);
  }
  return to_hex(hasher.finish());
}

// "launches=apart workgroup=64x1x1,16x16x1 gang=8": a setting that all parts share stands once.
std::string apart_text(std::span<const Variant> variants, TargetKind kind) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> values;
  for (const Variant& variant : variants) {
    for (const auto& [name, value] : configuration_of(variant, kind)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      values[name].push_back(value);
    }
  }
  std::string out = kApart;
  for (const std::string& name : names) {
    std::vector<std::string>& all = values[name];
    if (std::ranges::count(all, all.front()) == std::ssize(all) && all.size() == variants.size()) {
      all.resize(1);
    }
    out += fmt::format(" {}={}", name, fmt::join(all, ","));
  }
  return out;
}

// One way to launch the stages on their own.
struct Apart {
  std::vector<Variant> variants;  // by stage
  double expected_ns = 0;
};

// What the planner would launch for each stage by itself comes first; then settings that every
// stage has among its candidates, the cheapest first.
std::vector<Apart> ways_apart(std::span<const LaunchSpace> spaces) {
  std::vector<Apart> out(1);
  for (const LaunchSpace& space : spaces) {
    const LaunchCandidate& first = space.candidates[space.start];
    out.front().variants.push_back(first.variant);
    out.front().expected_ns += first.expected_ns;
  }
  for (const LaunchCandidate& shared : spaces.front().candidates) {
    Apart way;
    for (const LaunchSpace& space : spaces) {
      const auto found =
          std::ranges::find(space.candidates, shared.variant, &LaunchCandidate::variant);
      if (found == space.candidates.end()) break;
      way.variants.push_back(shared.variant);
      way.expected_ns += found->expected_ns;
    }
    if (way.variants.size() != spaces.size() || way.variants == out.front().variants) continue;
    out.push_back(std::move(way));
  }
  std::ranges::stable_sort(std::span(out).subspan(1), {}, &Apart::expected_ns);
  if (out.size() > kMostApart + 1) out.resize(kMostApart + 1);
  return out;
}

// Adds what a part binds to the step, and returns the step's slot for each slot of the part.
std::vector<std::uint32_t> join(LaunchStep& step, const LaunchStep& part) {
  std::vector<std::uint32_t> slots;
  for (const BoundMemory& memory : part.bindings) {
    auto found = std::ranges::find_if(step.bindings, [&](const BoundMemory& m) {
      return m.address == memory.address && m.bytes == memory.bytes;
    });
    if (found == step.bindings.end()) found = step.bindings.insert(found, memory);
    slots.push_back(static_cast<std::uint32_t>(found - step.bindings.begin()));
  }
  for (LaunchStep::Uniform uniform : part.uniforms) {
    uniform.slot = slots[uniform.slot];
    const auto found = std::ranges::find(step.uniforms, uniform.slot, &LaunchStep::Uniform::slot);
    if (found == step.uniforms.end()) {
      step.uniforms.push_back(std::move(uniform));
    } else {
      found->bytes = std::max(found->bytes, uniform.bytes);
    }
  }
  step.written.insert(step.written.end(), part.written.begin(), part.written.end());
  step.buffers.insert(step.buffers.end(), part.buffers.begin(), part.buffers.end());
  return slots;
}

std::vector<std::uint32_t> cleared_slots(LaunchStep& step, std::span<const Buffer> cleared) {
  std::vector<std::uint32_t> out;
  for (const Buffer& buffer : cleared) {
    // A buffer may share its memory with a larger one that lives at another time.
    const auto found = std::ranges::find(step.bindings, buffer.address(), &BoundMemory::address);
    if (found == step.bindings.end()) continue;  // nobody looks at it
    out.push_back(static_cast<std::uint32_t>(found - step.bindings.begin()));
  }
  return out;
}

}  // namespace

bool Session::may_run_apart(const FusedStages& stages) const {
  if (tuning_ == nullptr || stages.parts.size() < 2) return false;
  const TunerMode mode = tuning_options_->mode;
  if (mode == TunerMode::natural_gradient || mode == TunerMode::sweep) return true;
  if (evidence_ == nullptr) return false;
  const KernelChoice fused{stages.fused.kernel};
  PlanMemory memory = plan_memory();
  memory.exact_size = true;
  const auto key = launch_key({.identity = group_identity(stages),
                               .kernels = std::span(&fused, 1),
                               .size = DispatchSize::extent(stages.fused.extent)},
                              *plan_device_, memory);
  if (!key) return false;
  const auto match = evidence_->lookup(key->key);
  return match && match->is_answer() && match->state.decision().starts_with(kApart);
}

Result<LaunchSpace> Session::space_of(const std::string& identity, const StageLaunch& launch,
                                      bool exact) const {
  const KernelChoice only{launch.kernel};
  const auto gangs = default_gangs(std::span(&only, 1));
  std::vector<BindingBytes> bytes;
  for (const Binding& b : launch.bindings) {
    bytes.push_back({b.group, b.binding, b.bytes.value_or(b.buffer.size() - b.offset)});
  }
  PlanMemory memory = plan_memory();
  memory.exact_size = memory.exact_size || exact;
  return plan_space({.identity = identity,
                     .kernels = std::span(&only, 1),
                     .default_gangs = gangs,
                     .bindings = bytes,
                     .size = DispatchSize::extent(launch.extent)},
                    *plan_device_, memory);
}

Result<Dispatch> Session::prepare(const FusedStages& stages, bool may_run_apart,
                                  const RunLimits& limits) const {
  const StageLaunch& fused = stages.fused;
  const std::string identity = group_identity(stages);
  const KernelChoice only{fused.kernel};
  LaunchRequest request{.identity = identity,
                        .kernels = std::span(&only, 1),
                        .size = DispatchSize::extent(fused.extent)};
  if (tuning_ == nullptr) request.identity = to_hex(fused.kernel.fingerprint);
  if (!may_run_apart || tuning_ == nullptr) {
    return prepare_launch(request, fused.bindings, limits.for_work());
  }
  const WorkLimits work = limits.for_work();
  VYRE_TRY(LaunchStep step, bind(fused.kernel, fused.bindings));
  step.size = request.size;
  std::vector<std::vector<std::uint32_t>> slots;
  std::vector<std::vector<std::uint32_t>> by_value;
  std::vector<LaunchSpace> spaces;
  for (const StageLaunch& part : stages.parts) {
    VYRE_TRY(const LaunchStep bound, bind(part.kernel, part.bindings));
    slots.push_back(join(step, bound));
    by_value.push_back(bound.by_value);
    VYRE_TRY(spaces.emplace_back(), space_of(to_hex(part.kernel.fingerprint), part, false));
  }
  VYRE_TRY(LaunchSpace space, space_of(identity, fused, true));

  const bool wide = is_wide(step.bindings);
  std::deque<TunedCandidate> candidates;
  const auto options = [&](const Variant& variant, const Extent& extent,
                           const std::vector<std::uint32_t>& values) {
    return CodeOptions{.wide_offsets = wide,
                       .check_at_start = has_many_groups(variant, extent, plan_device_->kind),
                       .by_value = values};
  };
  for (const LaunchCandidate& c : space.candidates) {
    TunedCandidate& candidate = candidates.emplace_back();
    candidate.text = c.text;
    candidate.fuses = static_cast<std::uint32_t>(space.candidates.size());
    CandidateLaunch& launch = candidate.launches.emplace_back();
    launch.kernel = fused.kernel;
    launch.variant = c.variant;
    launch.options = options(c.variant, fused.extent, step.by_value);
    launch.cleared = cleared_slots(step, fused.cleared);
  }
  // Costs of different kernels do not compare well enough to leave one of them untried.
  const double expected_ns = space.candidates[space.start].expected_ns;
  const std::vector<Apart> ways = ways_apart(spaces);
  for (const Apart& way : ways) {
    TunedCandidate& candidate = candidates.emplace_back();
    candidate.text = apart_text(way.variants, plan_device_->kind);
    for (std::size_t i = 0; i < stages.parts.size(); ++i) {
      const StageLaunch& part = stages.parts[i];
      CandidateLaunch& launch = candidate.launches.emplace_back();
      launch.kernel = part.kernel;
      launch.variant = way.variants[i];
      launch.options = options(way.variants[i], part.extent, by_value[i]);
      launch.slots = slots[i];
      if (part.extent != fused.extent) launch.extent = part.extent;
      launch.cleared = cleared_slots(step, part.cleared);
    }
    space.candidates.push_back(
        {.kernel = 0,
         .variant = way.variants.front(),
         .text = candidate.text,
         .expected_ns = expected_ns * way.expected_ns / ways.front().expected_ns});
  }
  VYRE_CHECK(undo_if_it_spills(space, candidates, work));
  // Candidates that clear or pass by value other slots are other candidates.
  std::string name = fmt::format("{}|{}", key_id(space.key), wide);
  for (const TunedCandidate& candidate : candidates) {
    for (const CandidateLaunch& l : candidate.launches) {
      name += fmt::format("|{}/{}/{}", l.slots, l.cleared, l.options.by_value);
    }
  }
  VYRE_TRY(step.tuned, tuning_->find_or_tune(name, work, [&] {
    return tuning_->tune(space, std::move(candidates), work);
  }));
  step.served = std::make_shared<ServedLaunches>();
  std::vector<BindingBytes> bytes;
  for (const Binding& b : fused.bindings) {
    bytes.push_back({b.group, b.binding, b.bytes.value_or(b.buffer.size() - b.offset)});
  }
  request.bindings = bytes;
  const TunedKernel& tuned = *step.tuned;
  const std::uint32_t best = tuned.tuner.best();
  const TunedCandidate& serves = tuned.candidates[best];
  const Variant laid_out = serves.fuses ? serves.first().variant : default_variant(fused.kernel);
  VYRE_TRY(step.plan, lay_out(request, *plan_device_, 0, laid_out,
                              best == tuned.start ? tuned.start_by : Authority::evidence,
                              best == tuned.start ? tuned.start_why : tuned.tuner.reason(),
                              tuned.tuner.mode()));
  return Dispatch(std::move(step));
}

// Where the fused kernel spills registers and its stages do not, the stages serve first, and
// variants of it that take as many lanes and items, or more, are no candidates.
Result<void> Session::undo_if_it_spills(LaunchSpace& space, std::deque<TunedCandidate>& candidates,
                                        const WorkLimits& limits) const {
  const TunedCandidate& start = candidates[space.start];
  if (!start.fuses) return {};
  VYRE_TRY(const FoundCode found, tuning_->find_code(start.first(), limits));
  const std::uint64_t spilled = found.code->facts().local_bytes;
  if (spilled == 0) return {};
  for (const CandidateLaunch& launch : candidates[*start.fuses].launches) {
    VYRE_TRY(const FoundCode alone, tuning_->find_code(launch, limits));
    if (alone.code->facts().local_bytes != 0) return {};
  }
  const auto size_of = [](const Variant& v) {
    return std::uint64_t{v.workgroup[0]} * v.workgroup[1] * v.workgroup[2];
  };
  const Variant spills = start.first().variant;
  std::size_t left = 0;
  std::deque<TunedCandidate> kept;
  std::vector<LaunchCandidate> kept_space;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Variant& v = candidates[i].first().variant;
    if (candidates[i].fuses && v.items_per_lane >= spills.items_per_lane &&
        size_of(v) >= size_of(spills)) {
      continue;
    }
    if (candidates[i].fuses) ++left;
    // CandidateLaunch cannot move, so candidates are made again from their parts.
    TunedCandidate& to = kept.emplace_back();
    to.choice = candidates[i].choice;
    to.text = candidates[i].text;
    to.fuses = candidates[i].fuses;
    to.launches.swap(candidates[i].launches);
    kept_space.push_back(std::move(space.candidates[i]));
  }
  for (TunedCandidate& c : kept) {
    if (c.fuses) c.fuses = static_cast<std::uint32_t>(left);
  }
  candidates.swap(kept);
  space.candidates = std::move(kept_space);
  space.start = static_cast<std::uint32_t>(left);
  space.declared = space.start;
  space.by = Authority::declared;
  space.why =
      fmt::format("the stages run on their own: of the fused kernel, {}", spill_text(spilled));
  return {};
}

std::optional<FusionChoice> Dispatch::fusion() const {
  if (step_.tuned == nullptr) return std::nullopt;
  const TunedKernel& t = *step_.tuned;
  if (std::ranges::none_of(t.candidates,
                           [](const TunedCandidate& c) { return c.fuses.has_value(); })) {
    return std::nullopt;
  }
  FusionChoice out{.fused = t.incumbent().fuses.has_value(),
                   .settled = t.tuner.settled(),
                   .reason = t.tuner.reason()};
  const std::uint32_t best = t.tuner.best();
  const auto view = t.tuner.view();
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    const bool fused = t.candidates[i].fuses.has_value();
    if (view[i].time.ns == 0 || view[i].stage == CandidateStage::dropped) continue;
    if (fused == out.fused && i != best) continue;  // what serves is the incumbent, not its like
    std::optional<CandidateTime>& time = fused ? out.fused_time : out.apart_time;
    if (!time || view[i].time.ns < time->ns) time = view[i].time;
  }
  return out;
}

}  // namespace vyre

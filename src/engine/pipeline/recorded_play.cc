#include "vyre/engine/pipeline/recorded_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vyre/engine/call_internal.h"
#include "vyre/ir/slots.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
}

// For each slot of the program, whether it writes the buffer.
std::vector<bool> written_slots_of(const Program& program) {
  std::vector<bool> out;
  for (const GlobalId id : slots_of(program)) {
    out.push_back(is_written(program[id]));
  }
  return out;
}

// The same from a plan. Foreign code counts as writing all of them, because nothing is known about
// it.
std::vector<bool> written_slots_of(const LaunchPlan& plan, std::size_t slots) {
  std::vector<bool> out(slots, true);
  for (std::size_t i = 0; i < std::min(slots, plan.bindings.size()); ++i) {
    const BindingRole role = plan.bindings[i].planned.role;
    out[i] = role != BindingRole::input && role != BindingRole::uniform;
  }
  return out;
}

struct Use {
  BoundMemory memory;
  bool written = false;
};

// Finds the earlier items for which an item must wait: those that write memory that it accesses,
// and those that read memory that it writes.
class Waits {
 public:
  // All memory that the items use. Parts that overlap count as one.
  explicit Waits(std::vector<BoundMemory> all) {
    std::ranges::sort(all, {}, &BoundMemory::address);
    for (const BoundMemory& m : all) {
      if (!parts_.empty() && m.address < parts_.back().end) {
        parts_.back().end = std::max(parts_.back().end, m.address + m.bytes);
      } else {
        parts_.push_back({m.address, m.address + m.bytes, {}, {}});
      }
    }
  }

  std::vector<std::uint32_t> add(std::uint32_t item, std::span<const Use> uses) {
    std::set<std::uint32_t> after;
    for (const Use& use : uses) {
      const Part& part = part_of(use.memory);
      after.insert(part.writers.begin(), part.writers.end());
      if (use.written) after.insert(part.readers.begin(), part.readers.end());
    }
    for (const Use& use : uses) {
      Part& part = part_of(use.memory);
      if (!use.written) {
        part.readers.push_back(item);
      } else if (part.writers != std::vector{item}) {
        part.writers = {item};
        part.readers.clear();
      }
    }
    after.erase(item);
    return {after.begin(), after.end()};
  }

 private:
  struct Part {
    std::uint64_t begin = 0, end = 0;
    std::vector<std::uint32_t> writers,
        readers;  // the last item that wrote, and the items that have read since
  };
  Part& part_of(BoundMemory memory) {
    const auto next = std::ranges::upper_bound(parts_, memory.address, {}, &Part::begin);
    return *std::prev(next);
  }

  std::vector<Part> parts_;
};

// Whether two candidates have as many launches, each with as much to clear before it: one can then
// take the place of the other in a recording.
bool has_same_shape(const ServedLaunch& a, const ServedLaunch& b) {
  if (a.parts == nullptr || b.parts == nullptr) return a.parts == b.parts;
  return std::ranges::equal(*a.parts, *b.parts, [](const PartLaunch& x, const PartLaunch& y) {
    return x.of->cleared == y.of->cleared && x.of->slots == y.of->slots &&
           x.of->kernel.program == y.of->kernel.program;
  });
}

// A launch of a served candidate, as the recording takes it.
struct PlayedLaunch {
  Launch launch;
  std::vector<bool> written;         // by slot of the kernel
  std::vector<std::uint32_t> slots;  // the slots of the dispatch; empty: equal
  std::vector<std::uint32_t> by_value;
  std::vector<std::uint32_t> cleared;  // slots of the dispatch that must hold zeros before it
};

std::vector<PlayedLaunch> launches_of(const LaunchStep& d, const ServedLaunch& served) {
  std::vector<PlayedLaunch> out;
  if (served.parts == nullptr) {
    PlayedLaunch& only = out.emplace_back();
    only.launch = plain_launch(d, served, d.bindings, d.plan.extent);
    only.written =
        d.tuned == nullptr
            ? written_slots_of(d.plan, d.bindings.size())
            : written_slots_of(*d.tuned->candidates[served.candidate].first().kernel.program);
    only.by_value = d.by_value;
    return out;
  }
  for (const PartLaunch& part : *served.parts) {
    PlayedLaunch& each = out.emplace_back();
    each.launch = part_launch(part, d.bindings);
    each.written = written_slots_of(*part.of->kernel.program);
    each.slots = part.of->slots;
    each.by_value = part.of->options.by_value;
    each.cleared = part.of->cleared;
  }
  return out;
}

// The contents of the uniforms that go with a step's launches.
std::vector<std::byte> uniforms_of(const LaunchStep& d) {
  std::vector<std::byte> out;
  for (const LaunchStep::Uniform& u : d.uniforms) {
    out.resize(out.size() + u.bytes);
    u.copy->take(u.offset, std::span(out).last(u.bytes));
  }
  return out;
}

// Whether the uniforms still have these contents. This is called for every step of a run, and
// allocates nothing.
bool has_uniforms(const LaunchStep& d, std::span<const std::byte> known) {
  std::array<std::byte, HostCopy::kMost> now;
  for (const LaunchStep::Uniform& u : d.uniforms) {
    const auto bytes = std::span(now).first(u.bytes);
    if (!u.copy->current()) return false;
    u.copy->take(u.offset, bytes);
    if (!std::ranges::equal(bytes, known.first(u.bytes))) return false;
    known = known.subspan(u.bytes);
  }
  return true;
}

// The device memory that a launch uses, without the uniforms that it takes by value.
std::vector<Use> uses_of(const PlayedLaunch& played) {
  std::vector<Use> out;
  for (std::size_t own = 0; own < played.written.size(); ++own) {
    if (std::ranges::find(played.by_value, own) != played.by_value.end()) continue;
    const std::size_t slot = played.slots.empty() ? own : played.slots[own];
    out.push_back({played.launch.bindings[slot], played.written[own]});
  }
  return out;
}

}  // namespace

Result<void> check_goes_on(std::string_view pipeline, const RunLimits& limits) {
  if (limits.stopped()) {
    return fail(Code::device, fmt::format("pipeline '{}' was interrupted", pipeline));
  }
  // What is left of a deadline is at least 1 ns, and short kernels do not test it, so it is tested
  // here.
  if (!limits.deadline || *limits.deadline > std::chrono::nanoseconds(1)) return {};
  return fail(Code::device,
              fmt::format("pipeline '{}' did not end within {} ms", pipeline,
                          double(limits.asked.value_or(*limits.deadline).count()) / 1e6));
}

// Records all launches, in the order in which `bring_up_to_date` visits them.
Result<void> RecordedPlay::record() {
  const CallContext cx = session_.call_context();
  recording_ = nullptr;
  recorded_.assign(steps_.size(), {});
  std::vector<std::vector<PlayedLaunch>> launches;
  std::vector<BoundMemory> memory;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const LaunchStep& d = steps_[s].dispatch.step_;
    if (d.tuned == nullptr) {
      recorded_[s].fixed = std::make_shared<const ServedLaunch>(fixed_launch(d));
    }
    recorded_[s].served = d.tuned == nullptr ? recorded_[s].fixed.get() : steady_launch(d);
    launches.push_back(launches_of(d, *recorded_[s].served));
    memory.insert(memory.end(), d.bindings.begin(), d.bindings.end());
    for (const Buffer& b : steps_[s].cleared) memory.push_back({b.address(), b.size()});
  }
  Waits waits(std::move(memory));
  std::vector<WorkItem> items;
  std::deque<GatheredBindings> gathered;  // the launches of `items` point into these
  const auto clear = [&](BoundMemory what) {
    const Use use{what, true};
    WorkItem& item = items.emplace_back();
    item.kind = WorkItem::Kind::clear;
    item.to = what;
    item.after = waits.add(static_cast<std::uint32_t>(items.size() - 1), std::span(&use, 1));
  };
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const LaunchStep& d = steps_[s].dispatch.step_;
    for (const Buffer& b : steps_[s].cleared) clear({b.address(), b.size()});
    for (PlayedLaunch& played : launches[s]) {
      for (const std::uint32_t slot : played.cleared) clear(d.bindings[slot]);
      const std::vector<Use> uses = uses_of(played);
      VYRE_CHECK(
          gather(cx, d, played.launch, played.slots, played.by_value, gathered.emplace_back()));
      const auto position = static_cast<std::uint32_t>(items.size());
      WorkItem& item = items.emplace_back();
      item.launch = played.launch;
      item.after = waits.add(position, uses);
      item.after_all = steps_[s].host_looks && recorded_[s].launches.empty();
      if (const LaunchReach* reach = steps_[s].reach.get()) {
        const std::size_t part = recorded_[s].launches.size();
        if (recorded_[s].served->parts == nullptr) {
          item.reach = reach->launch;
        } else if (part < reach->parts.size()) {
          item.reach = reach->parts[part];
        }
      }
      recorded_[s].launches.push_back(position);
    }
    recorded_[s].uniforms = uniforms_of(d);
  }
  items_ = items.size();
  VYRE_TRY(recording_, cx.queue->record_work(items));
  return {};
}

// Replaces the launches of steps that are served by another variant, or whose uniforms have
// changed. If the number of launches of a step has changed, everything is recorded again.
Result<void> RecordedPlay::bring_up_to_date() {
  const CallContext cx = session_.call_context();
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const LaunchStep& d = steps_[s].dispatch.step_;
    Recorded& known = recorded_[s];
    const ServedLaunch* served = d.tuned == nullptr ? known.served : steady_launch(d);
    if (served == known.served && has_uniforms(d, known.uniforms)) continue;
    if (served != known.served && !has_same_shape(*served, *known.served)) return record();
    std::vector<PlayedLaunch> launches = launches_of(d, *served);
    for (std::size_t i = 0; i < launches.size(); ++i) {
      PlayedLaunch& played = launches[i];
      GatheredBindings gathered;
      VYRE_CHECK(gather(cx, d, played.launch, played.slots, played.by_value, gathered));
      VYRE_CHECK(recording_->set(known.launches[i], played.launch));
    }
    known.uniforms = uniforms_of(d);
    known.served = served;
  }
  return {};
}

// Why no run of this pipeline can be closed; empty: runs can.
std::string RecordedPlay::why_open() const {
  const CallContext cx = session_.call_context();
  const auto is_known = [](const PlayStep& step) { return step.reach != nullptr; };
  if (!cx.costs.plays_at_once &&
      !(cx.costs.plays_in_bands && std::ranges::any_of(steps_, is_known))) {
    return "this device runs a launch as soon as it is told";
  }
  const bool alone = steps_.size() == 1 && steps_[0].cleared.empty();
  const TunedKernel* tuned = steps_.empty() ? nullptr : steps_[0].dispatch.step_.tuned.get();
  const auto has_list = [](const TunedCandidate& c) { return c.launches.size() > 1; };
  if (steps_.empty() ||
      (alone && (tuned == nullptr || std::ranges::none_of(tuned->candidates, has_list)))) {
    return "there is one launch";
  }
  std::set<const HostCopy*> written;
  for (const PlayStep& step : steps_) {
    for (const auto& copy : step.dispatch.step_.written) written.insert(copy.get());
  }
  for (const PlayStep& step : steps_) {
    for (const LaunchStep::Uniform& u : step.dispatch.step_.uniforms) {
      if (!written.contains(u.copy.get())) continue;
      return fmt::format("'{}' takes a uniform by value that a launch writes",
                         step.dispatch.kernel());
    }
  }
  return {};
}

bool RecordedPlay::is_settled() const {
  return std::ranges::all_of(steps_, [](const PlayStep& step) {
    const TunedKernel* t = step.dispatch.step_.tuned.get();
    return t == nullptr || (t->tuner.settled() && t->incumbent().is_made() &&
                            !t->tuner.has_attention(TunedKernel::kToSweep));
  });
}

// Counts a closed run as a call of every step. False: this run should be open, because a tuner
// wants a time and there were enough closed runs.
bool RecordedPlay::count_closed() {
  bool wants_open = false;
  for (const PlayStep& step : steps_) {
    const LaunchStep& d = step.dispatch.step_;
    if (d.tuned == nullptr || d.served->take() != nullptr) continue;
    if (d.tuned->tuner.plain_calls(1, TunedKernel::kInFlight) == 0) wants_open = true;
  }
  if (wants_open && closed_plays_ >= kClosedPlays) {
    closed_plays_ = 0;
    return false;
  }
  ++closed_plays_;
  return true;
}

// Charges what an open run takes longer to submit than a closed one, because the device waits
// meanwhile.
void RecordedPlay::charge_opening(double open_ns) {
  if (closed_ns_ == 0 || open_ns <= closed_ns_) return;
  std::size_t tuned = 0;
  for (const PlayStep& step : steps_) tuned += step.dispatch.step_.tuned != nullptr ? 1 : 0;
  for (const PlayStep& step : steps_) {
    TunedKernel* t = step.dispatch.step_.tuned.get();
    if (t != nullptr) t->tuner.charge((open_ns - closed_ns_) / static_cast<double>(tuned));
  }
}

Result<void> RecordedPlay::submit(const RunLimits& limits) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(looked_, true)) why_open_ = why_open();
  if (!why_open_.empty()) {
    last_ = Last::open_for_good;
    return open(limits);
  }
  if (!is_settled()) {
    last_ = Last::comparing;
    return open(limits);
  }
  const bool idle = session_.queue_->known_idle();
  const bool is_closed = count_closed();
  const auto begun = Clock::now();
  if (!is_closed) {
    VYRE_CHECK(open(limits));
    if (idle) charge_opening(ns_since(begun));
    return {};
  }
  const bool fresh = recording_ == nullptr;
  const auto recorded = fresh ? record() : bring_up_to_date();
  if (!recorded) {
    recording_ = nullptr;
    last_ = Last::open_for_good;
    why_open_ = describe(recorded.error());
    if (session_.device().lost()) return recorded;
    return open(limits);
  }
  if (!session_.costs_.plays_at_once && !recording_->one_by_one().empty()) {
    // This device gains nothing from a recording, and launches that are submitted one by one can be
    // tuned as well.
    why_open_ = recording_->one_by_one();
    recording_ = nullptr;
    last_ = Last::open_for_good;
    return open(limits);
  }
  VYRE_CHECK(closed(limits));
  if (!fresh) {
    const double ns = ns_since(begun);
    closed_ns_ = closed_ns_ == 0 ? ns : (7 * closed_ns_ + ns) / 8;
  }
  return {};
}

Result<void> RecordedPlay::open(const RunLimits& limits) {
  const auto began = Clock::now();
  for (const PlayStep& step : steps_) {
    const RunLimits left = limits.counted_from(began);
    VYRE_CHECK(check_goes_on(pipeline_, left));
    for (const Buffer& memory : step.cleared) VYRE_CHECK(session_.clear(memory));
    VYRE_CHECK(session_.submit(step.dispatch, left));
  }
  return {};
}

Result<void> RecordedPlay::closed(const RunLimits& limits) {
  VYRE_CHECK(check_goes_on(pipeline_, limits));
  for (const PlayStep& step : steps_) {
    for (const Buffer& memory : step.cleared) forget_host_copy(memory);
    for (const auto& copy : step.dispatch.step_.written) copy->forget();
  }
  last_ = Last::closed;
  return session_.queue_->play(*recording_, {limits.deadline, limits.asked, limits.stop});
}

void RecordedPlay::forget_host_copy(const Buffer& buffer) {
  if (buffer.copy_) buffer.copy_->forget();
}

std::string RecordedPlay::how() const {
  const std::scoped_lock lock(mutex_);
  switch (last_) {
    case Last::none: return "not yet";
    case Last::open_for_good: return fmt::format("launch by launch: {}", why_open_);
    case Last::comparing: return "launch by launch: variants are still being compared";
    case Last::closed: break;
  }
  const std::string_view why = recording_->one_by_one();
  if (!why.empty()) return fmt::format("launch by launch: {}", why);
  const std::vector<WorkBands> bands = recording_->bands();
  std::string out = fmt::format("as a recording of {} items", items_);
  for (const WorkBands& b : bands) {
    out += fmt::format("{} {} to {}", &b == bands.data() ? ", in bands" : ",", b.first_item + 1,
                       b.last_item + 1);
  }
  return out;
}

}  // namespace vyre

#include <algorithm>

#include "vyre/base/process/abandonable.h"
#include "vyre/engine/call_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// A candidate that runs longer than this beside a call is dropped.
constexpr std::chrono::seconds kCheckDeadline{10};
// In a sweep a candidate may take this long, or this many times as long as the incumbent.
constexpr double kLeastDeadlineNs = 2e9;
constexpr double kDeadlineCalls = 50;

double ns_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
}

// What preparing a comparison takes from the program. On the host it is the processor time: the
// time in which the system ran something else is not the tuner's. A GPU waits for all of it.
class PreparationTime {
 public:
  explicit PreparationTime(const CallContext& cx) : on_host_(!cx.costs.runs_beside_host) {}
  double ns() const { return on_host_ ? work_ns() - work_before_ns_ : ns_since(begun_); }

 private:
  const bool on_host_;
  const Clock::time_point begun_ = Clock::now();
  const double work_before_ns_ = work_ns();
};

// The part of a written binding that the slice concerns.
BoundMemory part_of(BoundMemory memory, const WrittenSlot& written, const Slice& slice) {
  if (!slice.elements || written.stride == 0) return memory;
  return {memory.address, std::min(memory.bytes, *slice.elements * written.stride)};
}

// The number of bytes of each shadow, by position in `written`.
std::vector<std::uint64_t> written_bytes(const LaunchStep& d) {
  std::vector<std::uint64_t> out;
  for (const WrittenSlot& w : d.tuned->written) out.push_back(d.bindings[w.slot].bytes);
  return out;
}

bool fit(std::span<const DeviceMemory> shadows, std::span<const std::uint64_t> bytes) {
  return std::ranges::equal(shadows, bytes, std::ranges::greater_equal{}, &DeviceMemory::bytes);
}

// Compares what the call wrote with what the candidate wrote on the shadows.
Result<void> compare_shadows(const CallContext& cx, const LaunchStep& d, SearchWork& work,
                             const Slice& slice) {
  VYRE_CHECK(work.comparer->begin());
  const auto& written = d.tuned->written;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!written[i].is_result) continue;
    const BoundMemory real = part_of(d.bindings[written[i].slot], written[i], slice);
    VYRE_CHECK(work.comparer->add(real, {work.shadows[i].address, real.bytes}, written[i].as,
                                  cx.tuning->options().tolerance));
  }
  return {};
}

}  // namespace

bool can_compare(const CallContext& cx, TunedKernel& t, SearchWork& work) {
  if (work.comparer) return true;
  const PreparationTime time(cx);
  auto tools = cx.tuning->maker().compare_tools();
  if (!tools) return false;
  auto made = Comparer::make(std::move(tools), cx.queue, cx.device);
  t.tuner.charge(time.ns());
  if (!made) {
    t.tuner.stop_tuning("results cannot be compared: " + describe(made.error()));
    return false;
  }
  work.comparer = *std::move(made);
  return true;
}

std::string make_shadows(const CallContext& cx, const LaunchStep& d, SearchWork& work) {
  const std::vector<std::uint64_t> bytes = written_bytes(d);
  if (fit(work.shadows, bytes)) return {};
  work.shadows.clear();
  auto made = allocate_shadows(cx.device, bytes);
  if (!made) return made.error().what;
  work.shadows = *std::move(made);
  return {};
}

bool ask_for_shadows(const CallContext& cx, const LaunchStep& d, SearchWork& work) {
  std::vector<std::uint64_t> bytes = written_bytes(d);
  if (fit(work.shadows, bytes)) return true;
  TunedKernel& t = *d.tuned;
  if (!cx.costs.runs_beside_host || cx.tuning->options().compile_at_once) {
    const PreparationTime time(cx);
    work.no_shadows = make_shadows(cx, d, work);
    if (!cx.tuning->options().compile_at_once) t.tuner.charge(time.ns());
    if (work.no_shadows.empty()) return true;
  }
  if (!work.no_shadows.empty()) {
    t.tuner.stop_tuning(work.no_shadows);
  } else if (!std::exchange(work.shadows_asked, true)) {
    cx.tuning->maker().make_shadows_later(d.tuned, std::move(bytes));
  }
  return false;
}

Result<std::vector<BoundMemory>> fill_shadows(const CallContext& cx, const LaunchStep& d,
                                              SearchWork& work, const Slice& slice) {
  std::vector<BoundMemory> bindings = d.bindings;
  const auto& written = d.tuned->written;
  for (std::size_t i = 0; i < written.size(); ++i) {
    BoundMemory& b = bindings[written[i].slot];
    const BoundMemory from = part_of(b, written[i], slice);
    // Buffers that pass values between the launches of a candidate are written before they are
    // read.
    if (written[i].is_result) {
      VYRE_CHECK(cx.queue->copy(from, {work.shadows[i].address, from.bytes}));
    }
    b.address = work.shadows[i].address;
  }
  return bindings;
}

Result<void> verify_beside(const CallContext& cx, const LaunchStep& d, SearchWork& work,
                           std::uint32_t served, std::uint32_t candidate, const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  const auto& launches = t.candidates[candidate].launches;
  const bool of_incumbent = candidate == served;
  Slice slice{d.plan.extent, {}};
  const auto is_array = [](const WrittenSlot& w) { return w.stride != 0; };
  if (launches.size() == 1 && launches[0].is_plain() && std::ranges::all_of(t.written, is_array)) {
    slice = slice_of(launches[0].kernel, d.plan.extent);
  }
  PendingCheck check;
  check.candidate = candidate;
  check.of_incumbent = of_incumbent;
  check.began = Clock::now();
  VYRE_TRY(check.begin, cx.queue->record());
  VYRE_TRY(const auto bindings, fill_shadows(cx, d, work, slice));
  RunLimits own = limits;
  const auto has_loops = [](const CandidateLaunch& l) { return l.kernel.stats.loops != 0; };
  if (std::ranges::any_of(launches, has_loops)) {  // without loops it ends by itself
    own.shorten(kCheckDeadline);
  }
  const auto tried = launch_candidate(cx, d, candidate, bindings, slice.extent, own);
  VYRE_TRY(check.middle, cx.queue->record());
  const auto before = Clock::now();
  const auto done = serve(cx, d, served, limits);
  const auto after = Clock::now();
  if (!tried || !done) {
    // If the call itself fails, the candidate need not be at fault.
    const double cost = cx.costs.runs_beside_host ? 0 : between(*check.middle, *check.begin);
    if (!tried && done && !of_incumbent) {
      t.tuner.drop(candidate, describe(tried.error()), cost);
    }
    if (!tried && done && of_incumbent) t.tuner.stop_tuning(describe(tried.error()));
    return done;
  }
  VYRE_TRY(check.after, cx.queue->record());
  VYRE_CHECK(compare_shadows(cx, d, work, slice));
  VYRE_TRY(check.end, cx.queue->record());
  check.host_ns =
      std::chrono::duration<double, std::nano>(before - check.began).count() + ns_since(after);
  if (!is_ready(*check.begin)) check.host_ns = 0;  // the device had enough to do
  work.check = std::move(check);
  t.tuner.set_attention(TunedKernel::kInFlight, true);
  return {};
}

Result<std::string> differs_on_shadows(const CallContext& cx, const LaunchStep& d, SearchWork& work,
                                       std::uint32_t candidate,
                                       std::span<const DeviceMemory> expected, RunLimits limits) {
  TunedKernel& t = *d.tuned;
  VYRE_TRY(const auto bindings, fill_shadows(cx, d, work, {d.plan.extent, {}}));
  if (t.incumbent_ns > 0) {
    const double most = std::max(kLeastDeadlineNs, kDeadlineCalls * t.incumbent_ns);
    limits.shorten(std::chrono::nanoseconds(static_cast<std::int64_t>(most)));
  }
  VYRE_CHECK(launch_candidate(cx, d, candidate, bindings, d.plan.extent, limits));
  VYRE_CHECK(work.comparer->begin());
  for (std::size_t i = 0; i < t.written.size(); ++i) {
    if (!t.written[i].is_result) continue;
    const std::uint64_t bytes = d.bindings[t.written[i].slot].bytes;
    VYRE_CHECK(work.comparer->add({expected[i].address, bytes}, {work.shadows[i].address, bytes},
                                  t.written[i].as, cx.tuning->options().tolerance));
  }
  VYRE_CHECK(cx.queue->wait());
  VYRE_TRY(const std::uint64_t different, work.comparer->different());
  if (different == 0) return std::string();
  return std::string("its results differ from the incumbent's");
}

}  // namespace vyre

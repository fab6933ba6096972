#include "setup.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "entry.h"
#include "vyre/base/files/files.h"
#include "vyre/tune/online/race.h"

namespace vyre::bench {

Result<Setup> Setup::make(const Session& session, const Problem& problem) {
  Setup out(session, problem);
  VYRE_TRY(auto text, read_file(wgsl_path(problem)));
  VYRE_TRY(out.kernel_, kernel_of(std::move(text), problem.name));
  for (std::uint32_t i = 0; i < problem.buffers.size(); ++i) {
    VYRE_TRY(auto buffer, session.buffer(problem.buffers[i].initial.size()));
    VYRE_CHECK(session.write(buffer, 0, problem.buffers[i].initial));
    out.bindings_.push_back({.group = 0, .binding = i, .buffer = buffer});
    out.buffers_.push_back(std::move(buffer));
  }
  if (problem.extent) {
    out.size_ = DispatchSize::extent(*problem.extent);
    return out;
  }
  const Stats& s = out.kernel_.stats;
  const bool together = s.barriers != 0 || s.workgroup_bytes != 0 || reads_workgroup_ids(s);
  Extent extent{};
  for (unsigned i = 0; i < 3; ++i) extent[i] = problem.groups[i] * problem.workgroup[i];
  out.size_ = together ? DispatchSize::workgroups(problem.groups) : DispatchSize::extent(extent);
  return out;
}

Result<void> Setup::reset() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (problem_->buffers[i].role != Role::output) continue;
    VYRE_CHECK(session_.write(buffers_[i], 0, problem_->buffers[i].initial));
  }
  return {};
}

Result<std::string> Setup::wrong_result(const Dispatch& dispatch) const {
  VYRE_CHECK(reset());
  VYRE_CHECK(session_.run(dispatch));
  Outputs outputs(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (problem_->buffers[i].role != Role::output) continue;
    outputs[i].resize(buffers_[i].size());
    VYRE_CHECK(session_.read(buffers_[i], 0, outputs[i]));
  }
  return problem_->check(outputs);
}

Result<double> Setup::time(const Dispatch& dispatch, unsigned launches) const {
  VYRE_TRY(const auto spent, session_.time(dispatch, launches));
  return std::chrono::duration<double, std::nano>(spent).count();
}

Result<Exhaustive> measure_all(const Setup& setup, const std::vector<Variant>& variants,
                               unsigned rounds, double round_ns) {
  Exhaustive out;
  std::vector<Dispatch> dispatches(variants.size());
  std::vector<unsigned> batches(variants.size(), 0);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    out.all.push_back({variants[i], 0, 0, {}});
    const auto end = variants.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(variants.begin(), end, variants[i]) != end) continue;  // timed already
    auto made =
        setup.session().prepare(setup.kernel(), setup.bindings(), setup.size(), variants[i]);
    if (!made) {
      out.all[i].problem = describe(made.error());
      continue;
    }
    dispatches[i] = *std::move(made);
    auto wrong = setup.wrong_result(dispatches[i]);
    if (!wrong || !wrong->empty()) {
      out.all[i].problem = wrong ? *wrong : describe(wrong.error());
      continue;
    }
    VYRE_TRY(const double first, setup.time(dispatches[i], 2));
    batches[i] = static_cast<unsigned>(std::clamp(round_ns / std::max(first, 100.0), 1.0, 500.0));
  }
  std::vector<std::vector<double>> times(rounds, std::vector<double>(variants.size()));
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t n = 0; n < variants.size(); ++n) {
      // Nobody always follows the same neighbour.
      const std::size_t turn = round % 2 == 0 ? n : variants.size() - 1 - n;
      const std::size_t i = (turn + round / 2) % variants.size();
      if (batches[i] == 0) continue;
      // The first of a row is timed with the waking of threads, or of the GPU.
      if (batches[i] > 1) VYRE_CHECK(setup.session().submit(dispatches[i]));
      VYRE_TRY(times[round][i], setup.time(dispatches[i], batches[i]));
    }
  }
  const std::vector<double> figures = figures_of_rounds(times);
  bool any = false;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    Timed& t = out.all[i];
    if (batches[i] == 0) {
      const auto same = std::ranges::find(out.all, t.variant, &Timed::variant);
      t = *same;
      continue;
    }
    t.ns = figures[i];
    std::vector<double> off;
    off.reserve(times.size());
    for (const auto& round : times) off.push_back(std::abs(round[i] - t.ns));
    t.spread_ns = 1.48 * median(std::move(off));
    if (!any || t.ns < out.all[out.best].ns) out.best = i;
    any = true;
  }
  if (!any) return fail(Code::device, "no variant runs: " + out.all.front().problem);
  return out;
}

}  // namespace vyre::bench

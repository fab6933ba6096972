#include "vyre/report/tune_record_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "vyre/report/page/spread.h"

namespace vyre {
namespace {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  double uniform() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  // A time's noise: mostly narrow, now and then late.
  double noise(double width) {
    const double late = uniform() < 0.02 ? 0.12 * uniform() : 0;
    return std::exp(width * normal()) + late;
  }

 private:
  std::uint64_t state_;
};

std::string text_of(const Configuration& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

struct Space {
  std::vector<Configuration> parameters;
  std::vector<double> true_ns;
  std::vector<double> prior_ns;
};

Space gpu_space(Chance& chance) {
  Space space;
  for (const int width : {32, 64, 96, 128, 192, 256, 384, 512, 1024}) {
    for (const int items : {1, 2, 4}) {
      for (const std::string_view layout : {"strided", "blocked"}) {
        space.parameters.push_back({{"workgroup", fmt::format("{}x1x1", width)},
                                    {"items", std::to_string(items)},
                                    {"layout", std::string(layout)}});
        const double step = std::abs(std::log2(width / 256.0));
        double ns = 186e3 * (1 + 0.012 * step * step) * (items == 4 ? 1 : items == 2 ? 1.09 : 1.22);
        if (layout == "blocked") ns *= 1 + 0.11 * (items - 1);
        if (width == 1024) ns *= 1.12;
        if (width == 32) ns *= 1.35;
        space.true_ns.push_back(ns * (1 + 0.004 * chance.normal()));
        space.prior_ns.push_back(ns / 1.3 * std::exp(0.2 * chance.normal()));
      }
    }
  }
  return space;
}

Space cpu_space(Chance& chance) {
  Space space;
  for (const int gang : {4, 8, 16}) {
    for (const int groups : {1, 4, 16, 64, 256}) {
      space.parameters.push_back(
          {{"gang", std::to_string(gang)}, {"groups", std::to_string(groups)}});
      const double ns = 4.1e6 *
                        (gang == 16  ? 1
                         : gang == 8 ? 1.18
                                     : 1.9) *
                        (1 + 0.9 / groups + groups / 900.0);
      space.true_ns.push_back(ns);
      space.prior_ns.push_back(ns * std::exp(0.1 * chance.normal()));
    }
  }
  return space;
}

// A search that probes in the order of the prior, five pairs a candidate, and takes what is faster
// by one percent.
class Search {
 public:
  Search(TuneRecord& record, Space space, std::uint32_t start, double noise, Chance& chance)
      : record_(record),
        space_(std::move(space)),
        incumbent_(start),
        noise_(noise),
        chance_(chance) {
    for (std::size_t i = 0; i < space_.parameters.size(); ++i)
      record_.candidates.push_back({.text = text_of(space_.parameters[i]),
                                    .parameters = space_.parameters[i],
                                    .prior_ns = space_.prior_ns[i],
                                    .stage = "unmade"});
    for (std::uint32_t i = 0; i < space_.parameters.size(); ++i)
      if (i != start) order_.push_back(i);
    std::ranges::sort(order_, {}, [&](std::uint32_t i) { return space_.prior_ns[i]; });
    known_ns_ = space_.true_ns[start];
    record_.candidates[start].verified = true;
    record_.candidates[start].stage = "verified";
  }

  void run(std::uint64_t calls, std::size_t tried) {
    order_.resize(std::min(order_.size(), tried));
    for (std::uint64_t call = 0; call < calls; ++call) step(call);
    record_.ledger = {
        .spent_ns = clock_ns_, .lost_ns = lost_ns_, .bound_ns = bound_ns(), .share = 0.02};
    record_.decision = record_.candidates[incumbent_].text;
    record_.settled = next_ >= order_.size();
  }

 private:
  double bound_ns() const { return std::min(20e6, 50 * known_ns_) + 0.02 * clock_ns_; }

  // Dear enough for the noise as well.
  bool may_probe(std::uint32_t candidate) const {
    const double cost =
        std::max(0.0, 1.2 * space_.true_ns[candidate] - known_ns_) + 0.1 * known_ns_;
    return lost_ns_ + cost <= bound_ns();
  }

  void span(std::string name, std::string track, double ns, std::uint32_t candidate) {
    record_.spans.push_back({.name = std::move(name),
                             .track = std::move(track),
                             .start_ns = clock_ns_,
                             .duration_ns = ns,
                             .arguments = {{"candidate", record_.candidates[candidate].text}}});
  }

  void step(std::uint64_t call) {
    const bool probe = next_ < order_.size() && call % 2 == 1 && may_probe(order_[next_]);
    const std::uint32_t candidate = probe ? order_[next_] : incumbent_;
    auto& tried = record_.candidates[candidate];
    if (probe && !tried.verified) verify(candidate);
    const double ns = space_.true_ns[candidate] * chance_.noise(noise_);
    span(probe ? "probe" : "call", "calls", ns, candidate);
    clock_ns_ += ns + 3e3;
    tried.samples_ns.push_back(ns);
    if (probe) lost_ns_ += std::max(0.0, ns - known_ns_);
    if (probe && ++pairs_ >= (ns > 1.1 * known_ns_ ? 2 : 6)) decide(candidate);
    record_.calls.push_back({.seconds = clock_ns_ / 1e9,
                             .call = call,
                             .candidate = candidate,
                             .ns = ns,
                             .probe = probe,
                             .incumbent = incumbent_,
                             .incumbent_ns = known_ns_,
                             .lost_ns = lost_ns_,
                             .bound_ns = bound_ns()});
  }

  void verify(std::uint32_t candidate) {
    auto& tried = record_.candidates[candidate];
    span("compile " + tried.text, "compile", 2.4e6, candidate);
    const double cost = 0.07 * known_ns_;
    span("verify", "verify", cost, candidate);
    clock_ns_ += cost;
    lost_ns_ += cost;
    tried.verified = true;
    tried.stage = "verified";
  }

  void decide(std::uint32_t candidate) {
    ++next_;
    pairs_ = 0;
    const double median = spread_of(record_.candidates[candidate].samples_ns).median;
    if (median > 0.99 * known_ns_) return;
    record_.reason =
        fmt::format("faster than {} by {:.1f}% over 6 pairs", record_.candidates[incumbent_].text,
                    100 * (1 - median / known_ns_));
    span("promote", "tuner", 800, candidate);
    incumbent_ = candidate;
    known_ns_ = median;
  }

  TuneRecord& record_;
  Space space_;
  std::vector<std::uint32_t> order_;
  std::uint32_t incumbent_;
  double noise_;
  Chance& chance_;
  std::size_t next_ = 0;
  int pairs_ = 0;
  double clock_ns_ = 0, lost_ns_ = 0, known_ns_ = 0;
};

}  // namespace

TuneRecord synthetic_gpu_record(std::uint64_t calls, std::uint64_t seed) {
  Chance chance(seed);
  TuneRecord record{.kernel = "saxpy",
                    .file = "examples/saxpy.wgsl",
                    .size = "64,000,000 elements",
                    .key = "t1-5be0cd19137e2179a54ff53a5f1d36f1",
                    .origin = "the prior: nothing was known of this kernel on this device",
                    .verified = "every candidate, exactly, on the first and last groups"};
  // 1024x1x1 items=1 strided comes first, as an occupancy calculator would have it.
  Search search(record, gpu_space(chance), 8 * 6, 0.006, chance);
  search.run(calls, 32);
  record.start.candidate = record.candidates[8 * 6].text;
  record.declared = {.candidate = record.candidates[5 * 6].text};
  auto& declared = record.candidates[5 * 6];
  while (declared.samples_ns.size() < 11)
    declared.samples_ns.push_back(227e3 * chance.noise(0.006));
  record.candidates[8 * 6 + 5].dropped =
      "needs 98,304 bytes of registers a group; the device has 65,536";
  record.candidates[1].dropped = "its results differ from the incumbent's in y[31], by 1";
  for (const std::size_t i : {53, 1}) record.candidates[i].stage = "dropped";
  record.bytes = 64e6 * 12;
  return record;
}

TuneRecord synthetic_cpu_record(std::uint64_t calls, std::uint64_t seed) {
  Chance chance(seed);
  TuneRecord record{.kernel = "stencil5",
                    .file = "examples/stencil5.wgsl",
                    .size = "2048x2048",
                    .key = "t1-0123456789abcdef0123456789abcdef",
                    .origin = "another size: 1024x1024 on this device",
                    .verified = "every candidate, exactly"};
  Search search(record, cpu_space(chance), 5, 0.03, chance);
  search.run(calls, 14);
  record.start.candidate = record.candidates[5].text;
  record.declared = {.candidate = "gang=16 groups=1 workgroup=64x1x1", .again_ns = 8.4e6};
  return record;
}

TuneReport synthetic_report(std::uint32_t kernels, std::uint64_t calls) {
  TuneReport report{
      .command = "vyre tune examples/saxpy.wgsl --size 64000000 --budget 30s --report saxpy.html",
      .version = "0.1.0",
      .started_ms = 1'794'755'040'000,
      .seconds = 12.4,
      .budget_seconds = 30,
      .mode = "natural",
      .device = {.name = "NVIDIA H200",
                 .driver = "580.159",
                 .profile = {{"compute", "132 multiprocessors, sm_90, 1,980 MHz"},
                             {"resident", "2,048 threads and 65,536 registers a multiprocessor"},
                             {"shared memory", "227 KiB a group"},
                             {"cache", "50 MiB, last level"},
                             {"memory", "139 GiB at 4.8 TB/s"}},
                 .memory_bytes_per_second = 4.8e12}};
  for (std::uint32_t i = 0; i < kernels; ++i)
    report.kernels.push_back(i % 2 == 0 ? synthetic_gpu_record(calls, i + 1)
                                        : synthetic_cpu_record(calls, i + 1));
  return report;
}

TuneReport hostile_report() {
  const std::string nasty =
      "</script><script>console.error(1)</script><img src=x onerror=console.error(2)>\"'&<b>\n"
      "\xFF\xC0\x80 \xED\xA0\x80]]>-->";
  TuneReport report = synthetic_report(2, 200);
  report.title = report.command = report.version = report.mode = nasty;
  report.device = {.name = nasty, .driver = nasty, .profile = {{nasty, nasty}}};
  for (auto& record : report.kernels) {
    for (auto& candidate : record.candidates) {
      candidate.text += nasty;
      for (auto& [name, value] : candidate.parameters) (name += nasty), value += nasty;
      if (!candidate.dropped.empty()) candidate.dropped = candidate.stage = nasty;
    }
    for (std::string* text : {&record.kernel, &record.file, &record.size, &record.key,
                              &record.reason, &record.origin, &record.verified})
      *text = nasty;
    for (std::string* text :
         {&record.decision, &record.start.candidate, &record.declared.candidate})
      *text += nasty;
    for (auto& span : record.spans) {
      span.name += nasty;
      span.track += nasty;
      span.arguments.emplace_back(nasty, nasty);
    }
  }
  report.kernels[1].untunable = nasty;
  return report;
}

}  // namespace vyre

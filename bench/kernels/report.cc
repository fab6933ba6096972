#include "report.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace vyre::bench {
namespace {

constexpr const char* kClocks[] = {"wall clock", "time of processors"};
constexpr const char* kKeys[kPeers] = {"vyre", "pocl", "gcc", "by_hand"};

std::string cell(const std::optional<double>& v) {
  return v ? fmt::format("{:.2f}", *v) : std::string("-");
}
std::string time_cell(const std::optional<Timing>& t) {
  return t ? fmt::format("{:.2f}", t->median_ms) : std::string("-");
}

struct Goal {
  std::string text;
  bool met = false;
};

std::optional<double> geometric_mean(const Report& r, Peer peer) {
  double sum = 0;
  int n = 0;
  for (const Measured& m : r.kernels) {
    if (!m.ratio[peer]) continue;
    sum += std::log(*m.ratio[peer]);
    ++n;
  }
  if (n == 0) return std::nullopt;
  return std::exp(sum / n);
}

// Every kernel that counts is at least `least`; names those that are not.
Goal each_at_least(const Report& r, Peer peer, double least, bool barriers_too,
                   const std::string& text) {
  Goal out{fmt::format("{} at least {:.2f}", text, least), true};
  std::string below;
  for (const Measured& m : r.kernels) {
    if (!m.ratio[peer] || (m.has_barriers && !barriers_too)) continue;
    if (*m.ratio[peer] >= least) continue;
    below += fmt::format("{}{} {:.2f}", below.empty() ? "" : ", ", m.name, *m.ratio[peer]);
    out.met = false;
  }
  if (!below.empty()) out.text += ": not " + below;
  return out;
}

std::vector<Goal> goals(const Report& r) {
  std::vector<Goal> out;
  if (const auto mean = geometric_mean(r, kPocl)) {
    out.push_back(
        {fmt::format("geometric mean of vyre/PoCL at least 1.50: {:.2f}", *mean), *mean >= 1.5});
    out.push_back(each_at_least(r, kPocl, 0.8, true, "each vyre/PoCL"));
  }
  out.push_back(each_at_least(r, kPlain, 0.95, false, "each vyre/g++ of kernels without barriers"));
  out.push_back(each_at_least(r, kCeiling, 0.8, true, "each vyre/by hand"));
  out.push_back({fmt::format("launch of an empty kernel at most 1000 ns: {:.0f}", r.launch.launch),
                 r.launch.launch <= 1000});
  return out;
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model, name;
  while (std::getline(file, line)) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name") && name.empty()) name = line.substr(colon + 2);
    if (line.starts_with("model\t") && model.empty()) model = line.substr(colon + 2);
  }
  return fmt::format("{} (model {})", name, model);
}

void print_row(const Measured& m, bool with_heading) {
  if (with_heading) {
    fmt::print("{:14} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>12} {:>6}\n", "median ms", "vyre",
               "PoCL", "g++", "by hand", "vyre/PoCL", "vyre/g++", "vyre/by hand", "rounds");
  }
  if (!m.problem.empty()) {
    fmt::print("{:14} {}\n", m.name, m.problem);
  } else {
    fmt::print("{:14} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>12} {:>6}\n", m.name,
               time_cell(m.times[kVyre]), time_cell(m.times[kPocl]), time_cell(m.times[kPlain]),
               time_cell(m.times[kCeiling]), cell(m.ratio[kPocl]), cell(m.ratio[kPlain]),
               cell(m.ratio[kCeiling]), m.rounds);
  }
  std::fflush(stdout);
}

void print_summary(const Report& r) {
  fmt::print("{:14} {:>39} | {:>9} {:>9} {:>12}\n", "geometric mean", "",
             cell(geometric_mean(r, kPocl)), cell(geometric_mean(r, kPlain)),
             cell(geometric_mean(r, kCeiling)));
  fmt::print("\n{}, {} threads each, {}. Ratios are speeds: above 1, vyre is faster.\n",
             r.processor, r.threads, kClocks[r.clock == TimedBy::processor ? 1 : 0]);
  for (const Measured& m : r.kernels) {
    if (m.missing[kPocl].empty()) continue;
    fmt::print("Without PoCL: {}\n", m.missing[kPocl]);
    break;
  }
  fmt::print(
      "An empty kernel: {:.0f} ns a launch; an empty call {:.1f} ns, an OpenMP loop of one "
      "iteration {:.0f} ns.\n",
      r.launch.launch, r.launch.call, r.launch.openmp);
  for (const Goal& g : goals(r)) fmt::print("{}  {}\n", g.met ? "met   " : "MISSED", g.text);
}

std::string to_json(const Report& r) {
  nlohmann::json out;
  out["processor"] = r.processor;
  out["threads"] = r.threads;
  out["clock"] = kClocks[r.clock == TimedBy::processor ? 1 : 0];
  out["launch_ns"] = {{"empty_kernel", r.launch.launch},
                      {"empty_call", r.launch.call},
                      {"openmp_loop", r.launch.openmp}};
  for (const Measured& m : r.kernels) {
    nlohmann::json k;
    k["name"] = m.name;
    k["barriers"] = m.has_barriers;
    k["rounds"] = m.rounds;
    if (!m.problem.empty()) k["problem"] = m.problem;
    for (std::size_t peer = 0; peer < kPeers; ++peer) {
      if (!m.missing[peer].empty()) k["missing"][kKeys[peer]] = m.missing[peer];
      if (!m.times[peer]) continue;
      const Timing& t = *m.times[peer];
      k["ms"][kKeys[peer]] = {{"median", t.median_ms},
                              {"quartiles", {t.quartile_low_ms, t.quartile_high_ms}}};
      if (peer != kVyre) k["ratio"][kKeys[peer]] = *m.ratio[peer];
    }
    out["kernels"].push_back(std::move(k));
  }
  for (const Peer peer : {kPocl, kPlain, kCeiling}) {
    if (const auto mean = geometric_mean(r, peer)) out["geometric_mean"][kKeys[peer]] = *mean;
  }
  for (const Goal& g : goals(r)) out["goals"].push_back({{"text", g.text}, {"met", g.met}});
  return out.dump(2);
}

}  // namespace vyre::bench

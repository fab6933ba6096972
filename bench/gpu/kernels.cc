// The twelve kernels, or those of the corpus, on an NVIDIA GPU beside nvcc's code for the same
// kernels, in one run.
//
// Every result is checked before it is timed. Times are the device's own, in batches; the sides
// take turns. A ratio above 1 means that vyre is faster.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "case_problem.h"
#include "checks.h"
#include "launch_cost.h"
#include "side.h"
#include "vyre/base/files/files.h"

namespace vyre::bench {
namespace {

constexpr const char* kUsage =
    "gpu_suite bench --peers FILE [--corpus 0|1] [--root FOLDER] [--device NAME] [--only NAME,...] "
    "[--variants 0|1] [--rounds N] [--json FILE]";

struct Options {
  std::string peers, root = ".", device = "cuda", only, json;
  unsigned rounds = 15;
  bool corpus = false;   // its kernels, and the peers are its twins
  bool variants = true;  // with several items per lane are timed as well
};

struct Row {
  std::string name;
  double vyre_us = 0, nvcc_us = 0, ratio = 0;
  bool looks_at_timer = false;  // an uncounted loop carries a deadline check
  std::string best;             // the fastest of the variants tried
  double best_us = 0;
  std::string problem;
};

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v.empty() ? 0 : v[v.size() / 2];
}

Result<std::vector<std::byte>> bytes_of_file(const std::string& path) {
  VYRE_TRY(const std::string text, read_file(path));
  std::vector<std::byte> out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return out;
}

// About two milliseconds of the device.
unsigned batch_of(double us) {
  return static_cast<unsigned>(std::clamp(2000.0 / std::max(us, 1.0), 3.0, 200.0));
}

Result<Row> measure(const Session& session, const Problem& problem, const std::string& wgsl,
                    const std::vector<std::byte>& cubin, const Options& options) {
  const unsigned rounds = options.rounds;
  Row row;
  row.name = problem.name;
  VYRE_TRY(auto ours, Side::of_wgsl(session, problem, wgsl, {}));
  VYRE_TRY(auto theirs, Side::of_cubin(session, problem, cubin));
  for (const bool mine : {true, false}) {
    VYRE_TRY(const auto wrong, (mine ? ours : theirs).wrong_result());
    if (wrong.empty()) continue;
    row.problem = fmt::format("{} gives a wrong result: {}", mine ? "vyre" : "nvcc", wrong);
    return row;
  }
  VYRE_TRY(const double first, ours.time(3));
  const unsigned batch = batch_of(first);
  std::vector<double> mine, nvcc, ratios;
  for (unsigned i = 0; i < rounds + 2; ++i) {
    VYRE_TRY(const double a, ours.time(batch));
    VYRE_TRY(const double b, theirs.time(batch));
    if (i < 2) continue;  // clocks settle
    mine.push_back(a);
    nvcc.push_back(b);
    ratios.push_back(b / a);
  }
  row.vyre_us = median(mine);
  row.nvcc_us = median(nvcc);
  row.ratio = median(ratios);
  row.looks_at_timer = problem.name == "mandelbrot";

  row.best_us = row.vyre_us;
  row.best = to_string(ours.dispatch().variant());
  if (!options.variants) return row;
  for (const std::uint32_t items : {2U, 4U, 8U}) {
    for (const auto layout : {ItemLayout::strided, ItemLayout::blocked}) {
      Variant v = ours.dispatch().variant();
      v.items_per_lane = items;
      v.layout = layout;
      auto side = Side::of_wgsl(session, problem, wgsl, v);
      if (!side) continue;  // not for this program
      VYRE_TRY(const auto wrong, side->wrong_result());
      if (!wrong.empty()) {
        row.problem = fmt::format("{} gives a wrong result: {}", to_string(v), wrong);
        return row;
      }
      std::vector<double> us;
      for (unsigned i = 0; i < rounds; ++i) {
        VYRE_TRY(const double t, side->time(batch));
        us.push_back(t);
      }
      if (median(us) < row.best_us) {
        row.best_us = median(us);
        row.best = to_string(v);
      }
    }
  }
  return row;
}

// y = a*x + y over 64M floats, in place, as it is and with several items a lane.
struct Streaming {
  std::string variant;
  double us = 0;
};
Result<std::vector<Streaming>> measure_streaming(const Session& session, unsigned rounds) {
  constexpr std::uint32_t kCount = 64U << 20;
  const std::string text =
      "@group(0) @binding(0) var<uniform> a: f32;\n"
      "@group(0) @binding(1) var<storage, read> x: array<f32>;\n"
      "@group(0) @binding(2) var<storage, read_write> y: array<f32>;\n"
      "@compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  if (id.x < arrayLength(&y)) { y[id.x] = a * x[id.x] + y[id.x]; }\n}\n";
  VYRE_TRY(const Kernel kernel, kernel_of(text, "saxpy"));
  VYRE_TRY(const Buffer a, session.buffer(256));
  VYRE_TRY(const Buffer x, session.buffer(std::uint64_t{kCount} * 4));
  VYRE_TRY(const Buffer y, session.buffer(std::uint64_t{kCount} * 4));
  const std::vector<Binding> bindings{{0, 0, a, 0, {}}, {0, 1, x, 0, {}}, {0, 2, y, 0, {}}};
  std::vector<Streaming> out;
  for (const std::uint32_t width : {256U, 512U, 1024U}) {
    for (const std::uint32_t items : {1U, 2U, 4U, 8U}) {
      for (const auto layout : {ItemLayout::strided, ItemLayout::blocked}) {
        if (items == 1 && layout == ItemLayout::blocked) continue;
        Variant v;
        v.workgroup = {width, 1, 1};
        v.items_per_lane = items;
        v.layout = layout;
        VYRE_TRY(const Dispatch d,
                 session.prepare(kernel, bindings, DispatchSize::extent({kCount, 1, 1}), v));
        std::vector<double> us;
        for (unsigned i = 0; i < rounds; ++i) {
          VYRE_TRY(const auto begin, session.record());
          for (int j = 0; j < 10; ++j) VYRE_CHECK(session.submit(d));
          VYRE_TRY(const auto end, session.record());
          VYRE_CHECK(end->wait());
          VYRE_TRY(const auto spent, end->since(*begin));
          us.push_back(std::chrono::duration<double, std::micro>(spent).count() / 10);
        }
        out.push_back({to_string(v), median(us)});
      }
    }
  }
  return out;
}

Options parse(Arguments arguments) {
  Options out;
  while (arguments.next()) {
    const std::string_view option = arguments.option();
    if (option == "--peers") {
      out.peers = arguments.value();
    } else if (option == "--root") {
      out.root = arguments.value();
    } else if (option == "--device") {
      out.device = arguments.value();
    } else if (option == "--only") {
      out.only = arguments.value();
    } else if (option == "--variants") {
      out.variants = arguments.number(0U, 1U) != 0;
    } else if (option == "--corpus") {
      out.corpus = arguments.number(0U, 1U) != 0;
    } else if (option == "--rounds") {
      out.rounds = arguments.number(1U, 10'000U);
    } else if (option == "--json") {
      out.json = arguments.value();
    } else {
      arguments.refuse_option();
    }
  }
  if (out.peers.empty()) {
    arguments.refuse("--peers names the cubin that nvcc made of bench/gpu/peers.cu");
  }
  return out;
}

struct Task {
  std::string name;
  std::function<Result<Problem>()> make;
};

std::vector<Task> tasks_of(const Options& options) {
  std::vector<Task> out;
  if (options.corpus) {
    for (const auto& file : corpus_files(options.root + "/bench/corpus")) {
      out.push_back({file.stem().string(), [file]() -> Result<Problem> {
                       VYRE_TRY(auto made, make_case_problem(file, CaseSize::large));
                       return std::move(made.problem);
                     }});
    }
  } else {
    for (const std::string& name : problem_names()) {
      out.push_back({name, [name] { return make_problem(name, Size::large); }});
    }
  }
  if (!options.only.empty()) {
    std::erase_if(out, [&](const Task& task) {
      return !fmt::format(",{},", options.only).contains(fmt::format(",{},", task.name));
    });
  }
  return out;
}

Result<Row> measure_task(const Session& session, const Options& options, const Task& task,
                         const std::vector<std::byte>& cubin) {
  VYRE_TRY(const Problem problem, task.make());
  VYRE_TRY(const std::string wgsl, read_file(options.root + "/" + wgsl_path(problem)));
  return measure(session, problem, wgsl, cubin, options);
}

Result<int> run(const Options& options) {
  const std::vector<Task> tasks = tasks_of(options);
  if (tasks.empty()) return fail(Code::invalid_input, "no kernel has one of these names");
  VYRE_TRY(const Session session, Session::open(options.device, {}));
  VYRE_TRY(const Profile profile, session.device().profile());
  VYRE_TRY(const auto cubin, bytes_of_file(options.peers));
  fmt::print("{}\n\n{:<20} {:>10} {:>10} {:>7}  fastest variant tried\n", to_string(profile),
             "kernel", "vyre us", "nvcc us", "ratio");
  nlohmann::json json{{"device", to_string(profile)}, {"kernels", nlohmann::json::array()}};
  bool good = true;
  double logs = 0;
  std::size_t counted = 0;
  for (const Task& task : tasks) {
    const auto measured = measure_task(session, options, task, cubin);
    Row row;
    if (measured) {
      row = *measured;
    } else {
      row.name = task.name;
      row.problem = describe(measured.error());
    }
    if (!row.problem.empty()) {
      fmt::print("{:<20} {}\n", row.name, row.problem);
      good = false;
      json["kernels"].push_back({{"name", row.name}, {"problem", row.problem}});
      continue;
    }
    const double wanted = options.corpus ? 0.95 : row.looks_at_timer ? 0.92 : 0.97;
    fmt::print("{:<20} {:>10.2f} {:>10.2f} {:>7.3f}{} {:.2f} us: {}\n", row.name, row.vyre_us,
               row.nvcc_us, row.ratio, row.ratio < wanted ? "!" : " ", row.best_us, row.best);
    std::fflush(stdout);
    logs += std::log(row.ratio);
    ++counted;
    json["kernels"].push_back({{"name", row.name},
                               {"vyre_us", row.vyre_us},
                               {"nvcc_us", row.nvcc_us},
                               {"ratio", row.ratio},
                               {"wanted", wanted},
                               {"best_variant", row.best},
                               {"best_us", row.best_us}});
  }
  if (counted != 0) {
    fmt::print("geometric mean {:.3f} (! is below {})\n",
               std::exp(logs / static_cast<double>(counted)),
               options.corpus ? "0.95" : "0.97, or 0.92 where a loop looks at the timer");
  }
  if (options.only.empty() && !options.corpus) {
    VYRE_TRY(const auto streaming, measure_streaming(session, options.rounds));
    fmt::print("\nsaxpy in place over 64M floats (805 MB moved)\n");
    for (const Streaming& s : streaming) {
      fmt::print("  {:<34} {:>8.1f} us  {:.2f} TB/s\n", s.variant, s.us, 805.3 / s.us);
      json["saxpy_64m"].push_back({{"variant", s.variant}, {"us", s.us}});
    }
    VYRE_TRY(const LaunchCost cost, measure_launch_cost(session, cubin));
    fmt::print(
        "\nhost time of a launch: bare {:.0f} ns, own kernel {:.0f} ns (+{:.0f}), "
        "WGSL kernel {:.0f} ns (+{:.0f})\n",
        cost.bare_ns, cost.own_ns, cost.own_ns - cost.bare_ns, cost.wgsl_ns,
        cost.wgsl_ns - cost.bare_ns);
    json["launch_ns"] = {{"bare", cost.bare_ns}, {"own", cost.own_ns}, {"wgsl", cost.wgsl_ns}};
    const auto folder = std::filesystem::temp_directory_path() /
                        fmt::format("vyre-gpu-bench-{}", static_cast<long>(getpid()));
    VYRE_TRY(const std::string saxpy, read_file(options.root + "/bench/kernels/wgsl/saxpy.wgsl"));
    VYRE_TRY(const SecondStart start, measure_second_start(options.device, saxpy, folder));
    std::filesystem::remove_all(folder);
    fmt::print("text to launched: first {:.1f} ms, second start {:.2f} ms ({})\n", start.first_ms,
               start.second_ms, start.from_disk ? "code from disk" : "compiled again");
    json["start_ms"] = {{"first", start.first_ms}, {"second", start.second_ms}};
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << json.dump(2) << '\n';
    if (!file) return fail(Code::io, "cannot write " + options.json);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace vyre::bench

int bench_main(int argc, char** argv) {
  const auto done =
      vyre::bench::run(vyre::bench::parse({"gpu_suite", vyre::bench::kUsage, argc, argv}));
  if (done) return *done;
  fmt::print(stderr, "gpu_suite: {}\n", describe(done.error()));
  return 1;
}

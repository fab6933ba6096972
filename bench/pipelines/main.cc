// Pipelines fused and stage by stage, in turns, after their results were compared.
//
//   pipelines_bench [--device NAME] [--case chain|image|tiny] [--rounds N] [--tune] [--root FOLDER]
//
// chain: four elementwise stages over 16M floats (64M on a GPU). image: examples/edges at
// 4096x4096. tiny: 64 stages over 4096 floats, which cost what launching them costs; beside them
// the same launches submitted one by one. Times are of one run, from its submission to its end;
// `tiny` also tells the time of one of 100 runs that are submitted in a row.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/files/files.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/pipeline/pipeline_file.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string device = "cpu";
  std::string only;
  std::string root = ".";
  unsigned rounds = 9;
  bool tune = false;
};

struct Case {
  std::string name{};
  std::string text{};  // the pipeline
  std::string kernels{};
  std::string result{};  // a buffer
  std::vector<std::pair<std::string, std::uint64_t>> dims{};
  // What element i of the result must be; none: it is only compared between the two ways.
  std::function<float(std::uint64_t)> expected{};
};

constexpr const char* kElementwise = R"(
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(256) fn half_(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] * 0.5; }
}
@compute @workgroup_size(256) fn more(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] + 3.0; }
}
@compute @workgroup_size(256) fn least(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = min(a[id.x], 1000.0); }
}
)";

std::string stage(std::string_view name, std::string_view entry, std::string_view from,
                  std::string_view to) {
  return fmt::format(
      "[[stage]]\nname = \"{}\"\nentry = \"{}\"\nfile = \"k.wgsl\"\nsize = [\"n\"]\n"
      "bind = {{ a = \"{}\", b = \"{}\" }}\n",
      name, entry, from, to);
}

std::string buffers(std::string_view temporaries) {
  std::string out =
      "vyre = 1\nname = \"bench\"\n[dims]\nn = 4096\n[buffers]\n"
      "x = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:iota\" }\n"
      "y = { type = \"array<f32>\", shape = [\"n\"], sink = \"y.npy\" }\n";
  for (const char name : temporaries) {
    out += fmt::format("{} = {{ type = \"array<f32>\", shape = [\"n\"] }}\n", name);
  }
  return out;
}

Case chain(bool gpu) {
  Case out{.name = "chain", .kernels = kElementwise, .result = "y"};
  out.text = buffers("rst") + stage("one", "half_", "x", "r") + stage("two", "more", "r", "s") +
             stage("three", "half_", "s", "t") + stage("four", "least", "t", "y");
  out.dims = {{"n", gpu ? 64U << 20U : 16U << 20U}};
  out.expected = [](std::uint64_t i) { return std::min((float(i) * 0.5F + 3.0F) * 0.5F, 1000.0F); };
  return out;
}

Case tiny() {
  Case out{.name = "tiny", .kernels = kElementwise, .result = "y"};
  out.text = buffers("st");
  for (int i = 0; i < 64; ++i) {
    const char* from = i == 0 ? "x" : i % 2 == 1 ? "s" : "t";
    const char* to = i == 63 ? "y" : i % 2 == 0 ? "s" : "t";
    out.text += stage(fmt::format("stage{}", i), "more", from, to);
  }
  out.expected = [](std::uint64_t i) { return float(i) + 64 * 3.0F; };
  return out;
}

Result<Case> image(const Options& options) {
  const std::string folder = options.root + "/examples/edges/";
  Case out{.name = "image", .result = "edges"};
  VYRE_TRY(out.text, read_file(folder + "edges.toml", 1 << 20));
  VYRE_TRY(out.kernels, read_file(folder + "edges.wgsl", 1 << 20));
  out.dims = {{"width", 4096}, {"height", 4096}};
  return out;
}

Result<ReadyPipeline> ready(const Case& c) {
  ReadyOptions how;
  how.dims = c.dims;
  how.place = [](const std::string& file) { return file; };
  how.read_file = [&](const std::string&) -> Result<std::string> { return c.kernels; };
  VYRE_TRY(const Pipeline pipeline, parse_pipeline(c.text, c.name + ".toml"));
  return make_ready(pipeline, how);
}

double us_of(const std::function<Result<void>()>& run, unsigned times = 1) {
  const auto begun = Clock::now();
  for (unsigned i = 0; i < times; ++i) {
    if (const auto done = run(); !done) {
      fmt::print(stderr, "{}\n", describe(done.error()));
      std::exit(1);
    }
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - begun).count() / times;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// All ways in turns; the figures of each way, and how often its time goes into the first one's.
void compare(std::string_view name, const std::vector<std::string>& ways,
             const std::vector<std::function<double()>>& runs, unsigned rounds) {
  std::vector<std::vector<double>> times(ways.size()), ratios(ways.size());
  for (unsigned r = 0; r < rounds; ++r) {
    std::vector<double> now;
    for (const auto& run : runs) now.push_back(run());
    for (std::size_t w = 0; w < ways.size(); ++w) {
      times[w].push_back(now[w]);
      ratios[w].push_back(now[w] / now[0]);
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const auto [least, most] = std::ranges::minmax(ratios[w]);
    fmt::print("{:<8} {:<26} {:>12.2f} us   {:.2f} ({:.2f} to {:.2f}) times the first\n", name,
               ways[w], median(times[w]), median(ratios[w]), least, most);
  }
}

Result<void> check(const Case& c, const ReadyPipeline& pipeline, const PreparedPipeline& fused,
                   const PreparedPipeline& apart) {
  const std::size_t buffer = *pipeline.find(c.result);
  std::vector<float> one(pipeline.buffers[buffer].bytes / 4), two(one.size());
  VYRE_CHECK(fused.read(c.result, one));
  VYRE_CHECK(apart.read(c.result, two));
  if (std::memcmp(one.data(), two.data(), one.size() * 4) != 0) {
    return fail(Code::device, c.name + ": fused and separate results differ");
  }
  for (std::uint64_t i = 0; c.expected && i < one.size(); ++i) {
    if (one[i] == c.expected(i)) continue;
    return fail(Code::device, fmt::format("{}: element {} is {}, and should be {}", c.name, i,
                                          one[i], c.expected(i)));
  }
  return {};
}

// The launches of the separate stages, submitted one after the other.
struct OneByOne {
  std::vector<Buffer> memory;
  std::vector<Dispatch> launches;
  static Result<OneByOne> make(const Session& session, const ReadyPipeline& pipeline) {
    OneByOne out;
    for (const ReadyBuffer& b : pipeline.buffers) {
      VYRE_TRY(out.memory.emplace_back(), session.buffer(b.bytes));
    }
    for (const ReadyStage& stage : pipeline.stages) {
      std::vector<Binding> bindings;
      for (const StageBinding& b : stage.bindings) {
        bindings.push_back({b.group, b.binding, out.memory[b.buffer]});
      }
      VYRE_TRY(out.launches.emplace_back(),
               session.prepare(stage.kernel, bindings, DispatchSize::extent(stage.extent)));
    }
    return out;
  }
  Result<void> submit(const Session& session) const {
    for (const Dispatch& d : launches) VYRE_CHECK(session.submit(d));
    return {};
  }
};

Result<void> run_case(const Options& options, const Session& session, const Case& c) {
  VYRE_TRY(const ReadyPipeline pipeline, ready(c));
  VYRE_TRY(const PipelinePlan fused_plan, plan_pipeline(pipeline, {}));
  VYRE_TRY(const PipelinePlan apart_plan,
           plan_pipeline(pipeline, {.fuse = false, .memory_budget = {}, .limits = {}}));
  const auto shared = std::make_shared<const ReadyPipeline>(pipeline);
  VYRE_TRY(auto fused, PreparedPipeline::make(session, shared,
                                              std::make_shared<const PipelinePlan>(fused_plan)));
  VYRE_TRY(auto apart, PreparedPipeline::make(session, shared,
                                              std::make_shared<const PipelinePlan>(apart_plan)));
  const unsigned warm = options.tune ? 400 : 3;
  for (unsigned i = 0; i < warm; ++i) {
    VYRE_CHECK(fused.run());
    VYRE_CHECK(apart.run());
  }
  VYRE_CHECK(check(c, pipeline, fused, apart));
  fmt::print("{}: {} stages, fused into {} launches; {} / {}\n", c.name, pipeline.stages.size(),
             fused_plan.launches.size(), fused.played(), apart.played());
  const unsigned times = c.name == "tiny" ? 50 : 1;
  const auto run_of = [&](PreparedPipeline& p) {
    return [&p, times] { return us_of([&] { return p.run(); }, times); };
  };
  std::vector<std::string> ways{"fused", "separate"};
  std::vector<std::function<double()>> runs{run_of(fused), run_of(apart)};
  std::optional<OneByOne> single;
  if (c.name == "tiny") {
    VYRE_TRY(single, OneByOne::make(session, pipeline));
    const auto submitted = [&](const std::function<Result<void>()>& one) {
      return [&session, one] {
        return us_of([&]() -> Result<void> {
                 for (int i = 0; i < 100; ++i) VYRE_CHECK(one());
                 return session.wait();
               }) /
               100;
      };
    };
    ways.insert(ways.end(),
                {"launches one by one", "separate, 100 in a row", "one by one, 100 in a row"});
    runs.emplace_back([&] {
      return us_of(
          [&]() -> Result<void> {
            VYRE_CHECK(single->submit(session));
            return session.wait();
          },
          times);
    });
    runs.emplace_back(submitted([&] { return apart.submit(); }));
    runs.emplace_back(submitted([&] { return single->submit(session); }));
  }
  compare(c.name, ways, runs, options.rounds);
  return {};
}

Result<void> run(const Options& options) {
  VYRE_TRY(SessionOptions how, SessionOptions::from_environment());
  how.code_folder.reset();
  if (options.tune && how.tuning) how.tuning->mode = TunerMode::natural_gradient;
  if (how.tuning) how.tuning->evidence.reset();
  if (!options.tune) how.tuning.reset();
  VYRE_TRY(const Session session, Session::open(options.device, std::move(how)));
  VYRE_TRY(Case picture, image(options));
  for (const Case& c : {chain(options.device != "cpu"), std::move(picture), tiny()}) {
    if (options.only.empty() || options.only == c.name) VYRE_CHECK(run_case(options, session, c));
  }
  return {};
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) {
  vyre::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--tune") {
      options.tune = true;
      continue;
    }
    if (i + 1 == argc) {
      fmt::print(stderr, "pipelines_bench: {} needs a value, or is unknown\n", name);
      return 2;
    }
    const char* value = argv[++i];
    if (name == "--device") options.device = value;
    if (name == "--case") options.only = value;
    if (name == "--root") options.root = value;
    if (name == "--rounds") options.rounds = static_cast<unsigned>(std::max(1, std::atoi(value)));
  }
  const auto done = vyre::run(options);
  if (done) return 0;
  fmt::print(stderr, "pipelines_bench: {}\n", vyre::describe(done.error()));
  return 1;
}

// One launch, planned and run: `vyre plan` and `vyre run` are given the same arguments, and what
// they say of the launch is compared part by part, and with what the device was asked to launch.
// Caches are empty, tuned, pinned, or hold only a decision file or a hint. On a GPU that only
// pretends to launch, the plan of a prepared dispatch takes the place of the run.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "generator.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/device/null/null_device.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/engine/session.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/slots.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/plan/variants/variant_space.h"
#include "vyre/tune/evidence/evidence.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using Json = nlohmann::json;

// Sizes that are multiples of nothing.
constexpr Extent kFlat{1009, 1, 1}, kPlane{67, 41, 1}, kSpace{19, 11, 7};

enum class Cache : std::uint8_t { empty, tuned, pinned, decision_file, hint };
constexpr std::array kDecided{Cache::empty, Cache::tuned, Cache::pinned, Cache::decision_file};

struct Case {
  std::string name, text;
  Kernel kernel;
  std::vector<std::string> arguments;
  DispatchSize size;
};

// Data for everything that the kernel reads.
std::vector<std::string> inputs_for(const Program& program, std::uint64_t elements) {
  std::vector<std::string> out;
  for (const GlobalId id : slots_of(program)) {
    const Global& global = program[id];
    if (global.memory == MemoryKind::storage && global.access != Access::read) continue;
    const bool sized_at_run_time = buffer_layout(program.types, global.type).runtime_sized;
    out.emplace_back("--in");
    out.push_back(sized_at_run_time ? fmt::format("{}=fill:zeros:{}", global.name, elements)
                                    : fmt::format("{}=fill:zeros", global.name));
  }
  return out;
}

void add_cases(std::vector<Case>& out, const std::string& name, const std::string& text,
               std::optional<Extent> given = {}) {
  const ParsedModule parsed = parse_wgsl(text, name);
  if (!parsed.module) return;  // a random program may be no WGSL: its caller counts
  for (const Program& program : parsed.module->programs) {
    auto kernel = make_kernel(program);
    if (!kernel) continue;  // an override has no value
    const Extent& workgroup = kernel->program->workgroup;
    const Extent extent = given              ? *given
                          : workgroup[2] > 1 ? kSpace
                          : workgroup[1] > 1 ? kPlane
                                             : kFlat;
    for (const bool in_workgroups : {false, true}) {
      Case c{.name = fmt::format("{} {}", name, program.name),
             .text = text,
             .kernel = *kernel,
             .arguments = inputs_for(*kernel->program, 5000),
             .size = DispatchSize::extent(extent)};
      Extent value = extent;
      if (in_workgroups) {
        value = {5, extent[1] > 1 ? 3U : 1U, extent[2] > 1 ? 2U : 1U};
        c.size = DispatchSize::workgroups(value);
      }
      c.arguments.insert(c.arguments.end(), {in_workgroups ? "--grid" : "--size",
                                             fmt::format("{},{},{}", value[0], value[1], value[2]),
                                             "--entry", program.name});
      out.push_back(std::move(c));
    }
  }
}

class PlanAndRun : public testing::Test {
 protected:
  PlanAndRun() {
    ::unsetenv("VYRE_AUTOTUNER");
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  }
  ~PlanAndRun() override { ::unsetenv("XDG_CACHE_HOME"); }

  // The device that the environment names stands for all others.
  static std::vector<std::string> devices() {
    if (const char* only = std::getenv("VYRE_PLAN_AND_RUN_DEVICE")) return {only};
    return {"cpu", "null"};
  }

  static Result<Session> open(const std::string& device, const std::string& mode = "frozen") {
    VYRE_TRY(auto options, SessionOptions::from_environment());
    options.tuning->mode = *mode_of_word(mode);
    return Session::open(device, std::move(options));
  }

  void forget() const { std::filesystem::remove_all(folder_.path() / "vyre" / "tuner"); }

  // Writes what the state of the cache asks for, for this launch; false: it can hold nothing.
  static bool remember(Cache cache, const Case& c, const std::string& device) {
    if (cache == Cache::empty) return true;
    const auto session = open(device);
    EXPECT_TRUE(session) << describe(session.error());
    const PlanDevice facts = plan_device_of(session->device());
    const Extent extent = *extent_in(c.size, c.kernel.program->workgroup);
    if (cache == Cache::decision_file) {
      if (c.size.in_workgroups || !why_undecidable(c.kernel, extent).empty()) return false;
      // A workgroup that is no candidate would decide nothing.
      const Variant usual = session->default_variant(c.kernel);
      for (const Variant& v : session->variants(c.kernel, c.size)) {
        Variant as_usual = v;
        as_usual.workgroup = usual.workgroup;
        if (v == usual || as_usual != usual) continue;
        EXPECT_TRUE(export_decision(adapter_of(facts), c.kernel, extent, v.workgroup));
        return true;
      }
      return false;
    }
    const std::vector<Variant> variants = session->variants(c.kernel, c.size);
    if (variants.size() < 2) return false;
    const EvidenceEvent event{
        .kind = cache == Cache::pinned ? EventKind::pinned : EventKind::settled,
        .candidate = to_string(configuration_of(variants.back(), facts.kind)),
        .reason = "a test says so"};
    const auto store = EvidenceStore::open(evidence_path());
    EXPECT_TRUE(store) << describe(store.error());
    TuningKey key = tuning_key_of(facts, to_hex(c.kernel.fingerprint), c.kernel.program->name,
                                  extent, c.size.in_workgroups);
    if (cache == Cache::hint) key.driver = "another driver";
    EXPECT_TRUE((*store)->append(key, std::span(&event, 1)));
    return true;
  }

  static Json command(const std::string& word, const Case& c, const std::string& device,
                      const std::string& mode) {
    std::vector<std::string> arguments{word, "-", "--device", device, "--json", "--mode", mode};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const CommandResult done = run_vyre(arguments, c.text);
    EXPECT_EQ(done.exit, 0) << c.name << ": " << done.err;
    return done.exit == 0 ? Json::parse(done.out) : Json();
  }

  // The launch of a plan, with buffers of its sizes.
  static Result<Dispatch> prepare(const Session& session, const Case& c, const Json& plan) {
    std::vector<Binding> bindings;
    for (const Json& b : plan.at("bindings")) {
      if (b.at("role") == "shared") continue;
      VYRE_TRY(Buffer buffer, session.buffer(b.at("bytes")));
      bindings.push_back({.group = b.at("group"),
                          .binding = b.at("binding"),
                          .buffer = std::move(buffer),
                          .initialised = b.at("role") != "output"});
    }
    return session.prepare(c.kernel, bindings, c.size);
  }

  // What really runs, as the same JSON.
  static Json launched(const Case& c, const std::string& device, const std::string& mode,
                       const Json& plan) {
    if (!device.starts_with("cuda")) return command("run", c, device, mode).at("plan");
    const auto session = open(device, mode);
    EXPECT_TRUE(session) << describe(session.error());
    const auto dispatch = prepare(*session, c, plan);
    EXPECT_TRUE(dispatch) << describe(dispatch.error());
    return dispatch ? Json::parse(plan_json(dispatch->plan())) : plan;
  }

  static std::vector<std::string> expected_authorities(Cache cache, const std::string& mode) {
    switch (cache) {
      case Cache::empty:
        if (mode == "natural") return {"declared", "model"};
        return {"declared"};
      case Cache::tuned: return {"evidence"};
      case Cache::pinned: return {"pin"};
      case Cache::decision_file: return {"decision file"};
      case Cache::hint: return {mode == "natural" ? "hint" : "declared"};
    }
    return {};
  }

  // False: the cache can hold nothing about this launch, and nothing was compared.
  bool compare(const Case& c, const std::string& device, Cache cache,
               const std::string& mode = "frozen") {
    forget();
    if (!remember(cache, c, device)) return false;
    const Json plan = command("plan", c, device, mode);
    if (plan.is_null()) return true;
    if (!device.starts_with("cuda")) compare_recorded(c, device, mode, plan);
    const Json ran = launched(c, device, mode, plan);
    const std::string which = fmt::format("{} on {}, mode {}", c.name, device, mode);
    for (const char* part : {"variant", "grid", "extent", "choices", "decided_by", "bindings",
                             "param_words", "logical_grid", "element_count", "mode"}) {
      EXPECT_EQ(plan.at(part), ran.at(part)) << which << ", " << part;
    }
    // A device that runs nothing is never searched on.
    const auto expected = expected_authorities(cache, device == "null" ? "frozen" : mode);
    const std::string by = plan.at("decided_by");
    EXPECT_NE(std::ranges::count(expected, by), 0) << which << ": " << by;
    ++compared_;
    return true;
  }

  // What the device was asked to launch first, which no report stands between.
  static void compare_recorded(const Case& c, const std::string& device, const std::string& mode,
                               const Json& plan) {
    const std::shared_ptr<NullDevice> null = NullDevice::make();
    std::vector<NullRecord> records;
    auto options = SessionOptions::from_environment();
    ASSERT_TRUE(options);
    options->tuning->mode = *mode_of_word(mode);
    options->cpu.after_launch = [&](const Launch& l) {
      records.push_back({.kernel = std::string(l.kernel),
                         .grid = l.grid,
                         .extent = l.extent,
                         .workgroup = l.workgroup});
    };
    const auto session = device == "null" ? Session::open(null, *std::move(options))
                                          : Session::open(device, *std::move(options));
    ASSERT_TRUE(session) << describe(session.error());
    const auto dispatch = prepare(*session, c, plan);
    ASSERT_TRUE(dispatch) << describe(dispatch.error());
    null->forget();
    ASSERT_TRUE(session->run(*dispatch));
    if (device == "null") records = null->records();
    ASSERT_EQ(records.size(), 1U) << c.name;
    EXPECT_EQ(Json(records[0].kernel), plan.at("kernel"));
    EXPECT_EQ(Json(records[0].grid), plan.at("grid")) << c.name;
    EXPECT_EQ(Json(records[0].extent), plan.at("extent")) << c.name;
    EXPECT_EQ(Json(records[0].workgroup), plan.at("variant").at("workgroup")) << c.name;
  }

  TemporaryFolder folder_;
  unsigned compared_ = 0;
};

TEST_F(PlanAndRun, AgreeOnEveryExample) {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(VYRE_ROOT_DIR "/examples")) {
    if (entry.path().extension() != ".wgsl") continue;
    add_cases(cases, entry.path().filename(), *read_file(entry.path()));
  }
  ASSERT_GE(cases.size(), 16U);
  for (const std::string& device : devices()) {
    for (const Case& c : cases) {
      for (const Cache cache : kDecided) compare(c, device, cache);
    }
  }
  EXPECT_GE(compared_, cases.size());
}

std::vector<Case> cases_of(const char* example) {
  std::vector<Case> out;
  add_cases(out, example, *read_file(std::filesystem::path(VYRE_ROOT_DIR "/examples") / example));
  return out;
}
constexpr std::array kExamples{"saxpy.wgsl", "matmul.wgsl", "histogram.wgsl"};

// A run that may search launches first what was planned in the same mode.
TEST_F(PlanAndRun, AgreeInEveryMode) {
  for (const std::string& device : devices()) {
    for (const char* example : kExamples) {
      for (const Case& c : cases_of(example)) {
        compare(c, device, Cache::empty, "off");
        for (const Cache cache : kDecided) compare(c, device, cache, "natural");
        compare(c, device, Cache::hint, "natural");
        compare(c, device, Cache::hint, "frozen");
      }
    }
  }
  EXPECT_GE(compared_, 20 * devices().size());
}

// A sweep leaves what it ran last.
TEST_F(PlanAndRun, ASweepAgreesWithThePlanAfterIt) {
  if (std::getenv("VYRE_PLAN_AND_RUN_DEVICE") != nullptr) GTEST_SKIP() << "nothing runs there";
  for (const char* example : kExamples) {
    for (const Case& c : cases_of(example)) {
      forget();
      const Json swept = command("run", c, "cpu", "on");
      const Json plan = command("plan", c, "cpu", "frozen");
      for (const char* part : {"variant", "grid", "extent", "decided_by"}) {
        EXPECT_EQ(swept.at("plan").at(part), plan.at(part)) << c.name << ", " << part;
      }
      EXPECT_EQ(swept.at("code").at("variant"), plan.at("variant").at("text")) << c.name;
      EXPECT_EQ(plan.at("decided_by"), "evidence") << c.name;
    }
  }
}

// ---- Pipelines

// A pipeline of the examples, in a folder where its outputs may be written, with small sizes.
struct PipelineCase {
  std::string folder, file;
  std::vector<std::string> dims;
};

const std::vector<PipelineCase>& pipelines() {
  static const std::vector<PipelineCase> kAll{
      {"edges", "edges.toml", {"--dim", "width=83", "--dim", "height=47"}},
      {"fluid", "fluid.toml", {"--dim", "width=37", "--dim", "height=29"}},
      {"layer", "layer.toml", {"--dim", "tokens=13"}}};
  return kAll;
}

class PlanAndRunPipelines : public PlanAndRun {
 protected:
  Json command(const std::string& word, const PipelineCase& c, const std::string& device,
               const std::string& mode) const {
    const auto to = folder_.path() / c.folder;
    if (!std::filesystem::exists(to)) {
      std::filesystem::copy(std::filesystem::path(VYRE_ROOT_DIR "/examples") / c.folder, to);
    }
    std::vector<std::string> arguments{
        word, (to / c.file).string(), "--device", device, "--mode", mode, "--json"};
    arguments.insert(arguments.end(), c.dims.begin(), c.dims.end());
    const CommandResult done = run_vyre(arguments);
    EXPECT_EQ(done.exit, 0) << c.file << ": " << done.err;
    EXPECT_EQ(done.err, "") << c.file;
    return done.exit == 0 ? Json::parse(done.out) : Json();
  }

  // For each launch of the pipeline, what runs for it. What a run prints is of its end.
  static std::vector<Json> runs_of(const Json& pipeline) {
    std::vector<Json> out;
    for (const Json& launch : pipeline.at("launches")) out.push_back(launch.at("runs"));
    return out;
  }

  // Returns how many launches the plan has.
  std::size_t compare(const PipelineCase& c, const std::string& device, const std::string& mode) {
    const Json plan = command("plan", c, device, mode);
    const Json ran = command("run", c, device, mode);
    std::size_t launches = 0;
    for (const Json& runs : runs_of(plan)) launches += runs.size();
    EXPECT_EQ(runs_of(plan), runs_of(ran)) << c.file << " on " << device << ", mode " << mode;
    EXPECT_EQ(plan.at("buffers"), ran.at("buffers"));
    return launches;
  }

  // Decides for every launch that may run apart: the candidate that `chosen` accepts.
  static unsigned decide(EventKind kind, const std::function<bool(const std::string&)>& chosen) {
    const auto store = EvidenceStore::open(evidence_path());
    EXPECT_TRUE(store) << describe(store.error());
    unsigned decided = 0;
    for (const KeyState& key : (*store)->all()) {
      const auto is_apart = [](const CandidateState& s) { return s.candidate.contains("apart"); };
      if (std::ranges::none_of(key.candidates, is_apart)) continue;
      for (const CandidateState& s : key.candidates) {
        if (!chosen(s.candidate)) continue;
        const EvidenceEvent event{
            .kind = kind, .candidate = s.candidate, .reason = "a test says so"};
        EXPECT_TRUE((*store)->append(key.key, std::span(&event, 1)));
        ++decided;
        break;
      }
    }
    return decided;
  }
};

TEST_F(PlanAndRunPipelines, AgreeOnEveryExample) {
  if (std::getenv("VYRE_PLAN_AND_RUN_DEVICE") != nullptr) GTEST_SKIP() << "nothing runs there";
  for (const PipelineCase& c : pipelines()) {
    forget();
    EXPECT_EQ(compare(c, "null", "frozen"), compare(c, "cpu", "off"));
    const std::size_t fused = compare(c, "cpu", "frozen");
    compare(c, "cpu", "natural");
    forget();
    // A sweep measures every launch in the first run. The next plan is what it found.
    command("run", c, "cpu", "on");
    compare(c, "cpu", "frozen");
    const auto is_apart = [](const std::string& text) { return text.contains("apart"); };
    for (const EventKind kind : {EventKind::settled, EventKind::pinned}) {
      const unsigned groups = decide(kind, is_apart);
      const std::size_t apart = compare(c, "cpu", "frozen");
      EXPECT_EQ(apart > fused, groups != 0) << c.file;
      EXPECT_EQ(decide(kind, [&](const std::string& text) { return !is_apart(text); }), groups);
      EXPECT_EQ(compare(c, "cpu", "frozen"), fused);
    }
  }
}

TEST_F(PlanAndRunPipelines, AgreeThatADeviceIsMissing) {
  const std::string file = VYRE_ROOT_DIR "/examples/edges/edges.toml";
  const CommandResult planned = run_vyre({"plan", file, "--device", "cuda:77"});
  const CommandResult ran = run_vyre({"run", file, "--device", "cuda:77"});
  EXPECT_NE(planned.exit, 0);
  EXPECT_EQ(planned.exit, ran.exit);
  EXPECT_EQ(planned.err, ran.err);
}

// Two hundred kernels that nobody wrote, with all kinds of caches.
TEST_F(PlanAndRun, AgreeOnRandomKernels) {
  unsigned kernels = 0;
  for (std::uint64_t seed = 1; kernels < 200 && seed <= 250; ++seed) {
    std::vector<Case> cases;
    const Generated generated = generate(seed);
    add_cases(cases, fmt::format("seed {}", seed), generated.text, generated.extent);
    if (!cases.empty()) ++kernels;
    for (const std::string& device : devices()) {
      // The CPU runs what others only compile: a few of each are enough there.
      if (device == "cpu" && seed % 5 != 0) continue;
      const Cache cache = kDecided[seed % kDecided.size()];
      for (const Case& c : cases) {
        if (!compare(c, device, cache)) compare(c, device, Cache::empty);
      }
    }
  }
  EXPECT_EQ(kernels, 200U);
  EXPECT_GE(compared_, 230U);
}

}  // namespace
}  // namespace vyre

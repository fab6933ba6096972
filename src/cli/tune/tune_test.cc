#include "vyre/cli/tune/tune.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/report/report_text.h"
#include "vyre/report/trace_testing.h"
#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

constexpr const char* kAdd = R"(
override SCALE: u32 = 2u;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = x[id.x] + y[id.x] + f32(SCALE - SCALE);
}
)";

class TuneCommand : public testing::Test {
 protected:
  TuneCommand() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    EXPECT_TRUE(replace_file(path("add.wgsl"), kAdd));
  }
  ~TuneCommand() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::vector<std::string> tune(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out{"tune",   path("add.wgsl"), "--device", "cpu",
                                 "--size", "20000",          "--in",     "x=fill:iota",
                                 "--in",   "y=fill:const=1", "--budget", "300ms"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  TemporaryFolder folder_;
};

TEST_F(TuneCommand, BeginsAnewWithWhatAProgramAddsTo) {
  ASSERT_TRUE(replace_file(path("count.wgsl"), R"(
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(64) fn tally(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < 1000u) { atomicAdd(&count, 1u); }
})"));
  const auto done = run_vyre({"tune", path("count.wgsl"), "--device", "cpu", "--size", "1000",
                              "--budget", "200ms", "--verify"});
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("1 value equals the interpreter's"), std::string::npos) << done.out;
}

TEST_F(TuneCommand, ShowsKeepsAndReportsWhatItFinds) {
  const auto done = run_vyre(
      tune({"--mode", "on", "--verify", "--report", path("r.html"), "--trace", path("t.json")}));
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("add: 20,000 invocations"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("choice: workgroup="), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("20,000 values equal the interpreter's"), std::string::npos) << done.out;
  const auto page = read_file(path("r.html"));
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("<svg"), std::string::npos);
  const auto trace = read_file(path("t.json"));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace_faults(*trace), std::vector<std::string>());
  // Whether it was worth it is said in any case.
  const bool faster = done.out.find("the declared variant takes ") != std::string::npos;
  const bool best = done.out.contains("  no candidate ");
  EXPECT_NE(faster, best) << done.out;
  // The next run, and every other use of the kernel at this size, begins with it.
  const auto again = run_vyre(tune());
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_NE(again.out.find("decided before for this size"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("  earlier  "), std::string::npos)
      << "what the first run measured is shown as well: " << again.out;
  const auto list = run_vyre({"cache", "list", "--json"});
  ASSERT_EQ(list.exit, 0) << list.err;
  EXPECT_NE(list.out.find("add"), std::string::npos);
}

// The figures that the evidence has after a run: candidates, with their times and intervals.
struct Figures {
  std::map<std::string, nlohmann::json, std::greater<>> candidates{};  // the longest name first
  std::string decision{};

  static Figures of(const nlohmann::json& kept) {
    Figures out;
    for (const auto& each : kept.at("candidates")) {
      if (!each.at("time_ns").is_null()) out.candidates.emplace(each.at("candidate"), each);
    }
    if (!kept.at("decision").is_null()) out.decision = kept.at("decision");
    return out;
  }
  std::string words(const std::string& candidate, const char* which = "time_ns") const {
    const auto found = candidates.find(candidate);
    return found == candidates.end() ? "no figure"
                                     : time_words(found->second.at(which).get<double>());
  }
};

// The lines of a table whose rows are candidates: each with its time and its interval, if any.
// Returns how many there are.
std::size_t expect_rows(const std::string& text, const Figures& figures, const char* between) {
  std::size_t rows = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const auto& [name, figure] : figures.candidates) {
      if (!line.starts_with("  " + name + "  ") || line.contains(" was dropped")) continue;
      const std::string time = figures.words(name);
      const std::string interval = fmt::format("{}{}{}", figures.words(name, "low_ns"), between,
                                               figures.words(name, "high_ns"));
      EXPECT_TRUE(line.contains("  " + time + "  ")) << time << "\n" << text;
      EXPECT_TRUE(line.contains("  " + interval + "  ")) << interval << "\n" << text;
      ++rows;
      break;
    }
  }
  return rows;
}

// One run in all its forms: every figure of a candidate is the same, and rounded alike.
TEST_F(TuneCommand, EveryFormShowsTheSameFigures) {
  using Json = nlohmann::json;
  for (const std::string& mode : {std::string("on"), std::string("natural")}) {
    SCOPED_TRACE(mode);
    const auto store = path(mode + ".jsonl");
    const auto done = run_vyre(tune(
        {"--mode", mode, "--report", path("r.html"), "--trace", path("t.json"), "--store", store}));
    ASSERT_EQ(done.exit, 0) << done.err;
    const auto shown = run_vyre({"cache", "show", "--store", store, "--json"});
    ASSERT_EQ(shown.exit, 0) << shown.err;
    const Json kept = Json::parse(shown.out).at("keys").at(0);
    const Figures figures = Figures::of(kept);
    ASSERT_FALSE(figures.candidates.empty());

    // The terminal: the table, and the sentences below it.
    EXPECT_GT(expect_rows(done.out, figures, " .. "), 0U) << done.out;
    const auto after = [](const std::string& text, const std::string& words) {
      const auto at = text.find(words);
      if (at == std::string::npos) return std::string();
      return text.substr(at + words.size(), text.find('\n', at) - at - words.size());
    };
    const std::string choice = after(done.out, "  choice: ");
    const auto chosen = std::ranges::find_if(
        figures.candidates, [&](const auto& each) { return choice.starts_with(each.first); });
    ASSERT_NE(chosen, figures.candidates.end()) << done.out;
    if (const std::string line = after(done.out, "  the declared variant takes "); !line.empty()) {
      EXPECT_TRUE(line.ends_with("(" + figures.words(chosen->first) + ")")) << done.out;
      const auto declared = std::ranges::find_if(figures.candidates, [&](const auto& each) {
        return line.starts_with(figures.words(each.first) + ":");
      });
      EXPECT_NE(declared, figures.candidates.end()) << done.out;
    }

    // The page, where each candidate of the terminal's table has its time and its interval.
    const auto page = read_file(path("r.html"));
    ASSERT_TRUE(page);
    const double chosen_ns = chosen->second.at("time_ns");
    EXPECT_TRUE(page->contains("Chosen</h3><p class=\"big ink\">" + time_text(chosen_ns) + "<"));
    for (const auto& [name, figure] : figures.candidates) {
      if (!done.out.contains("  " + name + "  ")) continue;
      EXPECT_TRUE(page->contains(">" + time_text(figure.at("time_ns").get<double>()) + "<"))
          << name;
      EXPECT_TRUE(page->contains(">" + time_text(figure.at("low_ns").get<double>()) + " to " +
                                 time_text(figure.at("high_ns").get<double>()) + "<"))
          << name;
    }

    // The trace ends with the time of what serves.
    double traced_ns = 0;
    const Json trace = Json::parse(*read_file(path("t.json")));
    for (const Json& event : trace.at("traceEvents")) {
      if (event.at("name") == (mode == "on" ? "fastest so far" : "incumbent"))
        traced_ns = event.at("args").at("us").get<double>() * 1e3;
    }
    EXPECT_NEAR(traced_ns, chosen_ns, 1);

    // The evidence: as a table, in sentences, and as a file for other tuners.
    const auto table = run_vyre({"cache", "show", "--store", store});
    EXPECT_EQ(expect_rows(table.out, figures, " to "), figures.candidates.size()) << table.out;
    const auto explained = run_vyre({"cache", "explain", kept.at("key"), "--store", store});
    const std::string serves = figures.decision.empty() ? "" : "  It takes ";
    if (!serves.empty()) {
      EXPECT_TRUE(explained.out.contains(serves + figures.words(figures.decision) + ".\n"))
          << explained.out;
    }
    for (const auto& [before, between] :
         {std::pair{"  The best of the others, ", ", takes "},
          std::pair{"  The best of the others, ", ", seems to take "},
          std::pair{"  The fastest so far is ", ", with "}}) {
      const std::string line = after(explained.out, before);
      const auto at = line.find(between);
      if (at == std::string::npos) continue;
      EXPECT_TRUE(line.substr(at).starts_with(between + figures.words(line.substr(0, at))))
          << explained.out;
    }
    ASSERT_EQ(
        run_vyre({"cache", "export", "--t4", path("t4.json"), kept.at("key"), "--store", store})
            .exit,
        0);
    std::vector<double> exported, expected;
    const Json t4 = Json::parse(*read_file(path("t4.json")));
    for (const Json& result : t4.at("results")) {
      for (const Json& each : result.at("measurements")) {
        exported.push_back(each.at("value").get<double>() * 1e6);
      }
    }
    for (const Json& each : kept.at("candidates")) {
      const bool counts = !each.at("recent_ns").empty() && each.at("rejected").is_null();
      if (counts) expected.push_back(each.at("time_ns"));
    }
    ASSERT_EQ(exported.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(exported[i], expected[i], 2) << i;
  }
}

// The JSON of a run says what the evidence says after it.
TEST_F(TuneCommand, TheJsonHasTheFiguresOfTheEvidence) {
  using Json = nlohmann::json;
  for (const std::string& mode : {std::string("on"), std::string("natural")}) {
    SCOPED_TRACE(mode);
    const auto store = path(mode + ".jsonl");
    const auto done = run_vyre(tune({"--mode", mode, "--json", "--store", store}));
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json kernel = Json::parse(done.out).at("kernels").at(0);
    const auto shown = run_vyre({"cache", "show", "--store", store, "--json"});
    const Figures figures = Figures::of(Json::parse(shown.out).at("keys").at(0));
    std::size_t compared = 0;
    for (const Json& candidate : kernel.at("candidates")) {
      if (candidate.at("time_ns").is_null() || !candidate.at("dropped").is_null()) continue;
      const std::string name = candidate.at("candidate");
      ASSERT_TRUE(figures.candidates.contains(name)) << name;
      for (const char* which : {"time_ns", "low_ns", "high_ns"}) {
        EXPECT_EQ(time_words(candidate.at(which).get<double>()), figures.words(name, which))
            << name << " " << which;
      }
      ++compared;
    }
    EXPECT_GT(compared, 0U);
    const std::string chosen = kernel.at("decision").at("candidate");
    EXPECT_EQ(time_words(kernel.at("decision").at("time_ns").get<double>()), figures.words(chosen));
    // The calls end with the decision.
    const Json& last = kernel.at("calls").back();
    EXPECT_EQ(kernel.at("candidates").at(last.at(5).get<std::size_t>()).at("candidate"), chosen);
    EXPECT_EQ(last.at(6), kernel.at("decision").at("time_ns"));
    // What is another candidate is timed again in pairs with it.
    for (const char* side : {"start", "declared"}) {
      const Json& other = kernel.at(side);
      EXPECT_EQ(other.at("again_gain").is_null(), other.at("candidate") == chosen) << other;
    }
  }
}

// What was tuned is what is planned and what runs, whether the launch counts invocations or
// workgroups.
TEST_F(TuneCommand, PlansAndRunsAreServedWhatItChose) {
  for (const std::vector<std::string>& size :
       {std::vector<std::string>{"--size", "20000"}, {"--grid", "300"}}) {
    std::vector<std::string> launch{path("add.wgsl"), "--device",          "cpu",
                                    "--in",           "x=fill:iota:30000", "--json"};
    launch.insert(launch.end(), size.begin(), size.end());
    const auto ask = [&](std::string command, std::vector<std::string> more = {}) {
      std::vector<std::string> arguments{std::move(command)};
      arguments.insert(arguments.end(), launch.begin(), launch.end());
      arguments.insert(arguments.end(), more.begin(), more.end());
      const auto done = run_vyre(arguments);
      EXPECT_EQ(done.exit, 0) << done.err;
      return nlohmann::json::parse(done.out);
    };
    EXPECT_EQ(ask("plan").at("decided_by"), "declared");
    const auto kernel = ask("tune", {"--mode", "on", "--budget", "1s"}).at("kernels").at(0);
    const auto plan = ask("plan");
    EXPECT_EQ(plan.at("decided_by"), "evidence");
    const auto ran = ask("run").at("plan");
    for (const char* part : {"variant", "grid", "extent", "choices", "decided_by", "bindings"}) {
      EXPECT_EQ(plan.at(part), ran.at(part)) << part;
    }
    const std::string chosen = kernel.at("decision").at("candidate");
    const auto& variant = plan.at("variant");
    EXPECT_NE(chosen.find(fmt::format("gang={} groups={}", variant.at("gang_width").get<int>(),
                                      variant.at("groups_per_task").get<int>())),
              std::string::npos)
        << chosen;
  }
}

TEST_F(TuneCommand, SearchesWhileItCalls) {
  const auto done =
      run_vyre(tune({"--json", "--store", path("own.jsonl"), "--trace", path("t.json")}));
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_EQ(trace_faults(*read_file(path("t.json"))), std::vector<std::string>());
  // Counters lie at the ends of calls.
  const auto trace = nlohmann::json::parse(*read_file(path("t.json")));
  std::set<std::int64_t> ends;
  const auto whole_ns = [](const nlohmann::json& us) {
    return static_cast<std::int64_t>(us.get<double>() * 1e3);
  };
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "calls") {
      ends.insert(whole_ns(event["ts"]) + whole_ns(event["dur"]));
    }
  }
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "C") continue;
    EXPECT_TRUE(ends.contains(whole_ns(event["ts"]))) << event;
  }
  const auto report = nlohmann::json::parse(done.out);
  ASSERT_EQ(report["kernels"].size(), 1U);
  const auto& kernel = report["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "add");
  EXPECT_GT(kernel["ledger"]["spent_ns"], 0);
  EXPECT_GT(kernel["candidates"].size(), 8U);
  EXPECT_TRUE(std::filesystem::exists(path("own.jsonl")));
}

TEST_F(TuneCommand, SearchesOverrides) {
  const auto done =
      run_vyre(tune({"--mode", "on", "--tune", "SCALE=1,2,3", "--where", "SCALE != 2"}));
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("SCALE="), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("SCALE=2"), std::string::npos) << done.out;
}

// More choices than are tried one by one.
std::vector<std::string> many_choices() {
  std::string values = "SCALE=1";
  for (int i = 2; i <= 60; ++i) values += "," + std::to_string(i);
  return {"--tune", values, "--where", "SCALE != 2"};
}

TEST_F(TuneCommand, SearchesManyOverridesAndGoesOnWhereItStopped) {
  auto arguments = tune(many_choices());
  for (const std::string& more : {std::string("--json"), std::string("--store"), path("own.jsonl")})
    arguments.push_back(more);
  const auto done = run_vyre(arguments);
  ASSERT_EQ(done.exit, 0) << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["mode"], "on");
  const auto& kernel = report["kernels"][0];
  EXPECT_EQ(kernel["search"].get<std::string>().find("by strategy natural: "), 0U)
      << kernel["search"];
  EXPECT_TRUE(kernel["left_out"].is_null()) << kernel["left_out"];
  // Those that were not tried are only counted.
  EXPECT_GT(kernel["unlisted_candidates"], 1000);
  EXPECT_LT(kernel["candidates"].size(), 1000U);
  std::set<std::string> listed;
  for (const auto& candidate : kernel["candidates"]) {
    listed.insert(candidate["candidate"].get<std::string>());
  }
  EXPECT_TRUE(listed.contains(kernel["decision"]["candidate"].get<std::string>()));
  for (const auto& call : kernel["calls"]) EXPECT_LT(call[2], kernel["candidates"].size());
  const auto again = run_vyre(arguments);
  ASSERT_EQ(again.exit, 0) << again.err;
  const auto more = nlohmann::json::parse(again.out)["kernels"][0];
  EXPECT_EQ(more["origin"], "decided before for this size");
}

TEST_F(TuneCommand, TheOrderOfOverridesDoesNotMatter) {
  std::string text = kAdd;
  text.replace(text.find("override SCALE"), 0, "override BIAS: u32 = 1u;\n");
  text.replace(text.find("f32(SCALE - SCALE)"), 18, "f32(SCALE - SCALE + BIAS - BIAS)");
  ASSERT_TRUE(replace_file(path("add.wgsl"), text));
  const auto texts = [&](const std::string& first, const std::string& second) {
    const auto done = run_vyre(tune({"--mode", "on", "--json", "--tune", first, "--tune", second}));
    EXPECT_EQ(done.exit, 0) << done.err;
    std::set<std::string> out;
    const auto report = nlohmann::json::parse(done.out);
    for (const auto& candidate : report["kernels"][0]["candidates"]) {
      out.insert(candidate["candidate"].get<std::string>());
    }
    return out;
  };
  EXPECT_EQ(texts("SCALE=1,2", "BIAS=1,3"), texts("BIAS=1,3", "SCALE=1,2"));
}

TEST_F(TuneCommand, EveryStrategyCanBeAskedFor) {
  for (const char* strategy : {"natural", "hillclimb", "halving", "random", "exhaustive"}) {
    const auto done = run_vyre(tune({"--strategy", strategy, "--tune", "SCALE=1,3", "--fresh"}));
    ASSERT_EQ(done.exit, 0) << done.err;
    const std::string word = std::string(strategy) == "exhaustive" ? "expected" : strategy;
    EXPECT_NE(done.out.find("searched "), std::string::npos) << done.out;
    EXPECT_NE(done.out.find(word), std::string::npos) << done.out;
  }
}

TEST_F(TuneCommand, OverridesThatAddUpInAnotherOrderNeedATolerance) {
  ASSERT_TRUE(replace_file(path("sum.wgsl"), R"(
override PARTS: u32 = 1u;
@group(0) @binding(0) var<storage, read> x: array<f32, 16384>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 256>;
@compute @workgroup_size(64) fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
  var total = 0.0;
  for (var p = 0u; p < PARTS; p += 1u) {
    var part = 0.0;
    for (var k = p; k < 64u; k += PARTS) { part += x[id.x * 64u + k]; }
    total += part;
  }
  y[id.x] = total;
}
)"));
  std::vector<std::string> arguments{
      "tune",    path("sum.wgsl"),  "--device", "cpu",       "--size",     "256",
      "--in",    "x=fill:random=7", "--tune",   "PARTS=1,8", "--strategy", "random",
      "--fresh", "--json",          "--budget", "2s"};
  const auto dropped = [&] {
    const auto done = run_vyre(arguments);
    EXPECT_EQ(done.exit, 0) << done.err;
    std::size_t count = 0;
    const auto report = nlohmann::json::parse(done.out);
    for (const auto& candidate : report["kernels"][0]["candidates"]) {
      if (candidate["dropped"].is_null()) continue;
      ++count;
      EXPECT_EQ(candidate["parameters"]["PARTS"], "8");
      EXPECT_NE(candidate["dropped"].get<std::string>().find("differ"), std::string::npos);
    }
    return count;
  };
  EXPECT_GT(dropped(), 0U);
  arguments.insert(arguments.end(), {"--tolerance", "1e-4"});
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(TuneCommand, SaysWhatOfTheSpaceIsLeftOut) {
  auto arguments = tune(many_choices());
  arguments.insert(arguments.end(), {"--mode", "natural"});
  const auto done = run_vyre(arguments);
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("left out: "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("only the declared variants"), std::string::npos) << done.out;
  ASSERT_TRUE(replace_file(path("tile.wgsl"),
                           "override T: u32 = 4u;\nvar<workgroup> t: array<u32, T>;\n"
                           "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
                           "@compute @workgroup_size(4) fn f(@builtin(global_invocation_id) id: "
                           "vec3<u32>) { t[id.x % T] = 1u; y[id.x] = id.x; }\n"));
  const auto some =
      run_vyre({"tune", path("tile.wgsl"), "--device", "cpu", "--size", "64", "--in",
                "y=fill:const=0,64", "--tune", "T=0,4,8", "--mode", "on", "--budget", "200ms"});
  if (some.exit == 0) {
    EXPECT_NE(some.out.find("1 combination of the overrides give no kernel"), std::string::npos)
        << some.out;
  }
}

TEST_F(TuneCommand, TunesTheKernelsOfAFile) {
  ASSERT_TRUE(replace_file(path("set.toml"),
                           "[[kernel]]\nfile = \"add.wgsl\"\narguments = [\"--size\", \"5000\", "
                           "\"--in\", \"x=fill:iota\", \"--in\", \"y=fill:const=1\"]\n"
                           "[[kernel]]\nfile = \"add.wgsl\"\narguments = [\"--size\", \"900\", "
                           "\"--in\", \"x=fill:iota\", \"--in\", \"y=fill:const=1\"]\n"));
  const auto done = run_vyre({"tune", "--kernels", path("set.toml"), "--device", "cpu", "--mode",
                              "on", "--budget", "200ms", "--trace", path("t.json")});
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_EQ(trace_faults(*read_file(path("t.json"))), std::vector<std::string>());
  EXPECT_NE(done.out.find("add: 5,000 invocations"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("add: 900 invocations"), std::string::npos) << done.out;
}

TEST_F(TuneCommand, AKernelThatNeverEndsIsEndedByTheBudgetAndTheDeadline) {
  EXPECT_TRUE(replace_file(path("spin.wgsl"), R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn spin(@builtin(global_invocation_id) id: vec3<u32>) {
  loop { if (x[id.x] == 1u) { break; } }
}
)"));
  for (const std::string mode : {"natural", "on"}) {
    std::vector<std::string> command{"tune", path("spin.wgsl"), "--device", "cpu",      "--size",
                                     "128",  "--mode",          mode,       "--budget", "300ms"};
    const auto begin = std::chrono::steady_clock::now();
    auto done = run_vyre(command);
    EXPECT_EQ(done.exit, 1);
    EXPECT_EQ(done.err,
              "vyre: kernel 'spin' did not end within the budget of 0.3 s; give a longer --budget "
              "if it needs more\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
    command.back() = "1m";
    command.insert(command.end(), {"--deadline", "0.1"});
    done = run_vyre(command);
    EXPECT_EQ(done.exit, 1);
    EXPECT_EQ(done.err,
              "vyre: kernel 'spin' did not end within 100 ms; its buffers hold what it had written "
              "by then\n");
  }
}

TEST_F(TuneCommand, WrongArgumentsSayWhatIsWrong) {
  const auto says = [&](const std::vector<std::string>& arguments, std::string_view text) {
    const auto done = run_vyre(arguments);
    EXPECT_EQ(done.exit, 2) << done.out << done.err;
    EXPECT_NE(done.err.find(text), std::string::npos) << done.err;
  };
  says({"tune"}, "give a WGSL file");
  says(tune({"--mode", "maybe"}), "there is no 'maybe'");
  says(tune({"--strategy", "natrual"}), "did you mean natural?");
  says(tune({"--strategy", "random", "--mode", "natural"}), "--strategy");
  says(tune({"--seed", "x"}), "--seed");
  says(tune({"--budget", "0"}), "--budget");
  says(tune({"--regret", "200%"}), "--regret");
  says(tune({"--least-gain", "100%"}), "--least-gain");
  says(tune({"--tune", "SCALE"}), "NAME=VALUE");
  says(tune({"--tune", "OTHER=1,2"}), "OTHER");
  says(tune({"--where", "SCALE > 1"}), "--where");
  says(tune({"--tune", "SCALE=1,2", "--where", "SCALE > 7"}), "no combination");
  says(tune({"--fresh", "--store", path("s")}), "--fresh");
  says(tune({"--kernels", path("set.toml")}), "--kernels");
  says({"tune", path("add.wgsl"), "--device", "interp", "--size", "8"}, "interp");
  says({"tune", "--kernels", path("missing.toml")}, "missing.toml");
  ASSERT_TRUE(replace_file(path("bad.toml"), "[[kernel]]\nfile = 3\n"));
  says({"tune", "--kernels", path("bad.toml")}, "bad.toml:2");
  ASSERT_TRUE(replace_file(path("broken.jsonl"), "this is no evidence\n"));
  says(tune({"--store", path("broken.jsonl")}), "broken.jsonl");
  EXPECT_EQ(*read_file(path("broken.jsonl")), "this is no evidence\n");
}

}  // namespace
}  // namespace vyre

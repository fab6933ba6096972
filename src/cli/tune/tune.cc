#include "vyre/cli/tune/tune.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "vyre/base/files/files.h"
#include "vyre/base/files/paths.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/base/sort.h"
#include "vyre/base/text/nearest.h"
#include "vyre/base/text/toml.h"
#include "vyre/base/version.h"
#include "vyre/cli/devices.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/pipeline/pipeline_command.h"
#include "vyre/cli/pipeline/tune_pipeline.h"
#include "vyre/cli/table.h"
#include "vyre/cli/tune/tune_run.h"
#include "vyre/cli/values.h"
#include "vyre/report/trace.h"
#include "vyre/report/tune_html.h"
#include "vyre/report/tune_json.h"
#include "vyre/tune/evidence/evidence.h"
#include "vyre/tune/search/search_strategy.h"
#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kShownCandidates = 10;

// "30", "30s", "1.5m", "500ms"
Result<double> parse_budget(const std::string& text) {
  double factor = 1;
  std::string number = text;
  for (const auto& [suffix, value] :
       {std::pair{"ms", 1e-3}, std::pair{"s", 1.0}, std::pair{"m", 60.0}}) {
    if (!number.ends_with(suffix)) continue;
    number.resize(number.size() - std::string_view(suffix).size());
    factor = value;
    break;
  }
  VYRE_TRY(const double value, parse_number(number));
  const double seconds = value * factor;
  if (!(seconds > 0 && seconds <= 86400)) {
    return fail(Code::invalid_input, "it must be more than 0 and at most a day");
  }
  return seconds;
}

// "2%" or "0.02"
Result<double> parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  VYRE_TRY(const double value, parse_number(percent ? text.substr(0, text.size() - 1) : text));
  const double share = percent ? value / 100 : value;
  if (!(share > 0 && share <= 1)) {
    return fail(Code::invalid_input, "it must be more than 0 and at most 1, or 100%");
  }
  return share;
}

Result<double> parse_least_gain(const std::string& text) {
  const bool percent = text.ends_with('%');
  VYRE_TRY(const double value, parse_number(percent ? text.substr(0, text.size() - 1) : text));
  const double share = percent ? value / 100 : value;
  if (!(share >= 0 && share < 1)) {
    return fail(Code::invalid_input, "it must be from 0 to below 1, or below 100%");
  }
  return share;
}

Result<double> parse_closeness(const std::string& text) {
  VYRE_TRY(const double value, parse_number(text));
  if (!(value >= 0 && value < 1)) return fail(Code::invalid_input, "it must be from 0 to below 1");
  return value;
}

void declare_job(OptionSet& set, TuneJob& job) {
  set.value("--entry", "NAME", "the entry point, if there are several", job.run.entry);
  set.flag("--lenient", "accept what wgpu accepts beyond the specification, with warnings",
           job.run.lenient);
  set.repeated("--in", "NAME=DATA", "the initial contents of a buffer, as for vyre run",
               job.run.inputs, parse_input);
  set.repeated("--uniform", "PATH=VALUE,...", "values of fields: p.n=4,p.direction=0:0:1",
               job.run.uniforms, parse_assignments);
  set.repeated("--set", "NAME=VALUE", "give an override a value that is not searched",
               job.run.settings, parse_settings);
  set.value("--size", "X[,Y[,Z]]", "the number of invocations along each axis", job.run.size,
            [](const std::string& text) { return parse_extent(text); });
  set.value("--grid", "X[,Y[,Z]]", "the number of workgroups; their shape is not searched",
            job.run.grid, [](const std::string& text) { return parse_extent(text); });
  set.repeated("--tune", "NAME=V,V,...", "also search these values of an override", job.axes,
               [](const std::string& text) { return parse_override_axis(text); });
  set.repeated("--where", "CONDITION", "a condition: \"TILE*TILE <= 1024 && UNROLL < TILE\"",
               job.constraints,
               [](const std::string& text) -> Result<std::string> { return text; });
}

unsigned terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 100;
}

// A progress line, which is shown on terminals only.
class Bar {
 public:
  explicit Bar(Output& out) : out_(out), drawn_(isatty(STDERR_FILENO) != 0 && out.colour) {}
  ~Bar() { clear(); }

  void show(const TuneProgress& p) {
    if (!drawn_) return;
    constexpr unsigned kCells = 20;
    const auto full = static_cast<unsigned>(std::lround(p.share_of_time * kCells));
    std::string bar;
    for (unsigned i = 0; i < kCells; ++i) bar += i < full ? "█" : "░";
    const std::string best = p.best_ns > 0
                                 ? fmt::format("best {} ({})", time_words(p.best_ns), p.best)
                                 : fmt::format("starts with {}", p.best);
    const std::string lost =
        p.bound_ns > 0 ? fmt::format(", lost {} of {}", time_words(std::max(0.0, p.lost_ns)),
                                     time_words(p.bound_ns))
                       : "";
    std::string text = fmt::format("{} {}/{} candidates, {:.0f} s left{}, {}", p.kernel, p.tried,
                                   p.candidates, p.seconds_left, lost, best);
    const unsigned room = terminal_width() - kCells - 3;
    if (text_width(text) > room) text.resize(std::min<std::size_t>(text.size(), room));
    out_.overwrite(fmt::format("{} {}", bar, text));
    out_.flush();
    dirty_ = true;
  }
  void clear() {
    if (!dirty_) return;
    out_.overwrite("");
    out_.flush();
    dirty_ = false;
  }

 private:
  Output& out_;
  bool drawn_, dirty_ = false;
};

std::string duration(double ns) { return ns > 0 ? time_words(ns) : ""; }

void print_candidates(Output& out, const TuneRecord& r) {
  std::vector<const CandidateRecord*> rows;
  std::uint64_t untried = 0;
  std::vector<const CandidateRecord*> dropped;
  for (const CandidateRecord& c : r.candidates) {
    if (!c.dropped.empty()) {
      dropped.push_back(&c);
    } else if (c.time.ns == 0) {
      ++untried;
    } else {
      rows.push_back(&c);
    }
  }
  sort_stably(rows, [](const CandidateRecord* c) { return c->time.ns; });
  Table table({"candidate", "time", "99% interval", "runs", "beside the best", ""}, {1, 2, 3, 4});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CandidateRecord* c = rows[i];
    std::vector<std::string> notes;
    if (c->text == r.decision) notes.emplace_back("chosen");
    if (c->text == r.start.candidate) notes.emplace_back("first guess");
    if (c->text == r.declared.candidate) notes.emplace_back("as declared");
    if (i >= kShownCandidates && notes.empty()) continue;
    table.add({c->text, duration(c->time.ns),
               fmt::format("{} .. {}", duration(c->time.low_ns), duration(c->time.high_ns)),
               c->samples_ns.empty() ? "earlier" : with_commas(c->samples_ns.size()),
               fmt::format("{:.3f}", c->time.ns / rows.front()->time.ns),
               fmt::format("{}", fmt::join(notes, ", "))});
  }
  if (!table.empty()) table.print(out, "  ");
  if (rows.size() > kShownCandidates) {
    out.print("  and {} slower ones\n", rows.size() - kShownCandidates);
  }
  untried += r.unlisted;
  if (untried != 0) {
    out.print("  {} not tried: too unlikely to be better, or the time was up\n",
              counted(untried, "candidate"));
  }
  for (std::size_t i = 0; i < dropped.size() && i < kShownCandidates; ++i) {
    out.print("  {} was dropped: {}\n", dropped[i]->text, dropped[i]->dropped);
  }
  if (dropped.size() > kShownCandidates) {
    out.print("  and {} more were dropped\n", dropped.size() - kShownCandidates);
  }
  if (!r.left_out.empty()) out.print("  left out: {}\n", r.left_out);
}

void print_kernel(Output& out, const TuneOutcome& outcome) {
  const TuneRecord& r = outcome.record;
  out.print("{}\n", bold(out, fmt::format("{}: {}", r.kernel, r.size)));
  if (!r.untunable.empty()) {
    out.print("  not tuned: {}\n  it runs as {}\n\n", r.untunable, r.decision);
    return;
  }
  print_candidates(out, r);
  if (!r.search.empty()) out.print("  searched {}\n", r.search);
  out.print("  first answer: {}\n", r.origin);
  out.print("  choice: {}{}\n", bold(out, r.decision),
            r.reason.empty() ? "" : fmt::format(", {}", r.reason));
  if (outcome.swept ? outcome.interrupted : !r.settled) {
    out.print("  the search has not ended; it continues{}\n",
              outcome.interrupted ? " when the command is run again"
                                  : " with more --budget, or while a program runs the kernel");
  }
  const auto figure_of = [&](const std::string& candidate) {
    const auto found = std::ranges::find(r.candidates, candidate, &CandidateRecord::text);
    return found == r.candidates.end() ? 0 : found->time.ns;
  };
  const auto against = [&](const ReportBaseline& b, std::string_view what) {
    const double ns = figure_of(b.candidate), chosen_ns = figure_of(r.decision);
    if (b.candidate == r.decision) return;
    if (ns > 0 && chosen_ns > 0) {
      out.print("  {} takes {}: the choice is {:.2f} times as fast ({})\n", what, duration(ns),
                ns / chosen_ns, duration(chosen_ns));
    }
    if (const std::string again = again_words(b, what); !again.empty()) {
      out.print("  {}: {} and {}\n", again, duration(r.chosen.again_ns), duration(b.again_ns));
    }
  };
  against(r.declared, "the declared variant");
  if (!r.declared.candidate.empty() && r.declared.candidate == r.decision) {
    out.print("  no candidate {} than the declared variant{}\n",
              r.settled ? "is faster" : "was proved faster",
              r.settled ? " beyond the noise" : " so far");
  }
  if (r.start.candidate != r.declared.candidate && r.start.candidate != r.decision) {
    against(r.start, "the first guess");
  }
  if (!outcome.swept) {
    out.print("  the search lost {} of the {} it was allowed, in {} of calls\n",
              duration(std::max(1.0, r.ledger.lost_ns)), duration(r.ledger.bound_ns),
              duration(r.ledger.spent_ns));
    for (const std::string& remark : ledger_remarks(r.ledger)) out.print("  {}\n", remark);
  }
  if (!r.plans.empty()) out.print("  the decision file has its workgroup, too: {}\n", r.plans);
  if (outcome.verification) {
    const Comparison& c = outcome.verification->comparison;
    const std::string_view equal = c.scalars == 1 ? "equals" : "equal";
    out.print("  {} {} the interpreter's ({})\n", counted(c.scalars, "value"),
              c.same() ? std::string(equal)
                       : fmt::format("compared, {} differ from", with_commas(c.different)),
              describe(outcome.verification->tolerance));
  }
  out.write("\n");
}

std::vector<std::string> method_of(bool swept, bool online) {
  std::vector<std::string> out{"Times are the device's own, of single calls.",
                               "The first time of each candidate is thrown away."};
  if (online) {
    out.emplace_back(
        "A candidate is promoted only when pairs of calls, whose order a coin decides, prove it "
        "faster than the incumbent; of all searches 1% at most promote one that is not.");
  }
  if (swept) {
    out.emplace_back(
        "Candidates were measured on copies of what the kernel writes, short ones several times in "
        "a row. In the end a few finalists met the variant that would serve without a search, in "
        "pairs of runs whose order a coin decided. Only a variant that these prove faster is "
        "chosen; "
        "of all searches 1% at most choose one that is not.");
  }
  out.emplace_back(
      "After the search the choice is timed again, in pairs of runs with the first guess and with "
      "the declared variant where these are others; a coin decides the order of each pair.");
  return out;
}

Result<TomlDocument> parse_set(const std::string& text, const std::string& path) {
  auto parsed = parse_toml(text);
  if (!parsed) {
    return fail(Code::invalid_input, fmt::format("{}:{}:{}: {}", path, parsed.error().line,
                                                 parsed.error().column, parsed.error().what));
  }
  return *std::move(parsed);
}

// Whether what is learned can be kept. A file that cannot be read is an error for this command. If
// the disk is full, one warning says so, and the search goes on.
Result<bool> can_keep(const TuneOptions& options, Streams& streams) {
  const auto store = store_of(options);
  if (!store) return true;
  VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(store->parent_path()));
  VYRE_CHECK(EvidenceStore::open(*store));
  const std::string probe = fmt::format("{}.{}.probe", store->filename().string(), ::getpid());
  const auto written = folder.replace(probe, std::string(std::size_t{1} << 16, '\n'));
  (void)folder.remove(probe);
  if (!written) {
    streams.err.print("vyre: warning: what is learned is not kept: {}\n",
                      describe(written.error()));
  }
  return written.has_value();
}

}  // namespace

std::optional<fs::path> store_of(const TuneOptions& options) {
  if (options.fresh || !options.keeps) return std::nullopt;
  return options.store.empty() ? evidence_path() : named_path(options.store);
}

Result<std::vector<TuneJob>> read_tune_set(const std::string& path) {
  VYRE_TRY(const std::string text, read_input_file(path, kMaxTomlBytes));
  VYRE_TRY(const TomlDocument document, parse_set(text, path));
  const auto bad = [&](const TomlNode& node, std::string_view what) {
    return fail(Code::invalid_input, fmt::format("{}:{}: {}", path, node.line, what),
                "list [[kernel]] tables with file and arguments");
  };
  std::vector<TuneJob> out;
  for (const TomlId id : document.children(kTomlRoot)) {
    const TomlNode& list = document.node(id);
    if (list.key != "kernel" || list.kind != TomlKind::array) {
      return bad(list, fmt::format("unknown key {}", quote(list.key)));
    }
    for (const TomlId table : document.children(id)) {
      const TomlNode& kernel = document.node(table);
      if (kernel.kind != TomlKind::table) return bad(kernel, "a kernel is not a table");
      std::string file;
      std::vector<std::string> arguments;
      for (const TomlId member : document.children(table)) {
        const TomlNode& node = document.node(member);
        if (node.key == "file" && node.kind == TomlKind::string) {
          file = node.text;
        } else if (node.key == "arguments" && node.kind == TomlKind::array) {
          for (const TomlId word : document.children(member)) {
            if (document.node(word).kind != TomlKind::string) {
              return bad(document.node(word), "an argument is not a string");
            }
            arguments.emplace_back(document.node(word).text);
          }
        } else {
          return bad(node, fmt::format("unknown key {}", quote(node.key)));
        }
      }
      if (file.empty()) return bad(kernel, "a kernel has no file");
      TuneJob job;
      OptionSet set;
      declare_job(set, job);
      auto parsed = set.parse(arguments);
      if (!parsed || !*parsed) {
        return bad(kernel, parsed ? "its arguments ask for help" : describe(parsed.error()));
      }
      const fs::path found = fs::path(path).parent_path() / file;
      job.run.files = {found.string()};
      out.push_back(std::move(job));
    }
  }
  if (out.empty()) return fail(Code::invalid_input, fmt::format("{} has no [[kernel]]", path));
  return out;
}

CommandHelp declare(OptionSet& set, TuneOptions& options) {
  set.positional("FILE", "a WGSL file, or a pipeline (.toml); - is WGSL on the standard input",
                 options.job.run.files, 0, 1);
  declare_job(set, options.job);
  set.repeated("--dim", "NAME=N", "pipelines: give a dim a value", options.job.run.dims, parse_dim);
  set.value("--kernels", "FILE", "tune the kernels listed in a TOML file", options.set);
  set.value("--device", "NAME", "auto (the fastest available), cpu, cuda, cuda:N", options.device);
  set.value("--mode", "MODE",
            "natural: search as a running program would, with bounded\n"
            "regret; on: measure every candidate. (natural; on with more\n"
            "than 32 combinations of overrides)",
            options.mode);
  set.value("--strategy", "NAME",
            "the order in which the mode on measures: natural, hillclimb,\n"
            "halving, random or exhaustive (exhaustive; natural with\n"
            "overrides and more than 256 candidates)",
            options.strategy);
  set.value("--seed", "N", "the seed of the strategy (1)", options.seed,
            [](const std::string& text) { return parse_whole(text); });
  set.value("--budget", "TIME", "the time for each kernel: 30s, 2m, 500ms (30s)",
            options.budget_seconds, parse_budget);
  set.value("--deadline", "SECONDS", "fail if a launch takes longer", options.deadline_seconds,
            parse_deadline);
  set.value("--regret", "SHARE", "the share of the time spent that the search may lose (2%)",
            options.regret, parse_share);
  set.value("--least-gain", "SHARE",
            "the share of the time that a candidate must save to be chosen (1%)",
            options.least_gain, parse_least_gain);
  set.value("--tolerance", "T", "how far a candidate's floats may differ, as a share: 1e-5 (0)",
            options.tolerance, parse_closeness);
  set.flag("--verify", "compare the choice's results with the interpreter's", options.verify);
  set.flag("--fresh", "use no earlier evidence and keep none", options.fresh);
  set.value("--store", "FILE", "use this evidence file instead of your own", options.store);
  set.value("--report", "FILE", "write an HTML page about the search", options.report);
  set.value("--trace", "FILE", "write a trace for Perfetto", options.trace);
  set.flag("--json", "print JSON", options.json);
  return {
      .usage =
          "vyre tune FILE [options]\n       vyre tune --kernels FILE [options]\n"
          "       vyre tune PIPELINE.toml [options]",
      .summary =
          "Finds the fastest way to run a kernel on its data: workgroup shape, items per lane and\n"
          "their layout on a GPU, gang width, groups per task and workgroup on the CPU, and "
          "values\n"
          "of overrides. A candidate counts only after its results equalled those of the choice "
          "so\n"
          "far. What is learned is kept, and every program of yours that runs the kernel uses it.",
      .details =
          "Ctrl-C keeps what was learned; the next run continues from there.\n"
          "\n"
          "examples:\n"
          "  vyre tune examples/saxpy.wgsl --size 1000000 --in x=fill:iota --in y=fill:const=1 \\\n"
          "      --uniform a=2 --report saxpy.html\n"
          "  vyre tune examples/matmul.wgsl --size 1024,1024 --in a=a.npy --in b=b.npy \\\n"
          "      --uniform shape=1024:1024:1024 --tune TILE=8,16,32\n"
          "  vyre tune examples/tiled.wgsl --size 1024,1024 --in a=a.npy --in b=b.npy \\\n"
          "      --uniform shape=1024:1024:1024 --tune BX=4,8,16,32,64 --tune BY=1,2,4,8,16 \\\n"
          "      --tune BK=4,8,16,32 --where \"BX*BY <= 256\" --budget 2m   (a search)\n",
  };
}

Result<void> check(const TuneOptions& options) {
  if (options.set.empty() == options.job.run.files.empty()) {
    return fail(Code::invalid_input, "give a WGSL file, or --kernels FILE");
  }
  if (!options.set.empty() && (options.job.run.size || options.job.run.grid ||
                               !options.job.run.inputs.empty() || !options.job.axes.empty())) {
    return fail(Code::invalid_input, "with --kernels, the file has the arguments of each kernel");
  }
  if (options.job.run.size && options.job.run.grid) {
    return fail(Code::invalid_input, "--size and --grid cannot both be given", "give one of them");
  }
  if (!options.mode.empty() && options.mode != "natural" && options.mode != "on") {
    return fail(Code::invalid_input, fmt::format("--mode: there is no {}", quote(options.mode)),
                "there are natural and on");
  }
  if (!options.strategy.empty()) {
    const std::vector<std::string> known(kStrategyNames.begin(), kStrategyNames.end());
    if (std::ranges::find(known, options.strategy) == known.end()) {
      const std::string meant = nearest(options.strategy, known);
      return fail(Code::invalid_input,
                  fmt::format("--strategy: there is no {}", quote(options.strategy)),
                  meant.empty() ? fmt::format("there are {}", join_words(known))
                                : fmt::format("did you mean {}?", meant));
    }
    if (options.mode == "natural") {
      return fail(Code::invalid_input, "--strategy needs the mode on",
                  "leave out --mode, or give --mode on");
    }
  }
  if (options.fresh && !options.store.empty()) {
    return fail(Code::invalid_input, "--fresh and --store cannot both be given",
                "give one of them");
  }
  if (options.device == "null" || options.device == "interp") {
    return fail(Code::invalid_input, fmt::format("--device {} cannot be tuned", options.device),
                "give cpu, cuda or auto");
  }
  if (names_pipeline(options.job.run)) {
    VYRE_CHECK(check_tune_pipeline(options));
  } else if (!options.job.run.dims.empty()) {
    return fail(Code::invalid_input, "--dim is for pipelines",
                "give a file whose name ends in .toml");
  }
  return check_device_name(options.device, "");
}

Exit run_command(const TuneOptions& given, Streams& streams) {
  TuneOptions options = given;
  std::vector<TuneJob> jobs;
  if (options.set.empty()) {
    jobs.push_back(options.job);
  } else {
    auto read = read_tune_set(options.set);
    if (!read) return report(streams, read.error());
    jobs = *std::move(read);
  }
  for (const std::string& path : {options.report, options.trace}) {
    if (path.empty()) continue;
    if (path == "-") {
      return report(
          streams, {Code::invalid_input, "--report and --trace do not write to the standard output",
                    "give a file"});
    }
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
    if (::access(folder.c_str(), W_OK) != 0) {
      return report(streams,
                    {Code::invalid_input,
                     fmt::format("the folder {} cannot be written to", folder.string()), ""});
    }
  }
  const InterruptGuard guard;
  const auto keeps = can_keep(options, streams);
  if (!keeps) return report(streams, keeps.error(), exit_for(keeps.error()));
  options.keeps = *keeps;
  if (names_pipeline(options.job.run)) return tune_pipeline(options, streams);
  auto device = describe_device(options);
  if (!device) return report(streams, device.error(), exit_for(device.error()));
  TuneReport all;
  all.command = "vyre tune " + options.command;
  all.version = version();
  all.device = *std::move(device);
  all.budget_seconds = options.budget_seconds;
  all.started_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const auto started = Clock::now();
  bool wrong = false, any_swept = false, any_online = false;
  Bar bar(streams.err);
  for (const TuneJob& job : jobs) {
    auto outcome =
        tune_kernel(job, options, streams, started, [&](const TuneProgress& p) { bar.show(p); });
    bar.clear();
    if (!outcome) {
      if (jobs.size() > 1) {
        outcome.error().what = fmt::format("{}: {}", job.run.files.front(), outcome.error().what);
      }
      return report(streams, outcome.error(), exit_for(outcome.error()));
    }
    if (!options.json) {
      print_kernel(streams.out, *outcome);
      streams.out.flush();
    }
    wrong = wrong || (outcome->verification && !outcome->verification->comparison.same());
    (outcome->swept ? any_swept : any_online) = true;
    all.interrupted = outcome->interrupted;
    all.kernels.push_back(std::move(outcome->record));
    if (all.interrupted) break;
  }
  all.mode = any_swept && any_online ? "natural, on" : any_swept ? "on" : "natural";
  all.method = method_of(any_swept, any_online);
  all.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  if (options.json) streams.out.write(tune_json(all));
  const auto write = [&](const std::string& path, const std::string& text) {
    return path.empty() ? Result<void>{} : replace_file(path, text);
  };
  if (auto done = write(options.report, options.report.empty() ? "" : tune_html(all)); !done) {
    return report(streams, done.error(), Exit::failed);
  }
  if (auto done = write(options.trace, options.trace.empty() ? "" : trace_json(all)); !done) {
    return report(streams, done.error(), Exit::failed);
  }
  if (!options.json) {
    if (!options.report.empty()) streams.out.print("the report: {}\n", options.report);
    if (!options.trace.empty()) {
      streams.out.print("the trace: {} (open it at ui.perfetto.dev)\n", options.trace);
    }
  }
  if (wrong) return Exit::failed;
  return Exit::done;
}

}  // namespace vyre

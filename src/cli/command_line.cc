#include "vyre/cli/command_line.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>

#include "vyre/base/text/nearest.h"
#include "vyre/base/version.h"
#include "vyre/cli/cache/cache.h"
#include "vyre/cli/check.h"
#include "vyre/cli/devices.h"
#include "vyre/cli/graph/graph.h"
#include "vyre/cli/pipeline/bench.h"
#include "vyre/cli/plan.h"
#include "vyre/cli/replay/replay.h"
#include "vyre/cli/resident.h"
#include "vyre/cli/run/run.h"
#include "vyre/cli/tune/tune.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

// The parsed command, ready to run.
struct Request {
  std::function<Exit(Streams&)> act;
};

template <class Options>
Result<void> check_options(const Options& options) {
  if constexpr (requires { check(options); }) return check(options);
  return {};
}

// The arguments, quoted as in a shell.
std::string typed(std::span<const std::string> arguments) {
  std::string out;
  for (const std::string& word : arguments) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=.,:/@%+") == std::string::npos;
    out += out.empty() ? "" : " ";
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
    out += '\'';
  }
  return out;
}

template <class Options>
Result<Request> parse_command(std::span<const std::string> arguments) {
  OptionSet set;
  Options options;
  const CommandHelp help = declare(set, options);
  VYRE_TRY(const bool complete, set.parse(arguments));
  if (!complete) {
    return Request{[text = set.help(help)](Streams& streams) {
      streams.out.write(text);
      return Exit::done;
    }};
  }
  VYRE_CHECK(check_options(options));
  if constexpr (requires { options.command; }) options.command = typed(arguments);
  return Request{
      [options = std::move(options)](Streams& streams) { return run_command(options, streams); }};
}

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  Result<Request> (*parse)(std::span<const std::string> arguments);
};

constexpr std::array kSubcommands{
    Subcommand{"devices", "list the devices that kernels can run on",
               parse_command<DevicesOptions>},
    Subcommand{"check", "check WGSL files and describe their entry points",
               parse_command<CheckOptions>},
    Subcommand{"run", "run a kernel on data", parse_command<RunOptions>},
    Subcommand{"tune", "find the fastest variant of a kernel, and remember it",
               parse_command<TuneOptions>},
    Subcommand{"bench", "time a pipeline fused and stage by stage", parse_command<BenchOptions>},
    Subcommand{"plan", "show how a kernel would be launched, or stages fused, and why",
               parse_command<PlanOptions>},
    Subcommand{"graph", "run a graph program on a graph, round after round",
               parse_command<GraphOptions>},
    Subcommand{"resident", "recommend the size of a resident launch",
               parse_command<ResidentOptions>},
    Subcommand{"replay", "compare search strategies on recorded tuning spaces",
               parse_command<ReplayOptions>},
    Subcommand{"cache", "show, explain, pin, exchange or clear what vyre keeps",
               parse_command<CacheOptions>},
};

std::string help_text() {
  std::string out =
      "usage: vyre COMMAND [arguments]\n"
      "\n"
      "Runs and tunes data-parallel kernels written in WGSL, and explains its decisions.\n"
      "\n";
  for (const Subcommand& each : kSubcommands) {
    out += fmt::format("  {:<10} {}\n", each.name, each.summary);
  }
  out +=
      "\n"
      "  vyre COMMAND --help   options and examples of a command\n"
      "  vyre --version        the version\n"
      "\n"
      "exit codes: 0 done, 1 the run failed, 2 the command or its input was wrong\n";
  return out;
}

Request show(std::string text) {
  return {[text = std::move(text)](Streams& streams) {
    streams.out.write(text);
    return Exit::done;
  }};
}

Result<Request> parse_arguments(std::span<const std::string> arguments) {
  if (arguments.empty()) {
    return fail(Code::invalid_input, "no command given", "see vyre --help");
  }
  const std::string& word = arguments.front();
  const auto rest = arguments.subspan(1);
  if (word == "--help" || word == "-h") return show(help_text());
  if (word == "--version") return show(fmt::format("vyre {}\n", version()));
  if (word == "help") {
    if (rest.empty()) return show(help_text());
    const std::array<std::string, 2> asked{rest.front(), "--help"};
    return parse_arguments(asked);
  }
  std::vector<std::string> names;
  for (const Subcommand& each : kSubcommands) {
    if (each.name == word) {
      auto request = each.parse(rest);
      if (!request && request.error().fix.empty()) {
        request.error().fix = fmt::format("see vyre {} --help", word);
      }
      return request;
    }
    names.emplace_back(each.name);
  }
  const std::string meant = nearest(word, names);
  return fail(
      Code::invalid_input,
      fmt::format("there is no {} {}", word.starts_with('-') ? "option" : "command", quote(word)),
      meant.empty() ? "see vyre --help" : fmt::format("did you mean {}?", meant));
}

Exit act(std::span<const std::string> arguments, Streams& streams) {
  try {
    const auto request = parse_arguments(arguments);
    return request ? request->act(streams) : report(streams, request.error());
  } catch (const std::bad_alloc&) {
    return report(streams, {Code::out_of_memory, "out of memory", ""}, Exit::failed);
  } catch (const std::length_error&) {
    return report(streams, {Code::out_of_memory, "out of memory", ""}, Exit::failed);
  }
}

}  // namespace

int run_command_line(std::span<const std::string> arguments, Streams& streams) {
  Exit exit = act(arguments, streams);
  if (!streams.out.flush()) {
    // The reader of our output has closed it, and needs no message.
    if (streams.out.error() != EPIPE) {
      streams.err.print("vyre: cannot write the output: {}\n", std::strerror(streams.out.error()));
    }
    if (exit == Exit::done) exit = Exit::failed;
  }
  streams.err.flush();
  return static_cast<int>(exit);
}

bool understands(std::span<const std::string> arguments) {
  return parse_arguments(arguments).has_value();
}

}  // namespace vyre

// The kernels of the corpus on the CPU beside the same kernels in C++.
//
//   corpus_bench [--only NAME[,NAME...]] [--family NAME[,NAME...]] [--size small|default|large]
//                [--seconds S] [--threads N] [--clock wall|processor] [--choices 0|1] [--json FILE]
//
// Every implementation's result is checked before anything is timed; rounds interleave them. With
// --choices 1, every variant of every kernel is timed as well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "case_problem.h"
#include "choices.h"
#include "environment.h"
#include "report.h"
#include "run_options.h"
#include "sides.h"

namespace vyre::bench {
namespace {

constexpr const char* kUsage =
    "corpus_bench [--only NAME[,NAME...]] [--family NAME[,NAME...]] [--size small|default|large] "
    "[--seconds S] [--threads N] [--clock wall|processor] [--choices 0|1] [--json FILE]";

struct Options : RunOptions {
  std::vector<std::filesystem::path> files = corpus_files(VYRE_ROOT_DIR "/bench/corpus");
  bool choices = false;
};

CaseSize case_size(Size size) {
  switch (size) {
    case Size::small: return CaseSize::small;
    case Size::standard: return CaseSize::standard;
    case Size::large: return CaseSize::large;
  }
  return CaseSize::standard;
}

std::string family_of(const std::filesystem::path& file) {
  return file.parent_path().filename().string();
}

template <class Name>
std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files, Name name) {
  std::set<std::string> out;
  for (const auto& file : files) out.insert(name(file));
  return {out.begin(), out.end()};
}

template <class Name>
void keep(std::vector<std::filesystem::path>& files, const std::vector<std::string>& wanted,
          Name name) {
  std::erase_if(files, [&](const auto& file) {
    return std::ranges::find(wanted, name(file)) == wanted.end();
  });
}

Options parse(Arguments arguments) {
  const auto stem_of = [](const std::filesystem::path& file) { return file.stem().string(); };
  Options out;
  const auto all = out.files;
  while (arguments.next()) {
    const std::string_view option = arguments.option();
    if (option == "--only") {
      keep(out.files, arguments.names(names_of(all, stem_of)), stem_of);
    } else if (option == "--family") {
      keep(out.files, arguments.names(names_of(all, family_of)), family_of);
    } else if (option == "--choices") {
      out.choices = arguments.number(0U, 1U) != 0;
    } else if (!out.take(arguments)) {
      arguments.refuse_option();
    }
  }
  return out;
}

struct Row {
  std::string family;
  Measured measured;
  std::optional<Choices> choices;
};

Row measure_case(const Options& options, const std::filesystem::path& file) {
  Row out;
  out.family = family_of(file);
  out.measured.name = file.stem().string();
  const auto made = make_case_problem(file, case_size(options.size));
  if (!made) {
    out.measured.problem = describe(made.error());
    return out;
  }
  const Problem& problem = made->problem;
  Sides sides;
  sides[kVyre] = make_vyre_side(problem, options.threads);
  sides[kPlain] = make_native_side(problem, made->twin.run);
  out.measured = measure(problem, sides, options.seconds, options.clock);
  if (options.choices && out.measured.problem.empty()) {
    auto choices = measure_choices(problem, options.threads);
    if (choices) {
      out.choices = *std::move(choices);
    } else {
      out.measured.problem = describe(choices.error());
    }
  }
  return out;
}

void print(const Row& row, const Options& options, bool with_heading) {
  if (with_heading) {
    fmt::print("{:20} {:20} {:>9} {:>9} {:>9}{}\n", "family (* held out)", "kernel", "vyre ms",
               "g++ ms", "vyre/g++",
               options.choices ? "  declared    guess  of the best of the variants" : "");
  }
  const Measured& m = row.measured;
  const std::string family = row.family + (is_held_out(row.family) ? " *" : "");
  if (!m.problem.empty()) {
    fmt::print("{:20} {:20} {}\n", family, m.name, m.problem);
  } else {
    fmt::print("{:20} {:20} {:9.3f} {:9.3f} {:9.2f}", family, m.name, m.times[kVyre]->median_ms,
               m.times[kPlain]->median_ms, *m.ratio[kPlain]);
    if (row.choices) {
      fmt::print(" {:9.2f} {:8.2f}  {} of {}; guess {}", row.choices->declared_of_best,
                 row.choices->guess_of_best, row.choices->best, row.choices->variants,
                 row.choices->guess);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

// Of the values of all rows that have one: their geometric mean, and the least with its name.
template <class Value>
void print_figure(const char* title, const std::vector<Row>& rows, Value value) {
  for (const int part : {0, 1, 2}) {
    double logs = 0, least = 0;
    int count = 0;
    std::string which;
    for (const Row& row : rows) {
      if (part != 0 && is_held_out(row.family) != (part == 2)) continue;
      const std::optional<double> v = value(row);
      if (!v || *v <= 0) continue;
      logs += std::log(*v);
      if (count++ == 0 || *v < least) {
        least = *v;
        which = row.measured.name;
      }
    }
    if (count == 0) continue;
    constexpr const char* kParts[] = {"all", "fitted families", "held-out families"};
    fmt::print("{}, {}: geometric mean {:.2f} of {}, least {:.2f} ({})\n", title, kParts[part],
               std::exp(logs / count), count, least, which);
  }
}

void print_summary(const Options& options, std::vector<Row> rows) {
  std::erase_if(rows, [](const Row& row) { return !row.measured.problem.empty(); });
  fmt::print("\n{}, {} threads each, {}. Ratios are speeds: above 1, vyre is faster.\n",
             processor_name(), options.threads,
             options.clock == TimedBy::wall ? "wall clock" : "time of processors");
  print_figure("vyre/g++", rows, [](const Row& row) { return row.measured.ratio[kPlain]; });
  if (options.choices) {
    const auto of = [](double Choices::* member) {
      return [member](const Row& row) -> std::optional<double> {
        if (!row.choices) return std::nullopt;
        return (*row.choices).*member;
      };
    };
    print_figure("declared of the best", rows, of(&Choices::declared_of_best));
    print_figure("first guess of the best", rows, of(&Choices::guess_of_best));
  }
  std::ranges::sort(rows, {}, [](const Row& row) { return *row.measured.ratio[kPlain]; });
  std::string slow;
  for (const Row& row : rows) {
    const double ratio = *row.measured.ratio[kPlain];
    if (ratio < 0.8) slow += fmt::format(" {} {:.2f};", row.measured.name, ratio);
  }
  if (!slow.empty()) fmt::print("below 0.80 of g++:{}\n", slow);
}

std::string to_json(const Options& options, const std::vector<Row>& rows) {
  nlohmann::ordered_json out;
  out["processor"] = processor_name();
  out["threads"] = options.threads;
  out["clock"] = options.clock == TimedBy::wall ? "wall" : "processor";
  out["kernels"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const Measured& m = row.measured;
    nlohmann::ordered_json k{
        {"name", m.name}, {"family", row.family}, {"held_out", is_held_out(row.family)}};
    if (!m.problem.empty()) {
      k["problem"] = m.problem;
    } else {
      k["rounds"] = m.rounds;
      k["vyre_ms"] = m.times[kVyre]->median_ms;
      k["gcc_ms"] = m.times[kPlain]->median_ms;
      k["ratio"] = *m.ratio[kPlain];
    }
    if (row.choices) {
      k["variants"] = row.choices->variants;
      k["best"] = row.choices->best;
      k["declared_of_best"] = row.choices->declared_of_best;
      k["guess"] = row.choices->guess;
      k["guess_of_best"] = row.choices->guess_of_best;
    }
    out["kernels"].push_back(std::move(k));
  }
  return out.dump(1);
}

int run(int argc, char** argv) {
  const Arguments arguments("corpus_bench", kUsage, argc, argv);
  Options options = parse(arguments);
  options.settle(arguments, argv);
  std::filesystem::current_path(VYRE_ROOT_DIR);
  std::vector<Row> rows;
  for (const auto& file : options.files) {
    rows.push_back(measure_case(options, file));
    print(rows.back(), options, rows.size() == 1);
  }
  print_summary(options, rows);
  arguments.write_json(options.json, to_json(options, rows));
  return std::ranges::any_of(rows, [](const Row& row) { return !row.measured.problem.empty(); })
             ? 1
             : 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  return vyre::bench::run_benchmark("corpus_bench", vyre::bench::run, argc, argv);
}

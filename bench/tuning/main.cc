// What the tuner chooses, beside the best of everything it could have chosen, in one run.
//
//   tuning_bench [--device NAME] [--only NAME[,NAME...]] [--sizes small,standard,large,huge]
//                [--rounds N] [--json FILE] [--online-only 1]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checks.h"
#include "online.h"
#include "setup.h"

namespace vyre::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGood = 0.98;  // of the best
constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Options {
  std::string device = "auto";
  std::vector<std::string> names = problem_names();
  std::vector<std::string> sizes = {"small", "standard", "large"};
  unsigned rounds = 7;
  double round_ns = 1e6;
  std::string json;
  bool online_only = false;  // of the search beside calls, without every variant's time
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

// For GPUs: as much as their memory is for.
Problem make_huge(const std::string& name) {
  if (name == "saxpy") return saxpy_problem_of(1U << 26);
  if (name == "stencil") return stencil_problem_of(8192);
  fmt::print(stderr, "tuning_bench: there is no huge {}\n", name);
  std::exit(2);
}

Size size_named(const std::string& name) {
  if (name == "small") return Size::small;
  if (name == "standard") return Size::standard;
  if (name == "large") return Size::large;
  fmt::print(stderr, "tuning_bench: there is no size '{}'\n", name);
  std::exit(2);
}

std::vector<std::size_t> fastest(const Exhaustive& measured, std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    if (measured.all[i].ns > 0) out.push_back(i);
  }
  std::ranges::sort(out, {}, [&](std::size_t i) { return measured.all[i].ns; });
  out.resize(std::min(out.size(), count));
  return out;
}

int run(const Options& options) {
  auto session = Session::open(options.device, {});
  if (!session) {
    fmt::print(stderr, "{}\n", describe(session.error()));
    return 1;
  }
  Json all = Json::array();
  for (const std::string& name : options.names) {
    for (const std::string& size : options.sizes) {
      const Problem problem =
          size == "huge" ? make_huge(name) : make_problem(name, size_named(size));
      auto setup = Setup::make(*session, problem);
      if (!setup) {
        fmt::print(stderr, "{}: {}\n", name, describe(setup.error()));
        return 1;
      }
      const auto variants = session->variants(setup->kernel(), setup->size());
      auto measured = options.online_only
                          ? measure_all(*setup, {variants.front()}, 1, options.round_ns)
                          : measure_all(*setup, variants, options.rounds, options.round_ns);
      if (!measured) {
        fmt::print(stderr, "{}: {}\n", name, describe(measured.error()));
        return 1;
      }
      auto online = run_online(*setup, options.device);
      if (!online) {
        fmt::print(stderr, "{}: {}\n", name, describe(online.error()));
        return 1;
      }
      auto swept = options.online_only ? Result<Swept>(Swept{online->choice, 0})
                                       : run_sweep(*setup, options.device);
      if (!swept) {
        fmt::print(stderr, "{}: {}\n", name, describe(swept.error()));
        return 1;
      }
      // Those that matter, again and in turns: the least of many noisy times is too small.
      std::vector<Variant> few = {measured->all[0].variant, online->start, swept->choice,
                                  online->choice};
      for (const std::size_t i : fastest(*measured, 8)) few.push_back(measured->all[i].variant);
      for (const auto& [call, variant] : online->served) few.push_back(variant);
      auto again = measure_all(*setup, few, 3 * options.rounds, options.round_ns);
      if (!again) {
        fmt::print(stderr, "{}: {}\n", name, describe(again.error()));
        return 1;
      }
      const Timed& best = again->all[again->best];
      const auto beside = [&](const Variant& v) {
        for (const Timed& t : again->all) {
          if (t.variant == v && t.ns > 0) return best.ns / t.ns;
        }
        return 0.0;
      };
      // From which call on everything served was about as fast as the best.
      std::uint64_t good = kNever;
      for (const auto& [call, variant] : online->served) {
        if (beside(variant) < kGood) {
          good = kNever;
        } else if (good == kNever) {
          good = call;
        }
      }
      const double first = online->first_ns - online->allowance_ns;
      fmt::print(
          "{:14} {:9} {:3} {:9.1f} us  default {:.3f} guess {:.3f} swept {:.3f} online {:.3f}  "
          "good from {:>5} "
          "settled {:6}  first {:.3f} later {:.3f}  lost {:.2f} of {:.2f} ms  made {} verified {} "
          "measured {} load {:.0f} us  {} | best {}{}\n",
          name, size, variants.size(), best.ns / 1e3, beside(measured->all[0].variant),
          beside(online->start), beside(swept->choice), beside(online->choice),
          good == kNever ? "-" : std::to_string(good),
          online->settled == 0 ? "-" : std::to_string(online->settled), first / online->frozen_ns,
          online->later_ns / online->later_frozen_ns, online->lost_ns / 1e6, online->bound_ns / 1e6,
          online->made, online->verified, online->measured, online->load_ns / 1e3,
          to_string(online->choice), to_string(best.variant),
          online->untunable.empty() ? "" : " | not tuned: " + online->untunable);
      std::fflush(stdout);
      Json row{{"kernel", name},
               {"size", size},
               {"guess", to_string(online->start)},
               {"guess_of_best", beside(online->start)},
               {"swept", to_string(swept->choice)},
               {"swept_of_best", beside(swept->choice)},
               {"sweep_seconds", swept->seconds},
               {"choice", to_string(online->choice)},
               {"choice_of_best", beside(online->choice)},
               {"good_from", good == kNever ? Json() : Json(good)},
               {"settled", online->settled},
               {"first_1000", first / online->frozen_ns},
               {"later_1000", online->later_ns / online->later_frozen_ns},
               {"frozen_ns", online->frozen_ns},
               {"batches_ns", online->batches_ns},
               {"lost_ns", online->lost_ns},
               {"bound_ns", online->bound_ns},
               {"made", online->made},
               {"verified", online->verified},
               {"measured", online->measured},
               {"load_ns", online->load_ns},
               {"untunable", online->untunable},
               {"variants", Json::array()}};
      for (const Timed& t : measured->all) {
        row["variants"].push_back({{"variant", to_string(t.variant)},
                                   {"ns", t.ns},
                                   {"spread_ns", t.spread_ns},
                                   {"problem", t.problem}});
      }
      all.push_back(std::move(row));
      if (!options.json.empty()) std::ofstream(options.json) << all.dump(1) << '\n';
    }
  }
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  vyre::bench::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--device") options.device = argv[i + 1];
    if (option == "--only") options.names = vyre::bench::split(argv[i + 1]);
    if (option == "--sizes") options.sizes = vyre::bench::split(argv[i + 1]);
    if (option == "--rounds") options.rounds = static_cast<unsigned>(std::atoi(argv[i + 1]));
    if (option == "--online-only") options.online_only = std::string_view(argv[i + 1]) != "0";
    if (option == "--json") options.json = argv[i + 1];
  }
  return vyre::bench::run(options);
}

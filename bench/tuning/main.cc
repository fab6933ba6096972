// What the tuner chooses, beside the best of everything it could have chosen, in one run.
//
//   tuning_bench [--device NAME] [--only NAME[,NAME...]] [--sizes small,standard,large,huge]
//                [--rounds N] [--json FILE]
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checks.h"
#include "online.h"
#include "setup.h"

namespace vyre::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string device = "auto";
  std::vector<std::string> names = problem_names();
  std::vector<std::string> sizes = {"small", "standard", "large"};
  unsigned rounds = 7;
  double round_ns = 1e6;
  std::string json;
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

Size size_named(const std::string& name) {
  if (name == "small") return Size::small;
  if (name == "standard") return Size::standard;
  if (name == "large") return Size::large;
  fmt::print(stderr, "tuning_bench: there is no size '{}'\n", name);
  std::exit(2);
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
      const Problem problem = make_problem(name, size_named(size));
      auto setup = Setup::make(*session, problem);
      if (!setup) {
        fmt::print(stderr, "{}: {}\n", name, describe(setup.error()));
        return 1;
      }
      const auto variants = session->variants(setup->kernel(), setup->size());
      auto measured = measure_all(*setup, variants, options.rounds, options.round_ns);
      if (!measured) {
        fmt::print(stderr, "{}: {}\n", name, describe(measured.error()));
        return 1;
      }
      const Timed& best = measured->all[measured->best];
      auto online = run_online(*setup, options.device);
      if (!online) {
        fmt::print(stderr, "{}: {}\n", name, describe(online.error()));
        return 1;
      }
      const auto beside = [&](const Variant& v) {
        for (const Timed& t : measured->all) {
          if (t.variant == v && t.ns > 0) return best.ns / t.ns;
        }
        return 0.0;
      };
      const double first = online->first_ns - online->allowance_ns;
      fmt::print(
          "{:14} {:9} {:3} {:9.1f} us  default {:.3f} guess {:.3f} choice {:.3f}  reached {:5} "
          "settled {:6}  first {:.3f} later {:.3f}  lost {:.2f} of {:.2f} ms  {} | best {}{}\n",
          name, size, variants.size(), best.ns / 1e3, best.ns / measured->all[0].ns,
          beside(online->start), beside(online->choice), online->reached,
          online->settled == 0 ? "-" : std::to_string(online->settled), first / online->frozen_ns,
          online->later_ns / online->later_frozen_ns, online->lost_ns / 1e6, online->bound_ns / 1e6,
          to_string(online->choice), to_string(best.variant),
          online->untunable.empty() ? "" : " | not tuned: " + online->untunable);
      std::fflush(stdout);
      Json row{{"kernel", name},
               {"size", size},
               {"guess", to_string(online->start)},
               {"guess_of_best", beside(online->start)},
               {"choice", to_string(online->choice)},
               {"choice_of_best", beside(online->choice)},
               {"reached", online->reached},
               {"settled", online->settled},
               {"first_1000", first / online->frozen_ns},
               {"later_1000", online->later_ns / online->later_frozen_ns},
               {"lost_ns", online->lost_ns},
               {"bound_ns", online->bound_ns},
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
    if (option == "--json") options.json = argv[i + 1];
  }
  return vyre::bench::run(options);
}

#include "arguments.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>

namespace vyre::bench {

bool Arguments::next() {
  if (rest_.empty()) return false;
  option_ = rest_[0];
  if (option_ == "--help") {
    fmt::print("{}\n", usage_);
    std::exit(0);
  }
  if (rest_.size() == 1) refuse(fmt::format("'{}' needs a value, or is unknown", option_));
  value_ = rest_[1];
  rest_ = rest_.subspan(2);
  return true;
}

std::vector<std::string> Arguments::names(std::span<const std::string> known) const {
  std::vector<std::string> out;
  for (std::string_view text = value_;;) {
    const auto comma = std::min(text.find(','), text.size());
    out.emplace_back(text.substr(0, comma));
    if (std::ranges::find(known, out.back()) == known.end()) {
      refuse(fmt::format("{}: there is no '{}'; there are: {}", option_, out.back(),
                         fmt::join(known, ", ")));
    }
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

std::string Arguments::name(std::span<const std::string> known) const {
  std::vector<std::string> out = names(known);
  if (out.size() != 1) refuse(fmt::format("{} takes one of: {}", option_, fmt::join(known, ", ")));
  return std::move(out.front());
}

void Arguments::refuse_option() const { refuse(fmt::format("unknown option '{}'", option_)); }

void Arguments::refuse(std::string_view why) const {
  fmt::print(stderr, "{}: {}\n{}\n", program_, why, usage_);
  std::exit(2);
}

void Arguments::write_json(const std::string& path, std::string_view text) const {
  if (path.empty()) return;
  std::ofstream file(path);
  file << text << '\n';
  if (!file) refuse(fmt::format("cannot write {}", path));
}

int run_benchmark(std::string_view program, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", program, e.what());
    return 1;
  }
}

}  // namespace vyre::bench

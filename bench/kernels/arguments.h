// The command line of a benchmark. Every option has a value. A wrong option or value ends the
// program with the status 2.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::bench {

class Arguments {
 public:
  // `usage` is printed by --help and after an error.
  Arguments(std::string_view program, std::string_view usage, int argc, char** argv)
      : program_(program), usage_(usage), rest_(argv + 1, argv + argc) {}

  // The next option, if there is one.
  bool next();
  std::string_view option() const { return option_; }
  std::string value() const { return std::string(value_); }
  template <class T>
  T number(T least, T most) const {
    T value{};
    const auto [end, error] = std::from_chars(value_.begin(), value_.end(), value);
    if (error != std::errc() || end != value_.end() || !(value >= least && value <= most)) {
      refuse(fmt::format("{} is '{}'; give a number from {} to {}", option_, value_, least, most));
    }
    return value;
  }
  // One or several of these, with commas between them.
  std::vector<std::string> names(std::span<const std::string> known) const;
  std::string name(std::span<const std::string> known) const;

  [[noreturn]] void refuse_option() const;
  [[noreturn]] void refuse(std::string_view why) const;

  // Writes the text to the file that --json names; an empty path: to no file.
  void write_json(const std::string& path, std::string_view text) const;

 private:
  std::string_view program_, usage_;
  std::span<char*> rest_;
  std::string_view option_, value_;
};

// Runs a benchmark; an exception ends it with its message and the status 1.
int run_benchmark(std::string_view program, int (*run)(int, char**), int argc, char** argv);

}  // namespace vyre::bench

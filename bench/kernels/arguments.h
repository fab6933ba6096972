// What a benchmark is told on its command line: options that all have a value. What cannot be meant
// ends the program with the status 2.
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
  // `usage` is for --help, too.
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

 private:
  std::string_view program_, usage_;
  std::span<char*> rest_;
  std::string_view option_, value_;
};

}  // namespace vyre::bench

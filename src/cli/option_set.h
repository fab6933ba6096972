// The options of one subcommand: declared once, for parsing (CLI11 does that) and for the help
// text.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vyre/base/error.h"

namespace CLI {
class App;
}

namespace vyre {

// The parts of a help text around its options.
struct CommandHelp {
  std::string_view usage;    // "vyre check FILE... [options]"
  std::string_view summary;  // a sentence or two
  std::string_view details;  // below the options: forms of values, examples
};

class OptionSet {
 public:
  OptionSet();
  ~OptionSet();

  // Positional arguments. With `at_least` 1, leaving them out is an error.
  void positional(std::string name, std::string help, std::vector<std::string>& target,
                  std::size_t at_least, std::size_t at_most);
  void flag(std::string names, std::string help, bool& target);

  // An option that may be given at most once. parse(text) returns a Result with the value for the
  // target.
  template <class T, class Parse>
  void value(std::string names, std::string form, std::string help, T& target, Parse parse) {
    add(std::move(names), std::move(form), std::move(help), true,
        [&target, parse](const std::string& text) -> Result<void> {
          VYRE_TRY(target, parse(text));
          return {};
        });
  }
  void value(std::string names, std::string form, std::string help, std::string& target);

  // An option given at most once, with a value (--name=VALUE) or without one (--name), when parse
  // gets an empty text.
  template <class T, class Parse>
  void optional_value(std::string name, std::string form, std::string help, T& target,
                      Parse parse) {
    add_optional(std::move(name), std::move(form), std::move(help),
                 [&target, parse](const std::string& text) -> Result<void> {
                   VYRE_TRY(target, parse(text));
                   return {};
                 });
  }

  // An option that may be given several times; each adds to the target. parse gives a Result of one
  // item, or of a vector of them.
  template <class T, class Parse>
  void repeated(std::string names, std::string form, std::string help, std::vector<T>& target,
                Parse parse) {
    add(std::move(names), std::move(form), std::move(help), false,
        [&target, parse](const std::string& text) -> Result<void> {
          VYRE_TRY(auto parsed, parse(text));
          append(target, std::move(parsed));
          return {};
        });
  }

  // True: everything is in the targets. False: the help text was asked for.
  Result<bool> parse(std::span<const std::string> arguments);

  std::string help(const CommandHelp& text) const;

 private:
  struct Line {
    std::string left, right;
  };

  template <class T>
  static void append(std::vector<T>& target, std::type_identity_t<T> item) {
    target.push_back(std::move(item));
  }
  template <class T>
  static void append(std::vector<T>& target, std::vector<T> items) {
    for (T& item : items) target.push_back(std::move(item));
  }

  void add(std::string names, std::string form, std::string help, bool once,
           std::function<Result<void>(const std::string&)> take);
  void add_optional(std::string name, std::string form, std::string help,
                    std::function<Result<void>(const std::string&)> take);
  Result<void> take_optionals();
  // The first `options_until` words might have been meant as options.
  Result<void> take_positionals(std::vector<std::string> words, std::size_t options_until);

  std::unique_ptr<CLI::App> app_;
  std::vector<Line> positionals_, options_;
  std::vector<std::string> names_;  // every spelling of every option
  struct OptionalValue {
    std::string name;
    std::function<Result<void>(const std::string&)> take;
  };
  std::vector<OptionalValue> optionals_;
  std::vector<std::string>* positional_target_ = nullptr;
  std::size_t least_positionals_ = 0, most_positionals_ = 0;
};

}  // namespace vyre

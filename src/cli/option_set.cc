#include "vyre/cli/option_set.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "vyre/base/text/nearest.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

// Thrown to leave CLI11's parser with one of our errors.
struct ArgumentError {
  Error error;
};

// The value that CLI11 gives to a flag without a value.
constexpr std::string_view kFlagGiven = "true";

// CLI11's message up to the name of the option it is about.
std::string option_of(const std::string& message) { return message.substr(0, message.find(':')); }

}  // namespace

OptionSet::OptionSet() : app_(std::make_unique<CLI::App>()) {
  app_->allow_extras();
  app_->set_help_flag("-h,--help");
  names_ = {"-h", "--help"};
}

OptionSet::~OptionSet() = default;

void OptionSet::positional(std::string name, std::string help, std::vector<std::string>& target,
                           std::size_t at_least, std::size_t at_most) {
  positional_target_ = &target;
  least_positionals_ = at_least;
  most_positionals_ = at_most;
  positionals_.push_back({std::move(name), std::move(help)});
}

void OptionSet::flag(std::string names, std::string help, bool& target) {
  app_->add_flag(names, target)->disable_flag_override();
  for (const std::string_view name : split(names, ',')) names_.emplace_back(name);
  options_.push_back({std::move(names), std::move(help)});
}

void OptionSet::value(std::string names, std::string form, std::string help, std::string& target) {
  value(std::move(names), std::move(form), std::move(help), target,
        [](const std::string& text) -> Result<std::string> {
          if (text.empty()) return fail(Code::invalid_input, "it is empty");
          return text;
        });
}

void OptionSet::add(std::string names, std::string form, std::string help, bool once,
                    std::function<Result<void>(const std::string&)> take) {
  for (const std::string_view name : split(names, ',')) names_.emplace_back(name);
  const std::string shown = names_.back();
  CLI::Option* option =
      app_->add_option(names, [shown, once, take = std::move(take)](const CLI::results_t& results) {
        if (once && results.size() > 1) {
          throw ArgumentError{Error{Code::invalid_input,
                                    fmt::format("{} was given {} times", shown, results.size()),
                                    "give it once"}};
        }
        for (const std::string& text : results) {
          auto taken = take(text);
          if (!taken) {
            Error error = std::move(taken).error();
            error.what = fmt::format("{}: {}", shown, error.what);
            throw ArgumentError{std::move(error)};
          }
        }
        return true;
      });
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option->expected(1);
  option->allow_extra_args(false);
  options_.push_back({fmt::format("{} {}", names, form), std::move(help)});
}

void OptionSet::add_optional(std::string name, std::string form, std::string help,
                             std::function<Result<void>(const std::string&)> take) {
  // A flag for CLI11, which takes "--name=text" as a flag with another value.
  app_->add_flag(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  names_.push_back(name);
  options_.push_back({fmt::format("{}[={}]", name, form), std::move(help)});
  optionals_.push_back({std::move(name), std::move(take)});
}

Result<void> OptionSet::take_optionals() {
  for (const OptionalValue& each : optionals_) {
    const auto& given = app_->get_option(each.name)->results();
    if (given.empty()) continue;
    if (given.size() > 1) {
      return fail(Code::invalid_input,
                  fmt::format("{} was given {} times", each.name, given.size()), "give it once");
    }
    auto taken = each.take(given.front() == kFlagGiven ? "" : given.front());
    if (taken) continue;
    taken.error().what = fmt::format("{}: {}", each.name, taken.error().what);
    return taken;
  }
  return {};
}

Result<void> OptionSet::take_positionals(std::vector<std::string> words,
                                         std::size_t options_until) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i >= options_until || !words[i].starts_with('-') || words[i].size() == 1) continue;
    const std::string name = words[i].substr(0, words[i].find('='));
    const std::string meant = nearest(name, names_);
    return fail(Code::invalid_input, fmt::format("unknown option {}", quote(name)),
                meant.empty() ? "" : fmt::format("did you mean {}?", meant));
  }
  if (words.size() > most_positionals_) {
    const std::string& word = words[most_positionals_];
    const auto bare = std::ranges::find_if(optionals_, [&](const OptionalValue& each) {
      const auto& given = app_->get_option(each.name)->results();
      return !given.empty() && given.front() == kFlagGiven;
    });
    return fail(
        Code::invalid_input, fmt::format("unexpected argument {}", quote(word)),
        bare == optionals_.end() ? "" : fmt::format("{0} takes a value as {0}=VALUE", bare->name));
  }
  if (words.size() < least_positionals_) {
    return fail(Code::invalid_input, fmt::format("{} is missing", positionals_.front().left));
  }
  if (positional_target_ != nullptr) *positional_target_ = std::move(words);
  return {};
}

Result<bool> OptionSet::parse(std::span<const std::string> arguments) {
  // Arguments behind "--" are never options. CLI11 takes its arguments in reverse order.
  const auto end = std::ranges::find(arguments, "--");
  std::vector<std::string> reversed(arguments.begin(), end);
  std::ranges::reverse(reversed);
  try {
    app_->parse(std::move(reversed));
  } catch (const ArgumentError& error) {
    return std::unexpected(error.error);
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ArgumentMismatch& mismatch) {
    const std::string name = option_of(mismatch.what());
    return fail(Code::invalid_input, name.starts_with('-') ? fmt::format("{} needs a value", name)
                                                           : std::string(mismatch.what()));
  } catch (const CLI::Error& error) {
    return fail(Code::invalid_input, error.what());
  }
  VYRE_CHECK(take_optionals());
  std::vector<std::string> words = app_->remaining();
  const std::size_t options_until = words.size();
  if (end != arguments.end()) words.insert(words.end(), end + 1, arguments.end());
  VYRE_CHECK(take_positionals(std::move(words), options_until));
  return true;
}

std::string OptionSet::help(const CommandHelp& text) const {
  std::vector<Line> lines = positionals_;
  lines.insert(lines.end(), options_.begin(), options_.end());
  lines.push_back({"-h,--help", "show this text"});
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, text_width(line.left));
  std::string out = fmt::format("usage: {}\n\n{}\n\n", text.usage, text.summary);
  for (const Line& line : lines) {
    const std::string space(width - text_width(line.left), ' ');
    bool first = true;
    for (const std::string_view piece : split(line.right, '\n')) {
      out += fmt::format("  {}{}  {}\n", first ? line.left : std::string(width, ' '),
                         first ? space : "", piece);
      first = false;
    }
  }
  if (!text.details.empty()) out += fmt::format("\n{}", text.details);
  return out;
}

}  // namespace vyre

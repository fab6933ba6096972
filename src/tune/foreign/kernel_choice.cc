#include "vyre/tune/foreign/kernel_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <thread>

#include "vyre/base/process/processor_name.h"

namespace vyre {
namespace {

std::string names_of(const Configuration& configuration) {
  std::string names;
  for (const auto& [name, value] : configuration) {
    names.append(names.empty() ? "" : ", ").append(name);
  }
  return names;
}

// The number of combinations without the constraint, at most one more than the number that is
// examined: a constraint may leave few of many.
constexpr std::size_t kMaxLookedAt = std::size_t{1} << 22;
std::size_t count_of(const std::vector<ParameterAxis>& axes) {
  std::size_t count = 1;
  for (const ParameterAxis& axis : axes) {
    if (axis.values.empty()) return 0;
    if (count > kMaxLookedAt / axis.values.size()) return kMaxLookedAt + 1;
    count *= axis.values.size();
  }
  return count;
}

Configuration combination(const std::vector<ParameterAxis>& axes, std::size_t number) {
  Configuration configuration(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto& values = axes[i].values;
    configuration[i] = {axes[i].name, values[number % values.size()].text};
    number /= values.size();
  }
  return configuration;
}

}  // namespace

TuningKey tuning_key(const KernelKey& key) {
  TuningKey out;
  out.program = "kernel:" + key.name;
  out.name = key.name;
  out.overrides = key.settings;
  out.size = key.size;
  out.device = key.device.empty() ? host_device_text() : key.device;
  out.driver = key.driver;
  out.generator = key.version;
  return out;
}

std::string host_device_text() {
  static const std::string text =
      fmt::format("{}, {} threads", processor_name().value_or("processor"),
                  std::thread::hardware_concurrency());
  return text;
}

Result<std::string_view> Choice::value(std::string_view name) const {
  for (const auto& [its_name, value] : *configuration_) {
    if (its_name == name) return value;
  }
  return fail(Code::invalid_input,
              fmt::format("the candidate '{}' has no parameter '{}'", text(), name),
              fmt::format("it has {}", names_of(*configuration_)));
}

Result<std::int64_t> Choice::number(std::string_view name) const {
  VYRE_TRY(const std::string_view text, value(name));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(Code::invalid_input,
                fmt::format("the parameter {}={} is no whole number", name, text),
                "ask for its text");
  }
  return number;
}

Result<std::vector<Configuration>> combinations(const std::vector<ParameterAxis>& axes,
                                                const std::function<bool(const Choice&)>& where) {
  for (const ParameterAxis& axis : axes) {
    if (axis.values.empty()) {
      return fail(Code::invalid_input, fmt::format("the parameter '{}' has no values", axis.name));
    }
  }
  const std::size_t count = count_of(axes);
  const std::size_t most = where ? kMaxLookedAt : kMaxKernelCandidates;
  const auto too_many = [&](std::size_t limit) {
    return fail(Code::limit, fmt::format("there are more than {} combinations", limit),
                "give fewer values, or a constraint that leaves fewer");
  };
  if (count > most) return too_many(most);
  std::vector<Configuration> out;
  for (std::size_t i = 0; i < count; ++i) {
    Configuration configuration = combination(axes, i);
    if (where && !where(Choice(static_cast<std::uint32_t>(i), configuration))) continue;
    if (out.size() == kMaxKernelCandidates) return too_many(kMaxKernelCandidates);
    out.push_back(std::move(configuration));
  }
  VYRE_CHECK(check_candidates(out));
  return out;
}

Result<void> check_candidates(const std::vector<Configuration>& candidates) {
  if (candidates.empty()) {
    return fail(Code::invalid_input, "there are no candidates to choose from",
                "give at least one, or a constraint that leaves one");
  }
  if (candidates.size() > kMaxKernelCandidates) {
    return fail(Code::limit,
                fmt::format("there are {} candidates; the most is {}", candidates.size(),
                            kMaxKernelCandidates),
                "leave out values that are never good");
  }
  std::set<std::string> seen;
  for (const Configuration& candidate : candidates) {
    std::string text = to_string(candidate);
    if (text.empty()) return fail(Code::invalid_input, "a candidate has no parameters");
    VYRE_TRY(const Configuration read_back, parse_configuration(text));
    if (read_back != candidate) {
      return fail(Code::invalid_input,
                  fmt::format("the candidate '{}' cannot be told from another", text),
                  "names and values have neither spaces nor '='");
    }
    if (!seen.insert(std::move(text)).second) {
      return fail(Code::invalid_input,
                  fmt::format("the candidate '{}' is there twice", to_string(candidate)));
    }
  }
  return {};
}

}  // namespace vyre

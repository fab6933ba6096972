#include <fmt/format.h>

#include <algorithm>

#include "vyre/tune/search/recorded_space_fields_internal.h"

namespace vyre::recorded {
namespace {

constexpr double kFailedTime = 1e20;  // a time at or above it stands for a failure

}  // namespace

std::unexpected<Error> bad(const std::string& path, std::string_view what) {
  return fail(Code::invalid_input, fmt::format("{} {}", path, what));
}

std::string shorten(std::string text) {
  constexpr std::size_t kMost = 80;
  if (text.size() > kMost) text = text.substr(0, kMost - 3) + "...";
  return text;
}

std::string show(const Json& value) {
  return shorten(value.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::optional<double> unit_ns(std::string_view unit) {
  if (unit == "ns" || unit.starts_with("nano")) return 1;
  if (unit == "us" || unit.starts_with("micro")) return 1e3;
  if (unit == "ms" || unit.starts_with("mili") || unit.starts_with("milli")) return kNsPerMs;
  if (unit == "s" || unit.starts_with("sec")) return 1e9;
  return {};
}

bool is_time(std::string_view objective) {
  std::string lower(objective);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return lower.find("time") != std::string::npos || lower.find("duration") != std::string::npos;
}

Result<double> optional_time(const Json& object, const char* name, const std::string& path) {
  const Json* value = member(object, name);
  if (value == nullptr || value->is_null()) return 0.0;
  if (!value->is_number()) {
    return bad(fmt::format("{}.{}", path, name), fmt::format("is no number: {}", show(*value)));
  }
  const double time = value->get<double>();
  if (!(time >= 0)) {
    return bad(fmt::format("{}.{}", path, name), fmt::format("is below zero: {}", show(*value)));
  }
  return time < kFailedTime ? time : 0.0;
}

Result<std::vector<float>> sample_list(const Json& object, const char* name,
                                       const std::string& path) {
  std::vector<float> samples;
  const Json* list = member(object, name);
  if (list == nullptr || list->is_null()) return samples;
  if (!list->is_array()) {
    return bad(fmt::format("{}.{}", path, name), fmt::format("is no array: {}", show(*list)));
  }
  for (const Json& each : *list) {
    if (!each.is_number() || !(each.get<double>() >= 0)) {
      return bad(fmt::format("{}.{}[{}]", path, name, samples.size()),
                 fmt::format("is no time: {}", show(each)));
    }
    samples.push_back(static_cast<float>(std::min(each.get<double>(), kFailedTime)));
  }
  return samples;
}

Result<std::optional<double>> cost_of(const Json& value, const std::string& path) {
  if (value.is_string() || value.is_null()) return std::nullopt;
  if (!value.is_number()) return bad(path, fmt::format("is no time: {}", show(value)));
  const double time = value.get<double>();
  if (!(time > 0)) return bad(path, fmt::format("is not above zero: {}", show(value)));
  if (time >= kFailedTime) return std::nullopt;
  return time;
}

}  // namespace vyre::recorded

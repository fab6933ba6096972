// Reading the values of a recorded space out of JSON; errors name the place.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"

namespace vyre::recorded {

using Json = nlohmann::ordered_json;

inline constexpr double kNsPerMs = 1e6;

std::unexpected<Error> bad(const std::string& path, std::string_view what);

// Shortened for a message.
std::string shorten(std::string text);
std::string show(const Json& value);

// A parameter's value as text: the same for 16 and "16".
std::string value_text(const Json& value);
// The value of a key; absent if there is none, or if `object` is not an object.
const Json* member(const Json& object, const char* name);

// The nanoseconds of one unit.
std::optional<double> unit_ns(std::string_view unit);
// Whether an objective of this name is a time.
bool is_time(std::string_view objective);

// A time; 0 if it is missing.
Result<double> optional_time(const Json& object, const char* name, const std::string& path);
Result<std::vector<float>> sample_list(const Json& object, const char* name,
                                       const std::string& path);
// The objective: a number above zero, or a value that means failure.
Result<std::optional<double>> cost_of(const Json& value, const std::string& path);

}  // namespace vyre::recorded

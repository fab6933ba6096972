// Reads T4 files.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vyre/base/text/json_limits.h"
#include "vyre/tune/evidence/t4_internal.h"

namespace vyre {
namespace {

// Keeps the order of the parameters.
using InJson = nlohmann::ordered_json;

// Reads one file, and keeps the first error.
class Reader {
 public:
  Reader(const InJson& json, std::string name) : json_(json), name_(std::move(name)) {}

  Result<T4File> read() {
    T4File file;
    if (!json_.is_object()) return fault("", "is not an object");
    VYRE_CHECK(check_version());
    VYRE_CHECK(read_metadata(file));
    const auto results = json_.find("results");
    if (results == json_.end()) return fault("results", "is missing");
    if (!results->is_array()) return fault("results", "is not a list");
    for (std::size_t i = 0; i < results->size(); ++i) {
      VYRE_TRY(T4Result result, read_result((*results)[i], fmt::format("results[{}]", i)));
      file.results.push_back(std::move(result));
    }
    return file;
  }

 private:
  std::unexpected<Error> fault(std::string_view place, std::string_view what) const {
    return fail(Code::invalid_input,
                fmt::format("{} is no T4 file: {} {}", name_, place.empty() ? "it" : place, what));
  }

  Result<void> check_version() const {
    const auto version = json_.find("schema_version");
    if (version == json_.end()) return {};
    if (!version->is_string()) return fault("schema_version", "is not a text");
    const auto& text = version->get_ref<const std::string&>();
    int dots = 0;
    bool digit = false;
    for (const char c : text) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit && (c != '.' || !digit)) {
        return fault("schema_version", "is not of the form 1.0.0");
      }
      dots += is_digit ? 0 : 1;
      digit = is_digit;
    }
    if (dots != 2 || !digit) return fault("schema_version", "is not of the form 1.0.0");
    if (!text.starts_with("1.")) {
      return fault("schema_version", fmt::format("is {}, and version 1 is what is read", text));
    }
    return {};
  }

  Result<void> read_metadata(T4File& file) {
    const auto metadata = json_.find("metadata");
    if (metadata == json_.end() || !metadata->is_object()) return {};
    for (const char* spelling : {"timeunit", "timeUnit", "time_unit"}) {
      const auto unit = metadata->find(spelling);
      if (unit == metadata->end()) continue;
      const std::string place = fmt::format("metadata.{}", spelling);
      if (!unit->is_string()) return fault(place, "is not a text");
      VYRE_TRY(ns_per_unit_, ns_per(unit->get_ref<const std::string&>(), place));
    }
    const auto key = metadata->find("vyre_key");
    if (key == metadata->end()) return {};
    if (!key->is_object()) return fault("metadata.vyre_key", "is not an object");
    TuningKey read;
    for (const auto& [member, name] : kT4KeyFields) {
      const auto value = key->find(name);
      if (value == key->end()) continue;
      if (!value->is_string())
        return fault(fmt::format("metadata.vyre_key.{}", name), "is not a text");
      read.*member = value->get<std::string>();
    }
    if (read.program.empty()) return fault("metadata.vyre_key.program", "is missing");
    file.key = std::move(read);
    return {};
  }

  Result<double> ns_per(std::string unit, std::string_view place) const {
    std::ranges::transform(unit, unit.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    if (unit == "seconds" || unit == "s") return 1e9;
    // Some published files use the second spelling.
    if (unit == "milliseconds" || unit == "miliseconds" || unit == "ms") return kT4NsPerMs;
    if (unit == "microseconds" || unit == "us") return 1e3;
    if (unit == "nanoseconds" || unit == "ns") return 1.0;
    return fault(place, "is no unit of time");
  }

  Result<T4Result> read_result(const InJson& json, const std::string& place) const {
    if (!json.is_object()) return fault(place, "is not an object");
    for (const char* required : {"configuration", "times", "invalidity", "correctness"}) {
      if (!json.contains(required)) return fault(place + "." + required, "is missing");
    }
    T4Result result;
    VYRE_TRY(result.candidate, read_configuration(json["configuration"], place + ".configuration"));
    VYRE_TRY(result.runtimes_ns, read_times(json["times"], place + ".times"));
    VYRE_TRY(result.invalidity, read_invalidity(json["invalidity"], place + ".invalidity"));
    if (!json["correctness"].is_number()) return fault(place + ".correctness", "is not a number");
    result.correctness = json["correctness"].get<double>();
    if (const auto found = json.find("timestamp"); found != json.end()) {
      if (!found->is_string()) return fault(place + ".timestamp", "is not a text");
      result.at_ms = parse_timestamp(found->get_ref<const std::string&>());
    }
    if (const auto found = json.find("objectives"); found != json.end() && !found->is_array()) {
      return fault(place + ".objectives", "is not a list");
    }
    if (const auto found = json.find("measurements"); found != json.end()) {
      VYRE_CHECK(check_measurements(*found, place + ".measurements"));
    }
    if (const auto found = json.find(kT4Rejected); found != json.end()) {
      if (!found->is_string())
        return fault(fmt::format("{}.{}", place, kT4Rejected), "is not a text");
      result.rejected = found->get<std::string>();
    }
    if (result.invalidity == T4Invalidity::correct) result.rejected.clear();
    return result;
  }

  Result<std::string> read_configuration(const InJson& json, const std::string& place) const {
    if (!json.is_object()) return fault(place, "is not an object");
    if (json.size() == 1 && json.contains(kT4Candidate) && json[kT4Candidate].is_string()) {
      return json[kT4Candidate].get<std::string>();
    }
    Configuration configuration;
    for (const auto& [name, value] : json.items()) {
      const std::string at = fmt::format("{}.{}", place, name);
      if (value.is_structured() || value.is_null()) {
        return fault(at, "is neither a number, nor a text, nor true or false");
      }
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      const auto fits = [](std::string_view word) {
        return std::ranges::none_of(word, [](char c) { return c == '=' || (c >= 0 && c <= ' '); });
      };
      if (name.empty() || !fits(name) || !fits(text)) {
        return fault(at, "has a space or a '=' in it, which a candidate cannot have");
      }
      configuration.emplace_back(name, text);
    }
    if (configuration.empty()) return fault(place, "has no parameters");
    return to_string(configuration);
  }

  Result<std::vector<double>> read_times(const InJson& json, const std::string& place) const {
    std::vector<double> runtimes_ns;
    if (!json.is_object()) return fault(place, "is not an object");
    for (const char* number :
         {"compilation_time", "compilation", "framework", "search_algorithm", "validation"}) {
      if (json.contains(number) && !json[number].is_number()) {
        return fault(fmt::format("{}.{}", place, number), "is not a number");
      }
    }
    const auto runtimes = json.find("runtimes");
    if (runtimes == json.end()) return runtimes_ns;
    if (!runtimes->is_array()) return fault(place + ".runtimes", "is not a list");
    for (std::size_t i = 0; i < runtimes->size(); ++i) {
      const InJson& each = (*runtimes)[i];
      const double ns = each.is_number() ? t4_rounded(each.get<double>() * ns_per_unit_) : -1;
      if (!(ns >= 0) || !std::isfinite(ns)) {
        return fault(fmt::format("{}.runtimes[{}]", place, i), "is not a time");
      }
      runtimes_ns.push_back(ns);
    }
    return runtimes_ns;
  }

  Result<T4Invalidity> read_invalidity(const InJson& json, const std::string& place) const {
    if (json.is_string()) {
      for (const auto& [name, invalidity] : kT4Invalidities) {
        if (json.get_ref<const std::string&>() == name) return invalidity;
      }
    }
    return fault(place,
                 "is none of correct, timeout, compile, runtime, correctness and constraints");
  }

  // The schema requires numbers as values; other tuners also write texts and lists.
  Result<void> check_measurements(const InJson& json, const std::string& place) const {
    if (!json.is_array()) return fault(place, "is not a list");
    for (std::size_t i = 0; i < json.size(); ++i) {
      const InJson& each = json[i];
      const std::string at = fmt::format("{}[{}]", place, i);
      if (!each.is_object()) return fault(at, "is not an object");
      for (const char* text : {"name", "unit"}) {
        if (each.contains(text) && !each[text].is_string()) {
          return fault(fmt::format("{}.{}", at, text), "is not a text");
        }
      }
      if (!each.contains("value")) continue;
      const InJson& value = each["value"];
      if (!value.is_number() && !value.is_string() && !value.is_array()) {
        return fault(at + ".value", "is neither a number, nor a text, nor a list");
      }
    }
    return {};
  }

  // "2023-12-22 09:53:48.691683+00:00", in UTC; 0 for any other form.
  static std::int64_t parse_timestamp(const std::string& text) {
    int part[6] = {};
    constexpr std::array<std::size_t, 6> kAt{0, 5, 8, 11, 14, 17};
    if (text.size() < 19) return 0;
    for (std::size_t i = 0; i < kAt.size(); ++i) {
      const char* begin = text.data() + kAt[i];
      const char* end = begin + (i == 0 ? 4 : 2);
      if (std::from_chars(begin, end, part[i]).ptr != end || part[i] < 0) return 0;
    }
    using namespace std::chrono;
    const year_month_day day{year(part[0]), month(static_cast<unsigned>(part[1])),
                             std::chrono::day(static_cast<unsigned>(part[2]))};
    const bool has_zone = text.find_first_of("+-Z", 19) != std::string::npos;
    const bool is_utc = !has_zone || text.ends_with("+00:00") || text.ends_with('Z');
    if (!day.ok() || !is_utc || part[0] < 1970) return 0;
    const auto moment = sys_days(day) + hours(part[3]) + minutes(part[4]) + seconds(part[5]);
    return duration_cast<milliseconds>(moment.time_since_epoch()).count();
  }

  const InJson& json_;
  std::string name_;
  double ns_per_unit_ = kT4NsPerMs;
};

}  // namespace

Result<T4File> parse_t4(std::string_view text, const std::filesystem::path& name) {
  if (auto within = check_json_limits(text); !within) {
    within.error().what = fmt::format("{} is too large: {}", name.string(), within.error().what);
    return std::unexpected(std::move(within).error());
  }
  const InJson json = InJson::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return fail(Code::invalid_input, fmt::format("{} is no JSON", name.string()));
  }
  return Reader(json, name.string()).read();
}

}  // namespace vyre

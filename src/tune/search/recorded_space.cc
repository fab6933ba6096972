#include "vyre/tune/search/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "vyre/base/text/json_limits.h"
#include "vyre/tune/search/recorded_space_fields_internal.h"

namespace vyre {
namespace {

using namespace recorded;  // NOLINT(google-build-using-namespace): a file's own helpers
using Event = Json::parse_event_t;

constexpr std::size_t kMaxKeys = 1024;      // in one entry
constexpr std::size_t kMaxSamples = 65536;  // samples and other values in one entry

double mean(const std::vector<float>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

// An entry in the unit of the file, except for a cost with its own unit.
struct Entry {
  Recording recording;
  double cost_unit_ns = 0;  // 0: the unit of the file
};

void scale(Entry& entry, double ns) {
  Recording& recording = entry.recording;
  if (recording.cost_ns) *recording.cost_ns *= entry.cost_unit_ns > 0 ? entry.cost_unit_ns : ns;
  for (float& sample : recording.samples_ns) sample = static_cast<float>(sample * ns);
  recording.compile_ns *= ns;
  recording.benchmark_ns *= ns;
}

// Collects entries while the parser runs, without keeping their JSON.
class Collector {
 public:
  // Callback of nlohmann::json: false discards the part.
  bool take(int depth, Event event, Json& parsed) {
    if (error_) return false;
    if (depth == 1 && event == Event::key) section_ = parsed.get<std::string>();
    if (depth == 0) return true;
    const bool entries = section_ == "cache" || section_ == "results";
    if (!entries) return take_header(depth, event, parsed);
    if (depth == 1) return take_list(event);
    if (depth == 2) return take_entry(event, parsed);
    return take_inside(depth, event, parsed);
  }

  Result<RecordedSpace> finish();

 private:
  bool take_header(int depth, Event event, Json& parsed);
  bool take_list(Event event);
  bool take_entry(Event event, Json& parsed);
  bool take_inside(int depth, Event event, Json& parsed);

  std::string entry_path() const {
    if (section_ == "cache") return fmt::format("$.cache[{}]", show(Json(key_)));
    return fmt::format("$.results[{}]", entries_);
  }
  void stop(Result<void> result) {
    if (!result && !error_) error_ = std::move(result).error();
  }

  Result<void> add_cache_entry(const Json& entry);
  Result<void> add_result(const Json& entry);
  Result<void> add_row(const std::vector<std::string>& values, Entry entry);
  Result<void> set_names(std::vector<std::string> names);
  Result<void> read_cost(const Json& result, const std::string& path, Entry& entry) const;
  Result<SearchSpace> make_space();

  std::string section_;  // the member of the file's object that is being read
  std::string key_;      // of the entry in "cache"
  std::size_t entries_ = 0, keys_ = 0, values_ = 0;
  std::optional<Error> error_;

  bool has_entries_ = false;
  Json header_ = Json::object();
  std::vector<std::string> names_;  // of the parameters
  std::vector<std::vector<std::string>> texts_;
  std::vector<std::unordered_map<std::string, std::uint16_t>> index_;
  std::unordered_map<std::string, std::size_t> row_of_;  // by its value indices, as bytes
  std::vector<std::uint16_t> rows_;
  std::vector<Entry> recordings_;
  bool milliseconds_ = false;  // the format fixes the unit
};

bool Collector::take_header(int depth, Event event, Json& parsed) {
  static constexpr std::array<std::string_view, 6> kKept{
      "kernel_name", "device_name", "objective", "tune_params_keys", "metadata", "timeunit"};
  if (std::ranges::find(kKept, section_) == kKept.end()) return false;
  if (event == Event::key && ++keys_ > kMaxKeys) return false;
  if (event == Event::value && ++values_ > kMaxSamples) return false;
  const bool complete =
      event == Event::value || event == Event::array_end || event == Event::object_end;
  if (depth == 1 && complete) {
    header_[section_] = parsed;
    if (section_ == "tune_params_keys" && names_.empty()) {
      std::vector<std::string> names;
      if (!parsed.is_array()) stop(bad("$.tune_params_keys", "is no array"));
      for (const Json& name : parsed) {
        if (!name.is_string()) {
          stop(bad("$.tune_params_keys", fmt::format("has what is no name: {}", show(name))));
          break;
        }
        names.push_back(name.get<std::string>());
      }
      if (!error_) stop(set_names(std::move(names)));
    }
  }
  return true;
}

bool Collector::take_list(Event event) {
  const bool object = section_ == "cache";
  if (event == Event::key) return true;
  if (event != (object ? Event::object_start : Event::array_start) &&
      event != (object ? Event::object_end : Event::array_end)) {
    stop(bad("$." + section_, object ? "is no object" : "is no array"));
    return false;
  }
  if (event == Event::object_start || event == Event::array_start) {
    if (has_entries_) {
      stop(bad("$." + section_, "is there, but entries came before it"));
      return false;
    }
    has_entries_ = true;
    milliseconds_ = object;
  }
  return true;
}

bool Collector::take_entry(Event event, Json& parsed) {
  if (event == Event::key) {
    key_ = parsed.get<std::string>();
    return true;
  }
  if (event == Event::object_start) {
    keys_ = values_ = 0;
    return true;
  }
  if (event == Event::object_end) {
    stop(section_ == "cache" ? add_cache_entry(parsed) : add_result(parsed));
  } else if (event != Event::array_end) {
    stop(bad(entry_path(), "is no object"));
  }
  ++entries_;
  return false;
}

bool Collector::take_inside(int depth, Event event, Json& parsed) {
  if (event == Event::key) {
    if (++keys_ > kMaxKeys) {
      stop(fail(Code::limit, fmt::format("{} has more than {} keys", entry_path(), kMaxKeys)));
      return false;
    }
    if (depth > 3 || section_ == "results") return true;
    // The cache has many other members; those that are not used are discarded.
    const auto& name = parsed.get_ref<const std::string&>();
    static constexpr std::array<std::string_view, 5> kKept{"time", "times", "compile_time",
                                                           "benchmark_time", "__error__"};
    return std::ranges::find(kKept, name) != kKept.end() ||
           std::ranges::find(names_, name) != names_.end();
  }
  if (event == Event::value && ++values_ > kMaxSamples) {
    stop(fail(Code::limit, fmt::format("{} has more than {} values", entry_path(), kMaxSamples)));
    return false;
  }
  return true;
}

Result<void> Collector::set_names(std::vector<std::string> names) {
  if (names.empty()) return fail(Code::invalid_input, "the space has no parameters");
  if (names.size() > SearchSpace::kMaxParameters) {
    return fail(Code::limit, fmt::format("the space has {} parameters; at most {} can be searched",
                                         names.size(), SearchSpace::kMaxParameters));
  }
  names_ = std::move(names);
  texts_.resize(names_.size());
  index_.resize(names_.size());
  return {};
}

Result<void> Collector::add_row(const std::vector<std::string>& values, Entry entry) {
  std::vector<std::uint16_t> row;
  for (std::size_t p = 0; p < values.size(); ++p) {
    const auto [found, added] =
        index_[p].try_emplace(values[p], static_cast<std::uint16_t>(texts_[p].size()));
    if (added && texts_[p].size() == SearchSpace::kMaxValues) {
      return fail(Code::limit, fmt::format("{}: {} has more than {} values", entry_path(),
                                           shorten(names_[p]), SearchSpace::kMaxValues));
    }
    if (added) texts_[p].push_back(values[p]);
    row.push_back(found->second);
  }
  const std::string bytes(reinterpret_cast<const char*>(row.data()),
                          row.size() * sizeof(std::uint16_t));
  const auto [found, added] = row_of_.try_emplace(bytes, recordings_.size());
  if (!added) {
    recordings_[found->second] = std::move(entry);
    return {};
  }
  if (recordings_.size() == SearchSpace::kMaxConfigurations) {
    return fail(Code::limit, fmt::format("{}: more than {} configurations", entry_path(),
                                         SearchSpace::kMaxConfigurations));
  }
  rows_.insert(rows_.end(), row.begin(), row.end());
  recordings_.push_back(std::move(entry));
  return {};
}

Result<void> Collector::add_cache_entry(const Json& entry) {
  const std::string path = entry_path();
  if (names_.empty()) {
    return bad("$.tune_params_keys", "is missing before $.cache: it names the parameters");
  }
  std::vector<std::string> values;
  for (const std::string& name : names_) {
    if (const Json* value = member(entry, name.c_str())) values.push_back(value_text(*value));
  }
  if (values.size() != names_.size()) {
    values.clear();
    std::string_view rest = key_;
    for (std::size_t cut = 0; cut != std::string_view::npos;) {
      cut = rest.find(',');
      values.emplace_back(rest.substr(0, cut));
      if (cut != std::string_view::npos) rest.remove_prefix(cut + 1);
    }
    if (values.size() != names_.size()) {
      return bad(path, fmt::format("has {} values; there are {} parameters", values.size(),
                                   names_.size()));
    }
  }
  const Json* time = member(entry, "time");
  const bool failed = member(entry, "__error__") != nullptr;
  if (time == nullptr && !failed) {
    const Json* objective = member(header_, "objective");
    return bad(path, objective != nullptr && *objective != "time"
                         ? fmt::format("has no \"time\" (the objective is {}); only times can be "
                                       "replayed",
                                       show(*objective))
                         : "has no \"time\"");
  }
  Recording recording;
  if (!failed) {
    VYRE_TRY(recording.cost_ns, cost_of(*time, path + ".time"));
  }
  if (recording.cost_ns) {
    VYRE_TRY(recording.samples_ns, sample_list(entry, "times", path));
  }
  VYRE_TRY(recording.compile_ns, optional_time(entry, "compile_time", path));
  VYRE_TRY(recording.benchmark_ns, optional_time(entry, "benchmark_time", path));
  return add_row(values, {.recording = std::move(recording), .cost_unit_ns = 0});
}

// The measurement of the objective; absent if there is none.
Result<void> Collector::read_cost(const Json& result, const std::string& path, Entry& entry) const {
  std::string objective = "time";
  const Json* names = member(result, "objectives");
  if (names != nullptr && names->is_array() && !names->empty() && names->front().is_string()) {
    objective = names->front().get<std::string>();
  }
  if (!is_time(objective)) {
    return bad(path + ".objectives",
               fmt::format("has {}; only times can be replayed", show(Json(objective))));
  }
  const Json* measurements = member(result, "measurements");
  if (measurements == nullptr || !measurements->is_array()) return {};
  for (std::size_t i = 0; i < measurements->size(); ++i) {
    const Json& each = (*measurements)[i];
    const Json* name = member(each, "name");
    if (name == nullptr || *name != objective) continue;
    const std::string place = fmt::format("{}.measurements[{}]", path, i);
    const Json* value = member(each, "value");
    if (value == nullptr) return bad(place, "has no \"value\"");
    VYRE_TRY(entry.recording.cost_ns, cost_of(*value, place + ".value"));
    if (const Json* unit = member(each, "unit"); unit != nullptr && unit->is_string()) {
      entry.cost_unit_ns = unit_ns(unit->get<std::string>()).value_or(0);
    }
    return {};
  }
  return {};
}

Result<void> Collector::add_result(const Json& entry) {
  const std::string path = entry_path();
  const Json* configuration = member(entry, "configuration");
  if (configuration == nullptr || !configuration->is_object() || configuration->empty()) {
    return bad(path, "has no \"configuration\" with parameters");
  }
  if (names_.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : configuration->items()) names.push_back(name);
    VYRE_CHECK(set_names(std::move(names)));
  }
  std::vector<std::string> values;
  for (const std::string& name : names_) {
    const Json* value = member(*configuration, name.c_str());
    if (value == nullptr) {
      return bad(path + ".configuration", fmt::format("lacks {}", show(Json(name))));
    }
    values.push_back(value_text(*value));
  }
  if (configuration->size() != names_.size()) {
    return bad(path + ".configuration", fmt::format("has {} parameters; the first result has {}",
                                                    configuration->size(), names_.size()));
  }
  Entry read;
  Recording& recording = read.recording;
  const Json* times = member(entry, "times");
  if (times != nullptr) {
    const std::string place = path + ".times";
    VYRE_TRY(recording.samples_ns, sample_list(*times, "runtimes", place));
    VYRE_TRY(const double compilation, optional_time(*times, "compilation", place));
    VYRE_TRY(const double compilation_time, optional_time(*times, "compilation_time", place));
    recording.compile_ns = std::max(compilation, compilation_time);
  }
  recording.benchmark_ns =
      std::accumulate(recording.samples_ns.begin(), recording.samples_ns.end(), 0.0);
  const Json* invalidity = member(entry, "invalidity");
  const Json* correctness = member(entry, "correctness");
  const bool failed =
      (invalidity != nullptr && *invalidity != "correct") ||
      (correctness != nullptr && correctness->is_number() && correctness->get<double>() == 0);
  if (failed) {
    recording.samples_ns.clear();
  } else {
    VYRE_CHECK(read_cost(entry, path, read));
    if (!recording.cost_ns && member(entry, "measurements") == nullptr &&
        !recording.samples_ns.empty() && mean(recording.samples_ns) > 0) {
      recording.cost_ns = mean(recording.samples_ns);
    }
    if (!recording.cost_ns) recording.samples_ns.clear();
  }
  return add_row(values, std::move(read));
}

Result<SearchSpace> Collector::make_space() {
  std::vector<SearchParameter> parameters;
  for (std::size_t p = 0; p < names_.size(); ++p) {
    // Sorts numbers, which were collected in the order of the file.
    const std::vector<std::uint16_t> order = value_order(texts_[p]);
    std::vector<std::uint16_t> moved(order.size());
    SearchParameter parameter{.name = names_[p], .values = {}};
    for (std::size_t i = 0; i < order.size(); ++i) {
      moved[order[i]] = static_cast<std::uint16_t>(i);
      parameter.values.push_back(texts_[p][order[i]]);
    }
    for (std::size_t at = p; at < rows_.size(); at += names_.size()) rows_[at] = moved[rows_[at]];
    parameters.push_back(std::move(parameter));
  }
  return SearchSpace::make(std::move(parameters), std::move(rows_));
}

Result<RecordedSpace> Collector::finish() {
  if (error_) return std::unexpected(*error_);
  if (!has_entries_) {
    return fail(Code::invalid_input, "there is neither $.cache nor $.results",
                "give a cache file of Kernel Tuner, or T4 results");
  }
  double ns = kNsPerMs;
  if (!milliseconds_) {
    const Json* metadata = member(header_, "metadata");
    const Json* unit = member(header_, "timeunit");
    for (const char* spelling : {"timeunit", "timeUnit", "time_unit"}) {
      if (unit == nullptr && metadata != nullptr) unit = member(*metadata, spelling);
    }
    if (unit != nullptr) {
      const auto known = unit->is_string() ? unit_ns(unit->get<std::string>()) : std::nullopt;
      if (!known) {
        return bad("$.metadata.timeunit", fmt::format("is no unit of time: {}", show(*unit)));
      }
      ns = *known;
    }
  }
  RecordedSpace recorded;
  const auto text = [](const Json* value) {
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  };
  recorded.kernel = text(member(header_, "kernel_name"));
  recorded.device = text(member(header_, "device_name"));
  const Json* metadata = member(header_, "metadata");
  const Json* key = metadata != nullptr ? member(*metadata, "vyre_key") : nullptr;
  if (key != nullptr && recorded.kernel.empty()) {
    recorded.kernel = text(member(*key, "name"));
    recorded.device = text(member(*key, "device"));
  }
  std::optional<std::size_t> best;
  for (Entry& entry : recordings_) {
    scale(entry, ns);
    const auto& cost = entry.recording.cost_ns;
    if (cost && (!best || *cost < *recorded.recordings[*best].cost_ns)) {
      best = recorded.recordings.size();
    }
    recorded.recordings.push_back(std::move(entry.recording));
  }
  if (!best) {
    return fail(Code::invalid_input,
                fmt::format("none of its {} configurations has a time", recordings_.size()));
  }
  recorded.best = static_cast<std::uint32_t>(*best);
  VYRE_TRY(recorded.space, make_space());
  return recorded;
}

}  // namespace

std::uint32_t RecordedSpace::failures() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(recordings, [](const Recording& each) { return !each.cost_ns; }));
}

Result<RecordedSpace> parse_recorded_space(std::string_view json) {
  // Each entry has its own limits, so that the number of entries is not limited.
  VYRE_CHECK(check_json_limits(json, std::numeric_limits<std::uint64_t>::max()));
  Collector collector;
  try {
    const Json rest = Json::parse(json, [&](int depth, Event event, Json& parsed) {
      return collector.take(depth, event, parsed);
    });
    static_cast<void>(rest);
  } catch (const Json::parse_error& error) {
    const std::string_view before = json.substr(0, std::min(error.byte, json.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    if (error.byte > json.size()) {
      return fail(Code::invalid_input, fmt::format("line {}: the JSON ends too early", line));
    }
    return fail(Code::invalid_input,
                fmt::format("line {}, byte {} of the file: this is no JSON", line, error.byte));
  } catch (const Json::exception& error) {
    return fail(Code::invalid_input, fmt::format("this JSON cannot be read: {}", error.what()));
  }
  return collector.finish();
}

}  // namespace vyre

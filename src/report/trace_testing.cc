#include "vyre/report/trace_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace vyre {
namespace {

using Json = nlohmann::json;

class Checker {
 public:
  std::vector<std::string> check(std::string_view text) {
    const Json trace = Json::parse(text, nullptr, false);
    if (trace.is_discarded()) return {"it is no JSON"};
    if (!trace.is_object() || !trace.contains("traceEvents") || !trace["traceEvents"].is_array()) {
      return {"it has no array traceEvents"};
    }
    const std::string unit = trace.value("displayTimeUnit", "ms");
    if (unit != "ms" && unit != "ns") fault("displayTimeUnit is " + unit);
    for (const Json& event : trace["traceEvents"]) check_event(event);
    check_names();
    check_nesting();
    return std::move(faults_);
  }

 private:
  using Thread = std::pair<std::int64_t, std::int64_t>;
  struct Slice {
    std::int64_t start = 0, end = 0;
    std::string name;
  };

  void fault(std::string what) { faults_.push_back(std::move(what)); }

  bool is_time(const Json& event, const char* member) {
    const bool is = event.contains(member) && event[member].is_number() &&
                    std::isfinite(event[member].get<double>()) && event[member].get<double>() >= 0;
    if (!is) fault(fmt::format("{} of {} is no time", member, event.dump()));
    return is;
  }

  // As readers do that compute in floating point.
  static std::int64_t whole_ns(const Json& microseconds) {
    return static_cast<std::int64_t>(microseconds.get<double>() * 1000.0);
  }

  void check_event(const Json& event) {
    if (!event.is_object()) return fault("an event is no object");
    for (const char* text : {"name", "ph"}) {
      if (!event.contains(text) || !event[text].is_string()) {
        return fault(fmt::format("{} has no {}", event.dump(), text));
      }
    }
    if (!event.contains("pid") || !event["pid"].is_number_integer()) {
      return fault(event.dump() + " has no whole pid");
    }
    if (event.contains("args") && !event["args"].is_object()) {
      return fault(event.dump() + " has args that are no object");
    }
    const std::string phase = event["ph"];
    if (!event.contains("tid") || !event["tid"].is_number_integer()) {
      return fault(event.dump() + " has no whole tid");
    }
    const std::int64_t process = event["pid"], thread = event["tid"];
    if (process <= 0 || process > UINT32_MAX || thread <= 0 || thread > UINT32_MAX) {
      return fault(event.dump() + " has a pid or tid that means an idle processor, or none");
    }
    if (process_of_thread_.emplace(thread, process).first->second != process) {
      fault(event.dump() + " has a tid that another process has, too");
    }
    if (phase == "X") return check_slice(event);
    if (phase == "C") return check_counter(event);
    if (phase == "M") return check_metadata(event);
    fault(event.dump() + " is of another phase");
  }

  void check_slice(const Json& event) {
    if (!is_time(event, "ts") || !is_time(event, "dur")) return;
    if (event["name"].get_ref<const std::string&>().empty()) fault(event.dump() + " has no name");
    const std::int64_t start = whole_ns(event["ts"]);
    if (event["pid"] == event["tid"]) fault(event.dump() + " is on the process's own thread");
    slices_[{event["pid"], event["tid"]}].push_back(
        {start, start + whole_ns(event["dur"]), event["name"]});
  }

  void check_counter(const Json& event) {
    if (!is_time(event, "ts")) return;
    if (event["pid"] != event["tid"]) fault(event.dump() + " is not on the process's own thread");
    processes_used_.insert(event["pid"].get<std::int64_t>());
    if (!event.contains("args") || event["args"].empty())
      return fault(event.dump() + " has no value");
    for (const Json& value : event["args"]) {
      if (!value.is_number()) fault(event.dump() + " has a value that is no number");
    }
    double& last = last_of_counter_[{event["pid"], event["name"]}];
    if (event["ts"].get<double>() < last) fault(event.dump() + " goes back in time");
    last = event["ts"];
  }

  void check_metadata(const Json& event) {
    const std::string name = event["name"];
    const Json arguments = event.value("args", Json::object());
    if (name == "process_name" || name == "thread_name") {
      if (!arguments.contains("name") || !arguments["name"].is_string() ||
          arguments["name"].get_ref<const std::string&>().empty()) {
        return fault(event.dump() + " names nothing");
      }
      const std::int64_t process = event["pid"];
      const bool is_new = name == "process_name"
                              ? named_processes_.insert(process).second
                              : named_threads_.insert({process, event["tid"]}).second;
      if (!is_new) fault(event.dump() + " names it twice");
    } else if (name == "process_sort_index" || name == "thread_sort_index") {
      if (!arguments.contains("sort_index") || !arguments["sort_index"].is_number_integer()) {
        fault(event.dump() + " has no sort_index");
      }
    } else {
      fault(event.dump() + " is no metadata that is known");
    }
  }

  void check_names() {
    for (const auto& [thread, slices] : slices_) {
      processes_used_.insert(thread.first);
      if (!named_threads_.contains(thread)) {
        fault(fmt::format("thread {} of process {} has no name", thread.second, thread.first));
      }
    }
    for (const std::int64_t process : processes_used_) {
      if (!named_processes_.contains(process))
        fault(fmt::format("process {} has no name", process));
    }
  }

  void check_nesting() {
    for (auto& [thread, slices] : slices_) {
      std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
        return a.start != b.start ? a.start < b.start : a.end > b.end;
      });
      std::vector<Slice> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back().end <= slice.start) open.pop_back();
        if (!open.empty() && slice.end > open.back().end) {
          fault(fmt::format("'{}' from {} to {} ns crosses '{}', which ends at {} ns, on thread {}",
                            slice.name, slice.start, slice.end, open.back().name, open.back().end,
                            thread.second));
        }
        open.push_back(slice);
      }
    }
  }

  std::vector<std::string> faults_;
  std::map<Thread, std::vector<Slice>> slices_;
  std::map<std::pair<std::int64_t, std::string>, double> last_of_counter_;
  std::set<std::int64_t> named_processes_, processes_used_;
  std::set<Thread> named_threads_;
  std::map<std::int64_t, std::int64_t> process_of_thread_;
};

}  // namespace

std::vector<std::string> trace_faults(std::string_view text) { return Checker().check(text); }

}  // namespace vyre

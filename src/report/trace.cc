#include "vyre/report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "vyre/report/findings.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

using Json = nlohmann::ordered_json;

// Chooses a thread of a track for a span: the first on which it nests or follows all others. Spans
// come in the order of their starts, the longer first.
class Lanes {
 public:
  std::size_t place(double start, double end) {
    for (std::size_t lane = 0; lane < open_.size(); ++lane)
      if (fits(open_[lane], start, end)) return lane;
    open_.push_back({end});
    return open_.size() - 1;
  }

 private:
  static bool fits(std::vector<double>& ends, double start, double end) {
    while (!ends.empty() && ends.back() <= start) ends.pop_back();
    if (!ends.empty() && end > ends.back()) return false;
    ends.push_back(end);
    return true;
  }

  std::vector<std::vector<double>>
      open_;  // by lane: the ends of the open spans, the innermost last
};

// The numbers of processes and threads. Perfetto finds a thread's name by its number alone, so the
// numbers of threads are unique over all processes. The thread with the number of its process
// stands for the whole process, in its metadata and counters.
class Numbers {
 public:
  explicit Numbers(std::size_t processes) : next_thread_(processes + 1) {}
  static std::size_t process(std::size_t kernel) { return kernel + 1; }
  std::size_t thread() { return next_thread_++; }

 private:
  std::size_t next_thread_;
};

Json metadata(std::string_view what, std::size_t process, std::size_t thread, Json arguments) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", arguments}};
}

void name_process(Json& events, const TuneRecord& record, std::size_t process) {
  const std::string kernel =
      record.kernel.empty() ? fmt::format("kernel {}", process) : record.kernel;
  const std::string name = kernel + (record.size.empty() ? "" : fmt::format(", {}", record.size));
  events.push_back(metadata("process_name", process, process, {{"name", shortened(name, 120)}}));
  events.push_back(metadata("process_sort_index", process, process, {{"sort_index", process}}));
}

// By track and lane, in the order of the tracks' first spans.
class Threads {
 public:
  Threads(Json& events, std::size_t process, Numbers& numbers)
      : events_(events), process_(process), numbers_(numbers) {}

  std::size_t of(const std::string& track, std::size_t lane) {
    const auto [at, is_new] = threads_.try_emplace({track, lane}, 0);
    if (is_new) {
      at->second = numbers_.thread();
      const std::string name = shortened(track.empty() ? "spans" : track, 60);
      events_.push_back(
          metadata("thread_name", process_, at->second,
                   {{"name", lane == 0 ? name : fmt::format("{} {}", name, lane + 1)}}));
      events_.push_back(
          metadata("thread_sort_index", process_, at->second, {{"sort_index", at->second}}));
    }
    return at->second;
  }

 private:
  Json& events_;
  std::size_t process_;
  Numbers& numbers_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> threads_;
};

// In whole nanoseconds.
struct PlacedSpan {
  const TraceSpan* span = nullptr;
  double start = 0, end = 0;
};

std::vector<PlacedSpan> placed_spans(const TuneRecord& record) {
  std::vector<PlacedSpan> spans;
  for (const TraceSpan& span : record.spans) {
    const PlacedSpan placed{&span, std::round(span.start_ns),
                            std::round(span.start_ns + span.duration_ns)};
    if (std::isfinite(placed.start) && std::isfinite(placed.end) && placed.start >= 0 &&
        placed.end >= placed.start)
      spans.push_back(placed);
  }
  return spans;
}

void put_calls_in_a_row(std::vector<PlacedSpan>& spans) {
  std::vector<PlacedSpan*> calls;
  for (PlacedSpan& placed : spans)
    if (placed.span->track == "calls") calls.push_back(&placed);
  std::ranges::sort(calls, {}, [](const PlacedSpan* call) { return std::pair(call->end, call); });
  double limit = std::numeric_limits<double>::infinity();
  for (PlacedSpan* at : std::views::reverse(calls)) {
    PlacedSpan& call = *at;
    const double earlier = std::max(0.0, call.end - limit);
    // They do not fit one after the other, so they are left unchanged.
    if (call.start < earlier) return;
    call.start -= earlier;
    call.end -= earlier;
    limit = call.start;
  }
}

// The end of each call, if every call of the record has its own span; otherwise empty.
std::vector<double> ends_of_calls(const TuneRecord& record, const std::vector<PlacedSpan>& spans) {
  std::vector<double> ends;
  for (const PlacedSpan& placed : spans)
    if (placed.span->track == "calls") ends.push_back(placed.end);
  if (ends.size() != record.calls.size()) ends.clear();
  return ends;
}

void add_spans(Json& events, std::vector<PlacedSpan> spans, std::size_t process, Numbers& numbers) {
  std::ranges::sort(spans, {},
                    [](const PlacedSpan& placed) { return std::pair(placed.start, -placed.end); });
  Threads threads(events, process, numbers);
  std::map<std::string, Lanes> lanes;
  for (const auto& [span, start, end] : spans) {
    const std::size_t lane = lanes[span->track].place(start, end);
    const std::size_t thread = threads.of(span->track, lane);
    Json event{{"name", shortened(span->name.empty() ? "unnamed" : span->name, 200)},
               {"cat", shortened(span->track, 60)},
               {"ph", "X"},
               {"pid", process},
               {"tid", thread},
               {"ts", trace_microseconds(start)},
               {"dur", trace_microseconds(end - start)}};
    for (const auto& [name, value] : span->arguments)
      event["args"][clean_utf8(name)] = clean_utf8(value);
    events.push_back(std::move(event));
  }
}

// The start of a kernel's search within the report: its first span.
double search_start_ns(const TuneRecord& record) {
  double start = 0;
  bool any = false;
  for (const TraceSpan& span : record.spans) {
    if (!std::isfinite(span.start_ns) || span.start_ns < 0) continue;
    start = any ? std::min(start, span.start_ns) : span.start_ns;
    any = true;
  }
  return start;
}

// A counter changes at the end of its call. Perfetto shows its name and its unit.
void add_counters(Json& events, const TuneRecord& record, const std::vector<double>& ends,
                  std::size_t process) {
  const double start = search_start_ns(record);
  // Written only when a counter changes, so a settled search adds nothing.
  double lost = -1, incumbent_ns = -1;
  const auto counter = [&](std::size_t call, std::string_view name, double ns) {
    const double at = ends.empty() ? start + record.calls[call].seconds * 1e9 : ends[call];
    events.push_back({{"name", name},
                      {"ph", "C"},
                      {"pid", process},
                      {"tid", process},
                      {"ts", trace_microseconds(at)},
                      {"args", {{"us", trace_microseconds(ns)}}}});
  };
  for (std::size_t i = 0; i < record.calls.size(); ++i) {
    const CallPoint& call = record.calls[i];
    if (!std::isfinite(call.seconds) || call.seconds < 0) continue;
    const bool is_last = i + 1 == record.calls.size();
    if (is_known(call.incumbent_ns) && (is_last || call.incumbent_ns != incumbent_ns)) {
      incumbent_ns = call.incumbent_ns;
      counter(i, is_sweep(record) ? "fastest so far" : "incumbent", incumbent_ns);
    }
    if (is_known(call.bound_ns) && std::isfinite(call.lost_ns) &&
        (is_last || call.lost_ns != lost)) {
      lost = call.lost_ns;
      counter(i, "lost", lost);
      counter(i, "may be lost", call.bound_ns);
    }
  }
}

}  // namespace

double trace_microseconds(double ns) {
  const double whole = std::round(ns);
  double us = whole / 1e3;
  if (std::trunc(us * 1e3) < whole)
    us = std::nextafter(us, std::numeric_limits<double>::infinity());
  return us;
}

std::string trace_json(const TuneReport& report) {
  Json events = Json::array();
  Numbers numbers(report.kernels.size());
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const TuneRecord& record = report.kernels[i];
    const std::size_t process = Numbers::process(i);
    std::vector<PlacedSpan> spans = placed_spans(record);
    put_calls_in_a_row(spans);
    const std::vector<double> ends = ends_of_calls(record, spans);
    name_process(events, record, process);
    add_spans(events, std::move(spans), process, numbers);
    add_counters(events, record, ends, process);
  }
  // One line per event, so that the file can be searched as text.
  std::string out = "{\"displayTimeUnit\":\"ns\",\"otherData\":";
  const Json other{{"command", clean_utf8(report.command)},
                   {"device", clean_utf8(report.device.name)},
                   {"driver", clean_utf8(report.device.driver)},
                   {"vyre", clean_utf8(report.version)}};
  out += other.dump(-1, ' ', false, Json::error_handler_t::replace);
  out += ",\"traceEvents\":[\n";
  for (std::size_t i = 0; i < events.size(); ++i) {
    out += events[i].dump(-1, ' ', false, Json::error_handler_t::replace);
    out += i + 1 < events.size() ? ",\n" : "\n";
  }
  return out + "]}\n";
}

}  // namespace vyre

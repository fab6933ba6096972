#include "vyre/tune/evidence/evidence_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "vyre/base/text/json_limits.h"
#include "vyre/tune/online/paired_comparison.h"

namespace vyre {
namespace {

constexpr double kMostLogRatio = 1e6;
constexpr std::uint64_t kMostFinals = 1'000'000;
constexpr std::string_view kLineBegin = R"({"v":)";

using InJson = nlohmann::json;

constexpr std::array<std::pair<std::string_view, EventKind>, 11> kEventNames{{
    {"measured", EventKind::measured},
    {"compared", EventKind::compared},
    {"verified", EventKind::verified},
    {"rejected", EventKind::rejected},
    {"promoted", EventKind::promoted},
    {"settled", EventKind::settled},
    {"reopened", EventKind::reopened},
    {"untunable", EventKind::untunable},
    {"pinned", EventKind::pinned},
    {"unpinned", EventKind::unpinned},
    {"spent", EventKind::spent},
}};

std::unexpected<Error> wrong(std::string what) {
  return fail(Code::invalid_input, std::move(what));
}

// Reads the fields of one object, and keeps the error of the first wrong one. A missing field gives
// the empty value.
class Fields {
 public:
  Fields(const InJson& object, std::string_view place) : object_(object), place_(place) {}

  std::string text(const char* name, bool required = false) {
    const InJson* value = find(name, required);
    if (value == nullptr) return {};
    if (!value->is_string()) return expected(name, "a text"), std::string();
    if (required && value->get_ref<const std::string&>().empty()) {
      return expected(name, "a text that is not empty"), std::string();
    }
    return value->get<std::string>();
  }
  bool truth(const char* name) {
    const InJson* value = find(name, false);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return expected(name, "true or false"), false;
    return value->get<bool>();
  }
  double number(const char* name, bool may_be_negative = false) {
    const InJson* value = find(name, false);
    return value == nullptr ? 0 : number_of(*value, name, may_be_negative);
  }
  std::uint64_t count(const char* name, std::uint64_t most, bool required = false) {
    const InJson* value = find(name, required);
    if (value == nullptr) return 0;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > most) {
      return expected(name, fmt::format("a whole number from 0 to {}", most)), 0;
    }
    return value->get<std::uint64_t>();
  }
  std::int64_t moment(const char* name, bool required = false) {
    return static_cast<std::int64_t>(count(name, INT64_MAX, required));
  }
  std::vector<double> numbers(const char* name) {
    std::vector<double> all;
    const InJson* value = find(name, false);
    if (value == nullptr) return all;
    if (!value->is_array()) return expected(name, "a list of numbers"), all;
    all.reserve(value->size());
    for (const InJson& item : *value) all.push_back(number_of(item, name, false));
    return all;
  }
  std::vector<int> log_ratios() {
    std::vector<int> all;
    const InJson* value = list("log_ratios");
    if (value == nullptr) return all;
    for (const InJson& item : *value) {
      if (!item.is_number_integer() || std::abs(item.get<double>()) > kMostLogRatio) {
        return expected("log_ratios", "a list of whole numbers that are small enough"), all;
      }
      all.push_back(item.get<int>());
    }
    return all;
  }
  // With its interval. Version 1 gave the spread of the gain instead.
  GainInterval gain() {
    const double gain = number("gain", true);
    const double spread = number("noise");
    if (spread > 0) return {gain, gain - spread, gain + spread};
    return {gain, number("gain_low", true), number("gain_high", true)};
  }
  const InJson* object(const char* name) {
    const InJson* value = find(name, false);
    if (value != nullptr && !value->is_object()) return expected(name, "an object"), nullptr;
    return value;
  }
  const InJson* list(const char* name) {
    const InJson* value = find(name, false);
    if (value != nullptr && !value->is_array()) return expected(name, "a list"), nullptr;
    return value;
  }
  void expected(std::string_view name, std::string_view what) {
    note(fmt::format("{}\"{}\" is not {}", place_, name, what));
  }
  void note(std::string what) {
    if (!fault_) fault_ = std::move(what);
  }
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  const InJson* find(const char* name, bool required) {
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    if (required) note(fmt::format("it has no {}\"{}\"", place_, name));
    return nullptr;
  }
  double number_of(const InJson& value, const char* name, bool may_be_negative) {
    if (!value.is_number()) return expected(name, "a number"), 0;
    const double number = value.get<double>();
    if (!std::isfinite(number)) return expected(name, "a finite number"), 0;
    if (number < 0 && !may_be_negative) return expected(name, "at least 0"), 0;
    return number;
  }

  const InJson& object_;
  std::string_view place_;
  std::optional<std::string> fault_;
};

bool is_key_id(std::string_view text) {
  return text.size() == 35 && text.starts_with("t1-") &&
         std::ranges::all_of(text.substr(3), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<TuningKey> parse_identity(const InJson& object, std::string_view id) {
  Fields fields(object, "identity.");
  TuningKey key{.program = fields.text("program", true),
                .name = fields.text("name"),
                .overrides = fields.text("overrides"),
                .size = fields.text("size"),
                .device = fields.text("device"),
                .driver = fields.text("driver"),
                .generator = fields.text("generator")};
  if (fields.fault()) return wrong(*fields.fault());
  if (key_id(key) != id) {
    return wrong(fmt::format("its identity is that of {}, but its key is {}", key_id(key), id));
  }
  return key;
}

EvidenceEvent parse_event(EventKind kind, Fields& fields) {
  constexpr std::uint64_t kMostPairs = UINT32_MAX;
  const GainInterval gain = fields.gain();
  return {.kind = kind,
          .candidate = fields.text("candidate", needs_candidate(kind)),
          .times_ns = fields.numbers("ns"),
          .reason = fields.text("reason"),
          .over = fields.text("over"),
          .log_ratios = fields.log_ratios(),
          .final = static_cast<std::uint32_t>(fields.count("final", kMostFinals)),
          .gain = gain.gain,
          .gain_low = gain.low,
          .gain_high = gain.high,
          .pairs = static_cast<std::uint32_t>(fields.count("pairs", kMostPairs)),
          .lost_ns = fields.number("lost_ns"),
          .spent_ns = fields.number("spent_ns"),
          .at_ms = fields.moment("at", true)};
}

Result<CandidateState> parse_candidate(const InJson& object) {
  if (!object.is_object()) return wrong("\"candidates\" is not a list of objects");
  Fields fields(object, "candidates.");
  CandidateState candidate{.candidate = fields.text("candidate", true),
                           .recent_ns = fields.numbers("ns"),
                           .samples = fields.count("samples", UINT64_MAX),
                           .verified = fields.truth("verified"),
                           .rejected = fields.text("rejected"),
                           .compared_with = fields.text("compared_with"),
                           .log_ratios = fields.log_ratios(),
                           .final = static_cast<std::uint32_t>(fields.count("final", kMostFinals))};
  if (candidate.recent_ns.size() > std::min<std::uint64_t>(kRecentSamples, candidate.samples)) {
    fields.expected("ns", "one of the samples each, at most 15");
  }
  if (candidate.log_ratios.size() > kMostComparedPairs) {
    fields.expected("log_ratios", fmt::format("a list of at most {}", kMostComparedPairs));
  }
  if (fields.fault()) return wrong(*fields.fault());
  return candidate;
}

Result<KeyState> parse_summary(Fields& fields, std::string_view id) {
  const GainInterval gain = fields.gain();
  KeyState state{.key = {},
                 .incumbent = fields.text("incumbent"),
                 .reason = fields.text("reason"),
                 .settled = fields.truth("settled"),
                 .pin = fields.text("pin"),
                 .untunable = fields.text("untunable"),
                 .lost_ns = fields.number("lost_ns"),
                 .spent_ns = fields.number("spent_ns"),
                 .first_ms = fields.moment("first"),
                 .last_ms = fields.moment("at", true),
                 .events = fields.count("events", UINT64_MAX),
                 .over = fields.text("over"),
                 .gain = gain.gain,
                 .gain_low = gain.low,
                 .gain_high = gain.high,
                 .pairs = static_cast<std::uint32_t>(fields.count("pairs", UINT32_MAX)),
                 .finals = static_cast<std::uint32_t>(fields.count("finals", kMostFinals)),
                 .decided_ms = fields.moment("decided"),
                 .promotions = fields.count("promotions", UINT64_MAX),
                 .reopenings = fields.count("reopenings", UINT64_MAX),
                 .reopened = fields.text("reopened"),
                 .pin_reason = fields.text("pin_reason"),
                 .pinned_ms = fields.moment("pinned")};
  if (const InJson* identity = fields.object("identity")) {
    VYRE_TRY(state.key, parse_identity(*identity, id));
  }
  if (const InJson* candidates = fields.list("candidates")) {
    std::unordered_set<std::string> seen;
    for (const InJson& object : *candidates) {
      VYRE_TRY(CandidateState candidate, parse_candidate(object));
      if (!seen.insert(candidate.candidate).second) {
        return wrong(fmt::format("candidate '{}' is there twice", candidate.candidate));
      }
      state.candidates.push_back(std::move(candidate));
    }
  }
  if (fields.fault()) return wrong(*fields.fault());
  return state;
}

Result<std::vector<WriterMark>> parse_includes(Fields& fields) {
  std::vector<WriterMark> marks;
  const InJson* includes = fields.list("includes");
  if (includes == nullptr) return marks;
  for (const InJson& each : *includes) {
    auto mark =
        each.is_string() ? parse_line_name(each.get_ref<const std::string&>()) : std::nullopt;
    if (!mark) return wrong("\"includes\" is not a list of names of lines");
    marks.push_back(*std::move(mark));
  }
  if (marks.size() > kMostWriterMarks) {
    return wrong(fmt::format("\"includes\" has more than {} names", kMostWriterMarks));
  }
  return marks;
}

std::string shown(std::string_view line) {
  constexpr std::size_t kMost = 60;
  std::string text;
  for (const char c : line.substr(0, kMost)) text += (c >= ' ' && c <= '~') ? c : '?';
  return line.size() > kMost ? text + "..." : text;
}

}  // namespace

std::string_view to_string(EventKind kind) {
  const auto* found =
      std::ranges::find(kEventNames, kind, &std::pair<std::string_view, EventKind>::second);
  return found == kEventNames.end() ? "unknown" : found->first;
}

Result<EvidenceLine> parse_evidence_line(std::string_view line) {
  VYRE_CHECK(check_json_limits(line));
  const InJson json = InJson::parse(line, nullptr, false);
  if (!json.is_object()) return wrong(fmt::format("it is no JSON object: {}", shown(line)));
  const auto version = json.find("v");
  if (version == json.end() || !version->is_number_unsigned()) {
    return wrong("it has no version \"v\"");
  }
  if (*version < kOldestEvidenceVersion || *version > kEvidenceVersion) {
    return fail(Code::invalid_input,
                fmt::format("it has version {} of the format; this vyre reads versions up to {}",
                            version->get<std::uint64_t>(), kEvidenceVersion),
                "use the vyre that wrote it, or another file");
  }
  Fields fields(json, "");
  const std::string id = fields.text("key", true);
  const std::string event = fields.text("event", true);
  const std::string by = fields.text("by");
  if (fields.fault()) return wrong(*fields.fault());
  if (!is_key_id(id)) return wrong(fmt::format("its key '{}' is no id of a key", shown(id)));
  if (event == "key") {
    const InJson* identity = fields.object("identity");
    if (identity == nullptr) return wrong(fields.fault().value_or("it has no \"identity\""));
    VYRE_TRY(TuningKey key, parse_identity(*identity, id));
    return KeyLine{std::move(key)};
  }
  if (event == "summary") {
    VYRE_TRY(auto includes, parse_includes(fields));
    VYRE_TRY(KeyState state, parse_summary(fields, id));
    return SummaryLine{id, by, std::move(state), std::move(includes)};
  }
  const auto* known =
      std::ranges::find(kEventNames, event, &std::pair<std::string_view, EventKind>::first);
  if (known == kEventNames.end())
    return wrong(fmt::format("its event '{}' is unknown", shown(event)));
  EventLine result{id, by, parse_event(known->second, fields)};
  if (fields.fault()) return wrong(*fields.fault());
  return result;
}

std::optional<WriterMark> parse_line_name(std::string_view by) {
  const std::size_t hyphen = by.rfind('-');
  if (hyphen == std::string_view::npos || hyphen == 0) return std::nullopt;
  const std::string_view digits = by.substr(hyphen + 1);
  WriterMark mark{.writer = std::string(by.substr(0, hyphen))};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), mark.line);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return mark;
}

Result<ParsedEvidence> parse_evidence(std::string_view text, std::uint64_t lines_before,
                                      const std::filesystem::path& path) {
  ParsedEvidence parsed;
  while (true) {
    const std::size_t end = text.find('\n', parsed.bytes);
    if (end == std::string_view::npos) return parsed;
    std::string_view line = text.substr(parsed.bytes, end - parsed.bytes);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++parsed.line_ends;
    parsed.bytes = end + 1;
    if (line.empty()) continue;
    auto one = parse_evidence_line(line);
    if (!one) {
      Error error = std::move(one).error();
      error.what = fmt::format("line {} of {} is no evidence: {}", lines_before + parsed.line_ends,
                               path.string(), error.what);
      if (error.fix.empty()) error.fix = "take that line out, or use another file";
      return std::unexpected(std::move(error));
    }
    parsed.lines.push_back(*std::move(one));
  }
}

bool may_be_torn_line(std::string_view text) {
  // A file system may leave zeros where a write was lost.
  while (text.ends_with('\0')) text.remove_suffix(1);
  return text.starts_with(kLineBegin) || kLineBegin.starts_with(text);
}

}  // namespace vyre

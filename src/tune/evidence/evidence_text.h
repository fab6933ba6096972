// The text of an evidence file: one JSON object a line, in UTF-8, each line ended by a line feed.
// Every line has
//
//   "v"      2, the version of the format; 1, which has no pairs, is read as well
//   "key"    the key's id: "t1-" and 32 hexadecimal digits
//   "event"  what the line is: "key", "summary", or the name of an EventKind
//
// and, but for a "key" line,
//
//   "by"     which writer wrote it, and as which of its lines, as in "473f7a3b82d29af4-7": of two
//            lines with the same key and "by" the second is a copy, and counts for nothing. Lines
//            without it are never copies
//   "at"     milliseconds since 1970
//
// A "key" line has the key in "identity", an object of texts: program, name, overrides, size,
// device, driver, generator. It may come before or behind the events of its key, and more than
// once.
//
// An event line has the fields of EvidenceEvent that its kind uses: "candidate", "ns" (a list),
// "reason", "over", "log_ratios" (whole numbers), "final", "gain", "gain_low", "gain_high",
// "pairs", "lost_ns", "spent_ns". A "summary" line stands for all earlier lines of its key: the
// fields of KeyState. Empty texts, zeros and false are left out.
//
// Fields that are not known are left alone; an event or a version that is not known is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/evidence.h"

namespace vyre {

inline constexpr int kEvidenceVersion = 2, kOldestEvidenceVersion = 1;

// Whether an event of this kind is nothing without a candidate.
bool needs_candidate(EventKind kind);

struct KeyLine {
  TuningKey key;
};
struct EventLine {
  std::string key_id, by;
  EvidenceEvent event;
};
// A writer's lines up to this one.
struct WriterMark {
  std::string writer;
  std::uint64_t line = 0;
  bool operator==(const WriterMark&) const = default;
};
inline constexpr std::size_t kMostWriterMarks = 64;
// "473f7a3b82d29af4-7"; empty for a text of another form.
std::optional<WriterMark> parse_line_name(std::string_view by);

struct SummaryLine {
  std::string key_id, by;
  KeyState state;  // its key is empty where the file does not tell it
  std::vector<WriterMark> includes{};
};
using EvidenceLine = std::variant<KeyLine, EventLine, SummaryLine>;

// Without the line's end. The error says what is wrong, but not where the line is.
Result<EvidenceLine> parse_evidence_line(std::string_view line);

// All whole lines of a text that begins behind line `lines_before` of the file at `path`. The error
// names the line.
struct ParsedEvidence {
  std::vector<EvidenceLine> lines;
  std::size_t bytes = 0;        // of whole lines; behind them a line begins that has no end yet
  std::uint64_t line_ends = 0;  // empty lines count here alone
};
Result<ParsedEvidence> parse_evidence(std::string_view text, std::uint64_t lines_before,
                                      const std::filesystem::path& path);

// With the line's end. A text that is not UTF-8 has its wrong bytes replaced.
std::string evidence_text(const EvidenceLine& line);

// Whether lines can hold it: texts that identify something are UTF-8 and not empty, numbers are
// finite and not negative (a gain may be).
Result<void> check_writable(const TuningKey& key, std::span<const EvidenceEvent> events);

// Whether this can be the beginning of a line that was cut off.
bool may_be_torn_line(std::string_view text);

}  // namespace vyre

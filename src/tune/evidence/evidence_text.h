// The text of an evidence file: one JSON object per line, in UTF-8, each line ended by a line feed.
// Every line has
//
//   "v"      2, the version of the format; 1, which has no pairs, is read as well
//   "key"    the key's id: "t1-" and 32 hexadecimal digits
//   "event"  what the line is: "key", "summary", or the name of an EventKind
//
// and, except for a "key" line,
//
//   "by"     the writer and the number of its line, as in "473f7a3b82d29af4-7": a second line with
//            the same key and "by" is a copy, which is ignored. Lines without "by" are never copies
//   "at"     milliseconds since 1970
//
// A "key" line has the key in "identity", an object of texts: program, name, overrides, size,
// device, driver, generator. It may come before or after the events of its key, and more than once.
//
// An event line has the fields of EvidenceEvent that its kind uses: "candidate", "ns" (a list),
// "reason", "over", "log_ratios" (whole numbers), "final", "gain", "gain_low", "gain_high",
// "pairs", "lost_ns", "spent_ns". A "summary" line stands for all earlier lines of its key: the
// fields of KeyState. Empty texts, zeros and false are left out.
//
// Unknown fields are ignored; an unknown event or version is an error.
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

// Whether an event of this kind needs a candidate.
bool needs_candidate(EventKind kind);

struct KeyLine {
  TuningKey key;
};
struct EventLine {
  std::string key_id, by;
  EvidenceEvent event;
};
// All lines of a writer up to this number.
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
  KeyState state;  // its key is empty if the file has no `key` line
  std::vector<WriterMark> includes{};
};
using EvidenceLine = std::variant<KeyLine, EventLine, SummaryLine>;

// `line` is without its line feed. The error does not have the number of the line.
Result<EvidenceLine> parse_evidence_line(std::string_view line);

// All complete lines of a text that begins after line `lines_before` of the file at `path`. The
// error has the number of the line.
struct ParsedEvidence {
  std::vector<EvidenceLine> lines;
  std::size_t bytes = 0;        // of complete lines; an incomplete line may follow
  std::uint64_t line_ends = 0;  // includes empty lines
};
Result<ParsedEvidence> parse_evidence(std::string_view text, std::uint64_t lines_before,
                                      const std::filesystem::path& path);

// With the line feed. Bytes that are not UTF-8 are replaced.
std::string evidence_text(const EvidenceLine& line);

// Whether a line can hold it: identifying texts are UTF-8 and not empty, and numbers are finite
// and, except for a gain, not negative.
Result<void> check_writable(const TuningKey& key, std::span<const EvidenceEvent> events);

// Whether this can be the beginning of an incomplete line.
bool may_be_torn_line(std::string_view text);

}  // namespace vyre

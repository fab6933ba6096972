// Errors and warnings about a WGSL module, and their text for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vyre/wgsl/source.h"

namespace vyre {

enum class Severity : std::uint8_t { error, warning };

struct Note {
  Span span;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string message;      // what was found, and what was expected
  std::vector<Note> notes;  // other places that matter
  std::string fix;          // what the reader can do about it; may be empty

  // For chains: diagnostics.error(span, "...").note(declared, "declared here").with_fix("...").
  Diagnostic& note(Span where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
  }
  Diagnostic& with_fix(std::string text) {
    fix = std::move(text);
    return *this;
  }
};

// Collects up to kMaxErrors errors and as many warnings, and drops the rest. A second error at
// exactly the same place is dropped as well, because it is nearly always a consequence of the
// first.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxErrors = 20;

  // The reference is valid until the next call; for a dropped diagnostic it is a scratch object.
  Diagnostic& error(Span span, std::string message);
  Diagnostic& warning(Span span, std::string message);

  bool has_errors() const { return error_count_ != 0; }
  // True once further errors are dropped: a pass may stop.
  bool full() const { return error_count_ >= kMaxErrors; }
  std::size_t error_count() const { return error_count_; }
  // In the order in which they were reported.
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  Diagnostic& add(Severity severity, Span span, std::string message, std::size_t& count);

  std::vector<Diagnostic> all_;
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
  Diagnostic dropped_;
};

// file:line:col: error: message
//    12 |   let x = 1 +;
//       |              ^
// followed by its notes in the same form and, if there is one, "fix: ...". Ends with a newline.
// Tabs become four spaces, and bytes that cannot be shown become U+FFFD. Only the part around the
// caret of a long line is shown.
std::string render(const Source& source, const Diagnostic& diagnostic);

// All diagnostics, ordered by position. If the limit was reached, the last line says so.
std::string render(const Source& source, const Diagnostics& diagnostics);

}  // namespace vyre

// What is wrong with a WGSL module, and how it is shown to a person.
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
  std::string fix;          // something to do about it; empty when there is nothing

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

// Collects up to kMaxErrors errors and as many warnings; what comes after is dropped. A second
// error that begins and ends exactly where an earlier one does is dropped as well: it is nearly
// always a consequence of the first.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxErrors = 20;

  // The reference is valid until the next call; for a dropped diagnostic it is a scratch object.
  Diagnostic& error(Span span, std::string message);
  Diagnostic& warning(Span span, std::string message);

  bool has_errors() const { return error_count_ != 0; }
  // True once nothing more is collected: a pass may stop.
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
// followed by its notes in the same form and, when there is one, "fix: ...". Ends with a newline.
// Tabs become four spaces, bytes that cannot be shown become U+FFFD, and of a long line only the
// part around the caret is shown.
std::string render(const Source& source, const Diagnostic& diagnostic);

// All of them, ordered by position, with a last line that says so when the limit was reached.
std::string render(const Source& source, const Diagnostics& diagnostics);

}  // namespace vyre

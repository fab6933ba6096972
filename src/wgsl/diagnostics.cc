#include "vyre/wgsl/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "vyre/wgsl/unicode.h"

namespace vyre {
namespace {

constexpr std::uint32_t kTabColumns = 4;
constexpr std::uint32_t kShownColumns = 110;       // of a source line
constexpr std::uint32_t kColumnsBeforeCaret = 70;  // kept when a long line is cut
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kCut = "...";

// The text that a terminal shows for one code point.
struct Cell {
  std::uint32_t begin;  // offset in the source
  std::string_view text;
  std::uint32_t columns;
};

struct Range {
  char32_t first, last;
};

bool in_any(std::initializer_list<Range> ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](Range r) { return r.first <= c && c <= r.last; });
}

// Control characters, and marks that would reorder the rest of the line.
bool is_invisible(char32_t c) {
  return in_any({{0, 0x1F},
                 {0x7F, 0x9F},
                 {0x200B, 0x200F},
                 {0x2028, 0x202E},
                 {0x2060, 0x206F},
                 {0xFEFF, 0xFEFF},
                 {0xFFF9, 0xFFFB}},
                c);
}

std::uint32_t columns_of(char32_t c) {
  if (c < 0x300) return 1;
  if (in_any({{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}, c)) return 0;
  return in_any({{0x1100, 0x115F},
                 {0x2E80, 0xA4CF},
                 {0xAC00, 0xD7A3},
                 {0xF900, 0xFAFF},
                 {0xFE30, 0xFE6F},
                 {0xFF00, 0xFF60},
                 {0xFFE0, 0xFFE6},
                 {0x1F300, 0x1F64F},
                 {0x1F900, 0x1F9FF},
                 {0x20000, 0x3FFFD}},
                c)
             ? 2
             : 1;
}

Cell cell_at(std::string_view text, std::uint32_t at, CodePoint c) {
  if (c.value == '\t') return {at, "    ", kTabColumns};
  if (!c.valid() || is_invisible(c.value)) return {at, kReplacement, 1};
  return {at, text.substr(at, c.bytes), columns_of(c.value)};
}

bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

// The part of a line around `caret` that is shown, and whether either side was cut.
struct Excerpt {
  std::vector<Cell> cells;
  bool cut_left = false;
  bool cut_right = false;
};

Excerpt excerpt(const Source& source, Span line, std::uint32_t caret) {
  const std::string_view text = source.text();
  Excerpt result;
  // Reads no more bytes than the shown columns can need, however long the line is.
  std::uint32_t at = line.begin;
  if (caret > line.begin + 4 * kShownColumns) {
    at = caret - 4 * kShownColumns;
    while (at < caret && is_continuation_byte(text[at])) ++at;
    result.cut_left = true;
  }
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  while (at < line.end) {
    const CodePoint c = decode_utf8(text, at);
    const Cell cell = cell_at(text, at, c);
    (at < caret ? before : after) += cell.columns;
    if (after > kShownColumns) break;
    result.cells.push_back(cell);
    at += c.bytes;
  }
  result.cut_right = at < line.end;
  std::size_t drop = 0;
  if (before + after > kShownColumns) {
    for (; before > kColumnsBeforeCaret; ++drop) before -= result.cells[drop].columns;
  }
  result.cut_left = result.cut_left || drop != 0;
  result.cells.erase(result.cells.begin(),
                     result.cells.begin() + static_cast<std::ptrdiff_t>(drop));
  std::uint32_t shown = 0;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    shown += result.cells[i].columns;
    if (shown <= kShownColumns) continue;
    result.cells.resize(i);
    result.cut_right = true;
  }
  return result;
}

void append_source_line(std::string& out, const Source& source, Span span, std::uint32_t number) {
  const Span line = source.line(span.begin);
  const Excerpt shown = excerpt(source, line, span.begin);
  std::string code;
  std::string marks;
  if (shown.cut_left) {
    code += kCut;
    marks.append(kCut.size(), ' ');
  }
  bool marked = false;
  for (const Cell& cell : shown.cells) {
    code += cell.text;
    if (cell.begin < span.begin) {
      marks.append(cell.columns, ' ');
    } else if (!marked || cell.begin < span.end) {
      marks.append(std::max(cell.columns, marked ? 0U : 1U), '~');
      if (!marked) marks[marks.size() - std::max(cell.columns, 1U)] = '^';
      marked = true;
    }
  }
  if (!marked) marks += '^';  // at the end of the line
  if (shown.cut_right) code += kCut;
  const std::string gutter = fmt::format("{:5} | ", number);
  out += fmt::format("{}{}\n{:>{}}{}\n", gutter, code, "| ", gutter.size(), marks);
}

void append_entry(std::string& out, const Source& source, Span span, std::string_view label,
                  std::string_view message) {
  const auto size = static_cast<std::uint32_t>(std::min(source.text().size(), Source::kMaxBytes));
  span.begin = std::min(span.begin, size);
  span.end = std::clamp(span.end, span.begin, size);
  const LineColumn at = source.position(span.begin);
  out += fmt::format("{}:{}:{}: {}: {}\n", source.name(), at.line, at.column, label, message);
  append_source_line(out, source, span, at.line);
}

}  // namespace

Diagnostic& Diagnostics::add(Severity severity, Span span, std::string message,
                             std::size_t& count) {
  const auto same_place = [&](const Diagnostic& d) {
    return d.severity == severity && d.span == span;
  };
  if (std::ranges::any_of(all_, same_place)) return dropped_ = Diagnostic{};
  if (count >= kMaxErrors) return dropped_ = Diagnostic{};
  ++count;
  return all_.emplace_back(Diagnostic{severity, span, std::move(message), {}, {}});
}

Diagnostic& Diagnostics::error(Span span, std::string message) {
  return add(Severity::error, span, std::move(message), error_count_);
}

Diagnostic& Diagnostics::warning(Span span, std::string message) {
  return add(Severity::warning, span, std::move(message), warning_count_);
}

std::string render(const Source& source, const Diagnostic& diagnostic) {
  std::string out;
  const bool is_error = diagnostic.severity == Severity::error;
  append_entry(out, source, diagnostic.span, is_error ? "error" : "warning", diagnostic.message);
  for (const Note& note : diagnostic.notes) {
    append_entry(out, source, note.span, "note", note.text);
  }
  if (!diagnostic.fix.empty()) out += fmt::format("fix: {}\n", diagnostic.fix);
  return out;
}

std::string render(const Source& source, const Diagnostics& diagnostics) {
  std::vector<const Diagnostic*> ordered;
  for (const Diagnostic& d : diagnostics.all()) ordered.push_back(&d);
  std::ranges::sort(ordered, {}, [](const Diagnostic* d) { return std::pair(d->span.begin, d); });
  std::string out;
  for (const Diagnostic* d : ordered) out += render(source, *d);
  if (diagnostics.full()) {
    out += fmt::format("{}: stopped after {} errors\n", source.name(), Diagnostics::kMaxErrors);
  }
  return out;
}

}  // namespace vyre

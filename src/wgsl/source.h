// The text of one WGSL module and the positions in it. Positions are byte offsets; lines and
// columns are computed on demand.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace vyre {

// Bytes [begin, end) of a Source. An empty span is a place between two bytes.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Span&) const = default;
};

// The smallest span that contains both.
constexpr Span join(Span a, Span b) {
  return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

// Both count from 1; columns count code points.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  bool operator==(const LineColumn&) const = default;
};

// Immutable and immovable: the syntax tree and everything made from it have views into the text, so
// a Source must outlive them. May be read from several threads.
class Source {
 public:
  // `parse` refuses longer texts.
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

  // Errors print `name` before the line and column; it is usually the path of a file.
  Source(std::string name, std::string text);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;

  // Line breaks are those of WGSL: LF, VT, FF, CR, CR LF (one break), U+0085, U+2028 and U+2029.
  LineColumn position(std::uint32_t offset) const;
  // The line that contains `offset`, without its line break.
  Span line(std::uint32_t offset) const;

 private:
  const std::vector<std::uint32_t>& line_starts() const;

  std::string name_;
  std::string text_;
  mutable std::once_flag lines_found_;
  mutable std::vector<std::uint32_t> line_starts_;  // computed by the first call
};

}  // namespace vyre

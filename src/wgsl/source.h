// The text of one WGSL module and the positions in it. Positions are byte offsets; lines and
// columns are computed when somebody asks.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace vyre {

// Bytes [begin, end) of a Source. Empty spans name a place between two bytes.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Span&) const = default;
};

// The smallest span that holds both.
constexpr Span join(Span a, Span b) {
  return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

// Both count from 1; columns count code points.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  bool operator==(const LineColumn&) const = default;
};

// Immutable and immovable: the syntax tree and all that is made from it hold views into the text,
// so a Source must outlive them. Safe to read from several threads.
class Source {
 public:
  // Longer texts are refused by `parse`; their tail has no positions.
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

  // `name` is what errors print in front of line and column, usually a file's path.
  Source(std::string name, std::string text);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;

  // Lines end as WGSL says: LF, VT, FF, CR, CR LF (one end), U+0085, U+2028 and U+2029.
  LineColumn position(std::uint32_t offset) const;
  // The line that holds `offset`, without its line end.
  Span line(std::uint32_t offset) const;

 private:
  const std::vector<std::uint32_t>& line_starts() const;

  std::string name_;
  std::string text_;
  mutable std::once_flag lines_found_;
  mutable std::vector<std::uint32_t> line_starts_;  // filled by the first question
};

}  // namespace vyre

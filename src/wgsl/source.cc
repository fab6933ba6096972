#include "vyre/wgsl/source.h"

#include <algorithm>

#include "vyre/wgsl/unicode.h"

namespace vyre {
namespace {

// The byte order mark is not part of the first line.
std::uint32_t text_start(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

// The offset after the line break at `at`, or `at` if there is none.
std::size_t skip_line_break(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < '\n' || (lead > '\r' && lead != 0xC2 && lead != 0xE2)) return at;  // nearly every byte
  if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') return at + 2;
  const CodePoint c = decode_utf8(text, at);
  return is_line_break(c.value) ? at + c.bytes : at;
}

}  // namespace

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {}

std::string_view Source::text(Span span) const {
  return text().substr(span.begin, span.end - span.begin);
}

const std::vector<std::uint32_t>& Source::line_starts() const {
  std::call_once(lines_found_, [this] {
    const std::string_view text = this->text().substr(0, kMaxBytes);
    line_starts_.push_back(text_start(text));
    for (std::size_t at = line_starts_[0]; at < text.size();) {
      const std::size_t behind = skip_line_break(text, at);
      if (behind == at) {
        ++at;
      } else {
        line_starts_.push_back(static_cast<std::uint32_t>(behind));
        at = behind;
      }
    }
  });
  return line_starts_;
}

LineColumn Source::position(std::uint32_t offset) const {
  const Span line = this->line(offset);
  const auto number = std::ranges::upper_bound(line_starts(), line.begin) - line_starts().begin();
  LineColumn result{static_cast<std::uint32_t>(number), 1};
  for (std::size_t at = line.begin; at < offset && at < text_.size(); ++result.column) {
    at += decode_utf8(text_, at).bytes;
  }
  return result;
}

Span Source::line(std::uint32_t offset) const {
  const std::vector<std::uint32_t>& starts = line_starts();
  auto next = std::ranges::upper_bound(starts, offset);
  if (next == starts.begin()) ++next;  // inside the byte order mark
  const std::uint32_t begin = *(next - 1);
  std::size_t end = next == starts.end() ? std::min(text_.size(), kMaxBytes) : *next;
  if (next != starts.end()) {  // step back over the line's own break
    do {
      --end;
    } while (skip_line_break(text_, end) != *next);
    if (end > begin && text_[end] == '\n' && text_[end - 1] == '\r') --end;
  }
  return {begin, static_cast<std::uint32_t>(std::max<std::size_t>(begin, end))};
}

}  // namespace vyre

#include "vyre/cli/streams.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>

#include "vyre/base/files/file_handle.h"

namespace vyre {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

std::string styled(const Output& output, std::string_view text, std::string_view code) {
  if (!output.colour || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace

Output::Output(int descriptor) : descriptor_(descriptor), is_terminal_(::isatty(descriptor) == 1) {}

void Output::write(std::string_view text) {
  is_terminal_ ? put(printable(text, colour)) : put(text);
}

void Output::overwrite(std::string_view line) {
  put("\r");
  write(line);
  put("\x1b[K");
}

void Output::put(std::string_view text) {
  if (text_ != nullptr) {
    text_->append(text);
    return;
  }
  if (error_ != 0) return;
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

bool Output::flush() {
  if (error_ == 0 && !buffer_.empty() &&
      !write_all(descriptor_, std::as_bytes(std::span(buffer_.data(), buffer_.size())))) {
    error_ = errno;
  }
  buffer_.clear();
  return error_ == 0;
}

Result<std::string> read_descriptor(int descriptor, std::uint64_t max_bytes) {
  std::string content;
  std::array<char, 65536> piece;
  while (true) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(Code::io,
                  fmt::format("cannot read the standard input: {}", std::strerror(errno)));
    }
    if (got == 0) return content;
    if (static_cast<std::uint64_t>(got) > max_bytes - content.size()) {
      return fail(Code::limit, fmt::format("the standard input has more than {} bytes", max_bytes));
    }
    content.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string printable(std::string_view text, bool colour) {
  constexpr std::string_view kReplacement = "\uFFFD";
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (colour && text.substr(at).starts_with("\x1b[")) {
      const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
      if (end != std::string_view::npos && text[end] == 'm') {
        out += text.substr(at, end + 1 - at);
        at = end;
        continue;
      }
    }
    // U+0080 to U+009F are control characters too.
    const bool is_c1 = byte == 0xC2 && at + 1 < text.size() &&
                       static_cast<unsigned char>(text[at + 1]) - 0x80U < 0x20U;
    if (is_c1) ++at;
    if (is_c1 || byte == 0x7F || (byte < 0x20 && byte != '\n' && byte != '\t')) {
      out += kReplacement;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string bold(const Output& output, std::string_view text) { return styled(output, text, "1"); }
std::string faint(const Output& output, std::string_view text) { return styled(output, text, "2"); }

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

}  // namespace vyre

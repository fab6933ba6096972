// Where a command reads and writes. Commands never touch descriptors or the C++ streams, so tests
// and fuzzers run them in memory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "vyre/base/error.h"

namespace vyre {

// Output of text to a descriptor or into a string. After the first failure to write, nothing more
// is written, and `flush` reports the failure.
class Output {
 public:
  // Writes to a descriptor, which stays open. On a terminal, names out of files of other people
  // must not be taken for commands: text goes there through printable().
  explicit Output(int descriptor);
  // Keeps everything in `text`.
  explicit Output(std::string& text) : text_(&text) {}

  void write(std::string_view text);
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  // Writes over the last line of a terminal.
  void overwrite(std::string_view line);

  // Writes what is buffered. False if anything could not be written; `error` then has its errno.
  bool flush();
  int error() const { return error_; }

  bool colour = false;  // escape sequences are welcome

 private:
  void put(std::string_view text);

  int descriptor_ = -1;
  bool is_terminal_ = false;
  std::string* text_ = nullptr;
  std::string buffer_;
  int error_ = 0;
};

struct Streams {
  Output& out;
  Output& err;
  // Everything on the standard input, up to a number of bytes.
  std::function<Result<std::string>(std::uint64_t max_bytes)> read_input;
};

// Everything that is still to come from a descriptor. More than `max_bytes` is Code::limit.
Result<std::string> read_descriptor(int descriptor, std::uint64_t max_bytes);

// The text with the replacement character for every control character but line ends and tabs. Where
// colour is welcome, sequences that set it stay.
std::string printable(std::string_view text, bool colour);

// Text in bold, or faint, where the output takes colour.
std::string bold(const Output& output, std::string_view text);
std::string faint(const Output& output, std::string_view text);

// Colour is for terminals only, and never with NO_COLOR or a dumb terminal.
bool wants_colour(int descriptor);

}  // namespace vyre

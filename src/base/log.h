// Messages to the user, on the standard error. The environment variable VYRE_LOG sets the level:
// off, error, warn (the default), info or debug.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>

namespace vyre {

// Each level includes the levels before it.
enum class LogLevel : std::uint8_t { off, error, warn, info, debug };

std::string_view to_string(LogLevel level);
// The inverse of to_string; empty for any other word.
std::optional<LogLevel> parse_log_level(std::string_view word);

// The level of VYRE_LOG, unless set_log_level was called. An unknown word gives one warning and the
// default.
LogLevel log_level();
void set_log_level(LogLevel level);

// Writes one line if the level is enabled. `level` is not off. Without memory for it the line is
// lost; nothing is thrown, so that destructors and threads can call it.
void log_message(LogLevel level, std::string_view message);

// Sets the receiver of messages instead of the standard error. It is called from any thread,
// possibly from several at once. Empty: the standard error. Returns when no thread is inside the
// previous sink.
using LogSink = std::function<void(LogLevel, std::string_view)>;
void set_log_sink(LogSink sink);

namespace log_detail {
inline constexpr std::uint8_t kUnread = 255;  // the environment has not been read yet
inline std::atomic<std::uint8_t> current_level = kUnread;
LogLevel read_environment();

// `text` makes the message.
template <class Text>
void log_made(LogLevel level, const Text& text) {
  try {
    log_message(level, text());
  } catch (const std::exception&) {
    // There is no memory for the text.
  }
}
}  // namespace log_detail

// One relaxed load, once the environment was read.
inline bool log_enabled(LogLevel level) {
  const std::uint8_t current = log_detail::current_level.load(std::memory_order_relaxed);
  if (current == log_detail::kUnread) return level <= log_detail::read_environment();
  return static_cast<std::uint8_t>(level) <= current;
}

}  // namespace vyre

// VYRE_LOG(warn, "{} was ignored: {}", path, reason); formats as fmt::format does (the user of the
// macro includes <fmt/format.h>), and evaluates its arguments only if the level is enabled. It
// throws nothing, as log_message.
#define VYRE_LOG(level, ...)                                                    \
  do {                                                                          \
    if (::vyre::log_enabled(::vyre::LogLevel::level))                           \
      ::vyre::log_detail::log_made(::vyre::LogLevel::level,                     \
                                   [&] { return ::fmt::format(__VA_ARGS__); }); \
  } while (false)

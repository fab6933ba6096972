// Messages for whoever runs the program, on standard error. The environment variable VYRE_LOG says
// how much is told: off, error, warn (the default), info or debug.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace vyre {

// Each level tells what those before it tell, and more.
enum class LogLevel : std::uint8_t { off, error, warn, info, debug };

std::string_view to_string(LogLevel level);
// The inverse of to_string; empty for any other word.
std::optional<LogLevel> parse_log_level(std::string_view word);

// What VYRE_LOG says, unless set_log_level was called. A word that is no level gives one warning
// and the default.
LogLevel log_level();
void set_log_level(LogLevel level);

// Writes one line if the level is told. `level` is not off.
void log_message(LogLevel level, std::string_view message);

// Who gets messages instead of the standard error. Called from any thread, by several at once.
// Empty: the standard error again. Returns when no thread is inside the sink that was set before.
using LogSink = std::function<void(LogLevel, std::string_view)>;
void set_log_sink(LogSink sink);

namespace log_detail {
inline constexpr std::uint8_t kUnread = 255;  // the environment was not looked at yet
inline std::atomic<std::uint8_t> current_level = kUnread;
LogLevel read_environment();
}  // namespace log_detail

// One relaxed load, once the environment was read.
inline bool log_enabled(LogLevel level) {
  const std::uint8_t current = log_detail::current_level.load(std::memory_order_relaxed);
  if (current == log_detail::kUnread) return level <= log_detail::read_environment();
  return static_cast<std::uint8_t>(level) <= current;
}

}  // namespace vyre

// VYRE_LOG(warn, "{} was ignored: {}", path, reason); formats as fmt::format does (the user of the
// macro includes <fmt/format.h>), and evaluates its arguments only if the level is told.
#define VYRE_LOG(level, ...)                                                    \
  do {                                                                          \
    if (::vyre::log_enabled(::vyre::LogLevel::level))                           \
      ::vyre::log_message(::vyre::LogLevel::level, ::fmt::format(__VA_ARGS__)); \
  } while (false)

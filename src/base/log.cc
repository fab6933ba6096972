#include "vyre/base/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "vyre/base/process/fork_watch.h"

namespace vyre {
namespace {

constexpr LogLevel kDefaultLevel = LogLevel::warn;
constexpr std::array kLevels = {LogLevel::off, LogLevel::error, LogLevel::warn, LogLevel::info,
                                LogLevel::debug};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::off: return spdlog::level::off;
    case LogLevel::error: return spdlog::level::err;
    case LogLevel::warn: return spdlog::level::warn;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::debug: return spdlog::level::debug;
  }
  return spdlog::level::off;
}

// Never destroyed: a message may come from a destructor of a static object.
std::shared_mutex& sink_mutex() {
  static auto* const instance = new std::shared_mutex;
  return *instance;
}

// A thread that is not in a child of fork(2) may have been writing.
void keep_usable_in_children() {
  static auto& console =
      *new ForkGuard<std::mutex>(spdlog::details::console_mutex::mutex(), HeldFor::work);
  static auto& sink = *new ForkGuard<std::shared_mutex>(sink_mutex(), HeldFor::work);
  static_cast<void>(console);
  static_cast<void>(sink);
}

// Never destroyed: a message may come from a destructor of a static object.
spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {
    auto* made = new spdlog::logger("vyre", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("vyre: %l: %v");
    made->set_level(spdlog::level::trace);  // the level is tested before
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

// Never destroyed, for the same reason.
LogSink& sink_in_use() {
  static auto* const instance = new LogSink;
  return *instance;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::off: return "off";
    case LogLevel::error: return "error";
    case LogLevel::warn: return "warn";
    case LogLevel::info: return "info";
    case LogLevel::debug: return "debug";
  }
  return "unknown";
}

std::optional<LogLevel> parse_log_level(std::string_view word) {
  for (const LogLevel level : kLevels) {
    if (to_string(level) == word) return level;
  }
  return std::nullopt;
}

LogLevel log_detail::read_environment() {
  const char* value = std::getenv("VYRE_LOG");
  const std::string_view word = value == nullptr ? "" : value;
  const auto parsed = parse_log_level(word);
  const LogLevel level = parsed.value_or(kDefaultLevel);
  std::uint8_t expected = kUnread;
  const bool first =
      current_level.compare_exchange_strong(expected, static_cast<std::uint8_t>(level));
  if (!first) return static_cast<LogLevel>(expected);
  if (!parsed && !word.empty()) {
    VYRE_LOG(warn, "VYRE_LOG is \"{}\", which is none of off, error, warn, info, debug; using {}",
             word, to_string(level));
  }
  return level;
}

LogLevel log_level() {
  const std::uint8_t level = log_detail::current_level.load(std::memory_order_relaxed);
  if (level == log_detail::kUnread) return log_detail::read_environment();
  return static_cast<LogLevel>(level);
}

void set_log_level(LogLevel level) {
  log_detail::current_level.store(static_cast<std::uint8_t>(level), std::memory_order_relaxed);
}

void set_log_sink(LogSink sink) {
  keep_usable_in_children();
  const std::unique_lock lock(sink_mutex());
  sink_in_use() = std::move(sink);
}

void log_message(LogLevel level, std::string_view message) {
  if (level == LogLevel::off || !log_enabled(level)) return;
  try {
    keep_usable_in_children();
    {
      const std::shared_lock lock(sink_mutex());
      if (sink_in_use()) return sink_in_use()(level, message);
    }
    logger().log(spdlog_level(level), spdlog::string_view_t(message.data(), message.size()));
  } catch (const std::exception&) {
    // There is no memory for the line.
  }
}

}  // namespace vyre

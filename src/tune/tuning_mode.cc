#include "vyre/tune/tuning_mode.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "vyre/base/log.h"

namespace vyre {
namespace {

struct Word {
  std::string_view text;
  TunerMode mode;
};

constexpr Word kWords[] = {
    {"on", TunerMode::sweep},
    {"natural", TunerMode::natural_gradient},
    {"ng", TunerMode::natural_gradient},
    {"off", TunerMode::cached_or_default},
    {"default", TunerMode::cached_or_default},
    {"frozen", TunerMode::frozen},
};

void warn_once(std::string_view word) {
  static std::atomic<bool> warned = false;
  if (warned.exchange(true)) return;
  VYRE_LOG(warn, "{}=\"{}\" is not a tuner mode (on, natural, off or frozen): taken as natural",
           kModeVariable, word);
}

}  // namespace

std::string_view wire_name(TunerMode mode) {
  switch (mode) {
    case TunerMode::sweep: return "on";
    case TunerMode::natural_gradient: return "natural_gradient";
    case TunerMode::cached_or_default: return "off_use_default";
    case TunerMode::frozen: return "frozen";
  }
  return "unknown";
}

std::string_view mode_word(TunerMode mode) {
  for (const Word& known : kWords) {
    if (known.mode == mode) return known.text;
  }
  return "unknown";
}

std::optional<TunerMode> mode_of_word(std::string_view word) {
  for (const Word& known : kWords) {
    if (known.text == word) return known.mode;
  }
  return std::nullopt;
}

std::expected<TunerMode, UnknownMode> parse_mode(std::string_view word) {
  if (const auto mode = mode_of_word(word)) return *mode;
  return std::unexpected(UnknownMode{std::string(word)});
}

TunerMode mode_from_environment() {
  const char* value = std::getenv(kModeVariable);
  if (value == nullptr || *value == '\0') return kProductionMode;
  if (const auto mode = mode_of_word(value)) return *mode;
  warn_once(value);
  return kProductionMode;
}

}  // namespace vyre

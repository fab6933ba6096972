#include "vyre/target/target.h"

#include <fmt/format.h>

namespace vyre {

std::string_view to_string(TargetKind kind) {
  switch (kind) {
    case TargetKind::host: return "host";
    case TargetKind::nvptx: return "nvptx";
  }
  return "unknown";
}

std::string to_string(const Target& target) {
  return fmt::format("{}:{}", to_string(target.kind), target.processor);
}

std::optional<Target> parse_target(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return std::nullopt;
  for (const TargetKind kind : {TargetKind::host, TargetKind::nvptx}) {
    if (text.substr(0, colon) == to_string(kind)) {
      return Target{.kind = kind, .processor = std::string(text.substr(colon + 1))};
    }
  }
  return std::nullopt;
}

}  // namespace vyre

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

}  // namespace vyre

#include "vyre/plan/code_check.h"

#include <fmt/format.h>

#include <optional>

namespace vyre {
namespace {

// Absent: nothing is known.
std::optional<Result<CodeFacts>> code_of(const LaunchRequest& request, const LaunchSpace& space,
                                         std::size_t candidate) {
  const LaunchCandidate& c = space.candidates[candidate];
  if (!request.code || c.kernel == kOtherKernels) return std::nullopt;
  return request.code(request.kernels[c.kernel].kernel, c.variant, space.largest);
}

}  // namespace

std::string why_not_loaded(const LaunchRequest& request, const LaunchSpace& space,
                           std::size_t candidate) {
  const auto code = code_of(request, space, candidate);
  return code && !*code ? code->error().what : std::string();
}

std::string why_not_guessed(const LaunchRequest& request, const LaunchSpace& space,
                            std::size_t candidate) {
  if (!space.declared || candidate == *space.declared) return {};
  const auto code = code_of(request, space, candidate);
  if (!code) return {};
  if (!*code) return code->error().what;
  const std::uint64_t spilled = (*code)->local_bytes;
  if (spilled == 0) return {};
  const auto declared = code_of(request, space, *space.declared);
  const bool is_better = declared && *declared && (*declared)->local_bytes == 0;
  return is_better ? spill_text(spilled, "the declared variant") : std::string();
}

std::string spill_text(std::uint64_t bytes, std::string_view others) {
  return fmt::format("its code keeps {} bytes a lane in memory, and that of {} none", bytes,
                     others);
}

}  // namespace vyre

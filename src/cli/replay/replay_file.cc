#include "vyre/cli/replay/replay_file.h"

#include <fmt/format.h>

#include "vyre/cli/gzip_file.h"

namespace vyre {

Result<RecordedSpace> read_recorded_space(const std::string& path) {
  VYRE_TRY(const std::string text, read_packed_file(path));
  auto space = parse_recorded_space(text);
  if (!space) space.error().what = fmt::format("{}: {}", path, space.error().what);
  return space;
}

}  // namespace vyre

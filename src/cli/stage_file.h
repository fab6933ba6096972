// A list of stages in a TOML file:
//
//   budget = "64KiB"      # optional
//   [[stage]]
//   id = 1                # optional: by default the position, from 0
//   name = "blur"         # optional
//   layout = "rgba8"      # a number from 0, or any text; "0x..." is a number. Optional: 0
//   input = "4KiB"        # bytes: a number, or a text with a unit
//   output = 4096
//   scratch = 512         # optional: 0 by default
//   host = true           # optional: false
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/fuse/launch_fusion.h"

namespace vyre {

struct StageFile {
  std::optional<std::uint64_t> budget;
  std::vector<FusionStage> stages;
  std::vector<std::string> names;    // empty where a stage has none
  std::vector<std::string> layouts;  // as written
};

// `name` is the file's, for errors.
Result<StageFile> parse_stages(std::string_view text, std::string_view name);

}  // namespace vyre

// Pipelines in TOML files:
//
//   vyre = 1
//   name = "edges"
//   [dims]
//   height = { of = "photo", axis = 0 }   # from the data
//   bins = 256                            # a default
//   [buffers]
//   photo = { type = "array<vec4<f32>>", shape = ["height", "width"], source = "photo.png" }
//   soft = { type = "array<f32>", shape = ["height", "width"] }   # temporary
//   edges = { type = "array<f32>", shape = ["height", "width"], sink = "edges.png" }
//   [uniforms.view]                       # by field: numbers, or expressions of dims
//   width = "width"
//   [[stage]]
//   name = "grey"                         # also the entry point, unless entry = "..." says another
//   file = "edges.wgsl"
//   size = ["width", "height"]            # invocations; or groups = [...], workgroups
//   bind = { image = "photo", out = "soft", view = "view" }
//   set = { RATE = 0.2 }                  # overrides
//   host = false                          # true: the host may look at what comes before
//
// Files are named as seen from the pipeline's own file.
#pragma once

#include <string_view>

#include "vyre/base/error.h"
#include "vyre/pipeline/pipeline.h"

namespace vyre {

// `name` is the file's, for errors, which name the line.
Result<Pipeline> parse_pipeline(std::string_view text, std::string_view name);

}  // namespace vyre

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
//   width = "width"                     # a vector: a list of them
//   [[stage]]
//   name = "grey"                         # also the entry point, unless entry = "..." says another
//   file = "edges.wgsl"
//   size = ["width", "height"]            # invocations; or groups = [...], workgroups
//   bind = { image = "photo", out = "soft", view = "view" }
//   set = { RATE = 0.2 }                  # overrides
//   host = false                          # true: the host may look at what comes before
//   [[stage]]
//   name = "smooth"
//   file = "edges.wgsl"
//   loop = "settle"                       # neighbouring stages may be one loop
//   groups = { from = "counts", offset = 0 }   # workgroups that a buffer holds
//   bind = { src = "soft", dst = "next", moved = "moved" }
//   [loops.settle]
//   most = 200                            # rounds
//   until = "moved == 0"                  # looked at after each round
//   clear = ["moved"]                     # before each round
//   swap = [["soft", "next"]]             # after each round the names change places
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

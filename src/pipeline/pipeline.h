// A pipeline as it is written: stages in order, joined by named buffers. Plain data; nothing is
// looked up or checked yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/specialise.h"

namespace vyre {

struct PipelineDim {
  std::string name;
  std::optional<std::uint64_t> value;  // a default
  std::string of;                      // or the buffer whose data have the size
  std::uint32_t axis = 0;              // on this axis
  std::uint32_t line = 0;              // of the file; 0 is none
};

struct PipelineBuffer {
  std::string name;
  std::string type;  // as WGSL spells it
  std::vector<std::string>
      shape;           // expressions of dims, the slowest axis first; empty: one element
  std::string source;  // as `vyre run --in` takes it
  std::string sink;    // as `vyre run --out` takes it
  std::uint32_t line = 0;
};

struct PipelineUniform {
  struct Field {
    std::string name;
    std::string expression;
    std::optional<double> number;  // instead of an expression
    std::uint32_t line = 0;
  };
  std::string name;
  std::vector<Field> fields;
  std::uint32_t line = 0;
};

struct PipelineStage {
  std::string name;
  std::string entry;
  std::string file;  // WGSL, beside the pipeline's file
  std::vector<std::string> size;
  bool in_workgroups = false;                             // `size` counts workgroups
  std::vector<std::pair<std::string, std::string>> bind;  // variable, buffer or uniform
  std::vector<OverrideValue> set;
  bool host = false;  // the host may look at what comes before
  std::uint32_t line = 0;
};

struct Pipeline {
  std::string name;
  std::string file;  // for messages
  std::vector<PipelineDim> dims;
  std::vector<PipelineBuffer> buffers;
  std::vector<PipelineUniform> uniforms;
  std::vector<PipelineStage> stages;
};

}  // namespace vyre

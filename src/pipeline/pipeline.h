// A pipeline as it is written, in a file or by a PipelineBuilder: stages in order, joined by named
// buffers. Plain data; nothing is looked up or checked yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"

namespace vyre {

struct PipelineDim {
  std::string name;
  std::optional<std::uint64_t> value;  // a default
  std::string of;                      // or the buffer whose data give the size
  std::uint32_t axis = 0;              // on this axis
  std::uint32_t line = 0;              // of the file; 0: there is no file
};

struct PipelineBuffer {
  std::string name;
  std::string type;                // as WGSL spells it
  std::vector<std::string> shape;  // expressions of dims, the slowest axis first; empty: one
                                   // element
  std::string source;              // as `vyre run --in` takes it
  std::string sink;                // as `vyre run --out` takes it
  bool given = false;              // the caller fills it, and it keeps its contents from run to run
  bool wanted = false;             // the caller reads it after a run
  std::uint32_t line = 0;
};

struct PipelineUniform {
  // A number, or an expression of dims.
  struct Value {
    std::string expression;
    std::optional<double> number;
  };
  struct Field {
    std::string name;
    std::vector<Value> values;  // one for each scalar of the field
    std::uint32_t line = 0;
  };
  std::string name;
  std::vector<Field> fields;
  std::uint32_t line = 0;
};

struct PipelineStage {
  // Three numbers of the type u32 in a buffer: the workgroups along x, y and z.
  struct GroupsFrom {
    std::string buffer;
    std::uint64_t offset = 0;  // in bytes
  };
  std::string name;
  // The kernel: an entry point of a file beside the pipeline's file, an entry point of a module, or
  // a finished kernel.
  std::string entry;
  std::string file;
  std::shared_ptr<const ParsedModule> module;
  std::optional<Kernel> kernel;
  std::vector<std::string> size;
  bool in_workgroups = false;                             // `size` counts workgroups
  std::optional<GroupsFrom> groups_from;                  // instead of `size`
  std::vector<std::pair<std::string, std::string>> bind;  // variable, buffer or uniform
  std::vector<OverrideValue> set;
  std::string loop;   // the loop that it is a part of; empty: none
  bool host = false;  // the host may look at what comes before
  std::uint32_t line = 0;
};

// Neighbouring stages that run again and again. One round clears the buffers of `clear`, runs the
// stages, tests the condition `until`, and exchanges the names of `swap`.
struct PipelineLoop {
  std::string name;
  std::string most;   // rounds; an expression of dims
  std::string until;  // "moved == 0"; empty: there are `most` rounds
  std::vector<std::string> clear;
  std::vector<std::pair<std::string, std::string>> swap;
  std::uint32_t line = 0;
};

struct Pipeline {
  std::string name;
  std::string file;  // for messages; empty: there is none
  std::vector<PipelineDim> dims;
  std::vector<PipelineBuffer> buffers;
  std::vector<PipelineUniform> uniforms;
  std::vector<PipelineStage> stages;
  std::vector<PipelineLoop> loops;
};

}  // namespace vyre

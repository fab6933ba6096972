// A pipeline with its sizes, kernels and data: everything is looked up and checked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/data/sink.h"
#include "vyre/data/source.h"
#include "vyre/fuse/fuse_kernels.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/pipeline/pipeline.h"

namespace vyre {

struct ReadyBuffer {
  std::string name;
  std::string type;                        // as WGSL spells it
  std::shared_ptr<const Program> program;  // that holds the type
  BufferLayout layout{};
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> shape;
  std::optional<DataSource> source;
  OpenedData opened;  // of the source
  std::optional<DataSink> sink;
  bool uniform = false;
  std::vector<std::byte> contents;  // of a uniform

  // Nothing fills it, and nobody reads it in the end.
  bool temporary() const { return !source && !sink && !uniform; }
  bool starts_empty() const { return !source && !uniform; }  // zeros when a run begins
  BufferData data() const { return {program->types, layout, name, type}; }
};

struct ReadyStage {
  std::string name;
  Kernel kernel;
  Extent extent{1, 1, 1};
  std::vector<StageBinding> bindings;
  bool host = false;

  bool writes(std::size_t buffer) const;
};

struct ReadyPipeline {
  std::string name;
  std::vector<std::pair<std::string, std::uint64_t>> dims;
  std::vector<ReadyBuffer> buffers;  // uniforms too
  std::vector<ReadyStage> stages;

  std::optional<std::size_t> find(std::string_view buffer) const;
};

struct ReadyOptions {
  std::vector<std::pair<std::string, std::uint64_t>> dims;  // instead of what the file says
  std::vector<std::pair<std::string, DataSource>> sources;
  std::vector<std::pair<std::string, DataSink>> sinks;
  // The text of a file that the pipeline names.
  std::function<Result<std::string>(const std::string& file)> read_file;
  // Where a file named by the pipeline lies.
  std::function<std::string(const std::string& file)> place;
  std::uint64_t most_bytes = UINT64_MAX;  // of one source
};

// Errors name the file, the line, the stage and the buffer.
Result<ReadyPipeline> make_ready(const Pipeline& pipeline, const ReadyOptions& options);

}  // namespace vyre

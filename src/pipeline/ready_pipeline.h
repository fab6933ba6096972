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
#include "vyre/pipeline/loop_condition.h"
#include "vyre/pipeline/pipeline.h"
#include "vyre/pipeline/swap_orders.h"
#include "vyre/wgsl/module.h"

namespace vyre {

struct ReadyBuffer {
  std::string name;
  std::string type;                        // as WGSL spells it
  std::shared_ptr<const Program> program;  // the program whose type table holds the type
  BufferLayout layout{};
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> shape;
  std::optional<DataSource> source;
  OpenedData opened;  // the opened source
  std::optional<DataSink> sink;
  bool given = false;   // the caller fills it
  bool wanted = false;  // the caller reads it after a run
  bool uniform = false;
  std::vector<std::byte> contents;  // of a uniform

  // Neither a source nor the caller fills it, and nobody reads it after a run.
  bool temporary() const { return starts_empty() && !sink && !wanted; }
  bool starts_empty() const { return !source && !given && !uniform; }  // zeros when a run begins
  // A source, a sink or the caller fills or reads it, so it has memory of its own.
  bool seen_outside() const { return !temporary() && !uniform; }
  BufferData data() const { return {program->types, layout, name, type}; }
};

// Where a grid is: three numbers of the type u32 in a buffer.
struct GridPlace {
  std::size_t buffer = 0;
  std::uint64_t offset = 0;
};

constexpr std::uint64_t kGridBytes = 12;

struct ReadyStage {
  std::string name;
  std::string place;  // for messages: "edges.toml:26", or the pipeline's name
  Kernel kernel;
  Extent extent{1, 1, 1};         // not known where the grid is in a buffer
  std::optional<GridPlace> grid;  // instead of the extent
  std::vector<StageBinding> bindings;
  std::optional<std::size_t> loop;
  bool host = false;

  bool writes(std::size_t buffer) const;
};

struct ReadyLoop {
  std::string name;
  std::size_t first_stage = 0;
  std::size_t stage_count = 0;
  std::uint64_t most = 1;  // rounds
  std::optional<LoopCondition> until;
  std::string until_text;  // as it is written
  std::vector<std::size_t> clear;
  std::vector<std::pair<std::size_t, std::size_t>> swap;

  bool clears(std::size_t buffer) const;
};

struct ReadyPipeline {
  std::string name;
  std::vector<std::pair<std::string, std::uint64_t>> dims;
  std::vector<ReadyBuffer> buffers;  // uniforms too
  std::vector<ReadyStage> stages;
  std::vector<ReadyLoop> loops;
  std::vector<SwapGroup> swap_groups;  // of the loops' swaps

  std::optional<std::size_t> find(std::string_view buffer) const;
  // The group of a buffer that changes places; null: it stays where it is.
  const SwapGroup* swap_group(std::size_t buffer) const;
};

struct ReadyOptions {
  std::vector<std::pair<std::string, std::uint64_t>>
      dims;  // the values of dims, instead of those in the file
  std::vector<std::pair<std::string, DataSource>> sources;
  std::vector<std::pair<std::string, DataSink>> sinks;
  // The text of a file that the pipeline names; empty: the file at its place is read.
  std::function<Result<std::string>(const std::string& file)> read_file;
  // Where a file named by the pipeline lies; empty: its name is its path.
  std::function<std::string(const std::string& file)> place;
  std::uint64_t most_bytes = UINT64_MAX;  // the most bytes of one source
  ParseOptions parse;                     // how the stages' files are parsed
  // Called once for each WGSL file that was read, so that its warnings can be shown; may be empty.
  std::function<void(const ParsedModule&)> on_module;
};

// Errors name the file, the line, the stage and the buffer.
Result<ReadyPipeline> make_ready(const Pipeline& pipeline, const ReadyOptions& options);

}  // namespace vyre

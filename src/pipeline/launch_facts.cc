#include "vyre/pipeline/launch_facts.h"

namespace vyre {

const StageBinding* binding_of(const Global& global, std::span<const StageBinding> bindings) {
  if (global.memory != MemoryKind::storage && global.memory != MemoryKind::uniform) return nullptr;
  for (const StageBinding& b : bindings) {
    if (global.group == b.group && global.binding == b.binding) return &b;
  }
  return nullptr;
}

LaunchFacts launch_facts(const ReadyPipeline& pipeline, const Program& program,
                         const Extent& extent, std::span<const StageBinding> bindings,
                         const ContentsOf& contents_of) {
  LaunchFacts facts{.extent = extent, .workgroup = program.workgroup, .buffers = {}};
  for (const Global& global : program.globals) {
    BufferFacts& known = facts.buffers.emplace_back();
    const StageBinding* bound = binding_of(global, bindings);
    if (bound == nullptr) continue;
    known = {.identity = static_cast<std::uint32_t>(bound->buffer),
             .bytes = pipeline.buffers[bound->buffer].bytes,
             .contents = contents_of(bound->buffer),
             .written = !pipeline.buffers[bound->buffer].uniform};
  }
  return facts;
}

}  // namespace vyre

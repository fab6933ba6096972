#include "random_pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "random_stages.h"
#include "support/random.h"

namespace vyre {
namespace {

constexpr const char* kChoose = R"(
@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> grid: array<u32>;
@compute @workgroup_size(1) fn choose() {
  grid[1] = atomicLoad(&counts[1]) % 4u;
  grid[2] = 1u;
  grid[3] = 1u + atomicLoad(&counts[2]) % 2u;
}
)";
constexpr const char* kMark = R"(
@group(0) @binding(0) var<storage, read_write> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@compute @workgroup_size(4) fn mark(@builtin(global_invocation_id) id: vec3<u32>,
                                    @builtin(num_workgroups) n: vec3<u32>) {
  atomicAdd(&counts[3], 1u);
  if (id.z == 0 && id.x < arrayLength(&b0)) { b0[id.x] = f32(n.x + n.z) - b0[id.x]; }
}
)";

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed), staged_(random_chain(seed)) {}

  RandomPipeline make() {
    out_.pipeline.name = "random";
    for (const KernelStage& stage : staged_.kernels()) add_stage(stage);
    if (random_.chance(0.3)) add_grid();
    for (int loops = random_.between(-1, 2); loops > 0; --loops) add_loop();
    for (PipelineStage& s : out_.pipeline.stages) s.host = random_.chance(0.07);
    add_buffers();
    out_.text = staged_.text() + describe();
    return std::move(out_);
  }

 private:
  Staged random_chain(std::uint64_t seed) {
    return random_stages(seed, random_.chance(0.5) ? random_.between(2, 3) : random_.between(4, 9));
  }

  void add_stage(const KernelStage& stage) {
    PipelineStage& out = out_.pipeline.stages.emplace_back();
    out.name = fmt::format("{} {}", stage.name, out_.pipeline.stages.size());
    out.kernel = *stage.kernel;
    for (const std::uint32_t axis : stage.extent) out.size.push_back(std::to_string(axis));
    const Program& program = *stage.kernel->program;
    for (const Global& g : program.globals) {
      for (const StageBinding& b : stage.bindings) {
        if (b.group != g.group || b.binding != g.binding) continue;
        if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
        out.bind.emplace_back(g.name, staged_.buffers()[b.buffer].name);
      }
    }
  }

  // One stage writes the grid of another, both somewhere.
  void add_grid() {
    PipelineStage choose = of_text(kChoose, "choose");
    choose.size = {"1"};
    choose.bind = {{"counts", "counts"}, {"grid", "grid"}};
    PipelineStage mark = of_text(kMark, "mark");
    mark.groups_from = PipelineStage::GroupsFrom{"grid", 4};
    mark.bind = {{"b0", "b0"}, {"counts", "counts"}};
    auto& stages = out_.pipeline.stages;
    const std::size_t first = random_.below(stages.size() + 1);
    stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(first), choose);
    const std::size_t second = first + 1 + random_.below(stages.size() - first);
    stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(second), mark);
    has_grid_ = true;
  }
  static PipelineStage of_text(const char* text, const char* name) {
    PipelineStage out;
    out.name = name;
    out.entry = name;
    out.module = std::make_shared<const ParsedModule>(parse_wgsl(text, name));
    return out;
  }

  void add_loop() {
    auto& stages = out_.pipeline.stages;
    const std::size_t first = random_.below(stages.size());
    const std::size_t count = 1 + random_.below(std::min<std::size_t>(4, stages.size() - first));
    const auto inside = std::span(stages).subspan(first, count);
    if (std::ranges::any_of(inside, [](const PipelineStage& s) { return !s.loop.empty(); })) return;
    PipelineLoop& loop = out_.pipeline.loops.emplace_back();
    loop.name = fmt::format("loop {}", out_.pipeline.loops.size());
    for (PipelineStage& s : inside) s.loop = loop.name;
    loop.most = std::to_string(random_.between(1, 4));
    if (random_.chance(0.3)) {
      loop.until = random_.of({"counts[1] > 20", "counts[2] != 3", "b1[0] > 1.5", "b0 < 0"});
    }
    for (const FusedBuffer& b : staged_.buffers()) {
      if (b.contents.empty() && random_.chance(0.12)) loop.clear.push_back(b.name);
    }
    for (int swaps = random_.below(3); swaps > 0; --swaps) {
      const FusedBuffer& a = random_.of(staged_.buffers());
      const FusedBuffer& b = random_.of(staged_.buffers());
      const bool floats = a.name.starts_with("b") && b.name.starts_with("b");
      if (floats && a.name != b.name && a.bytes == b.bytes) loop.swap.emplace_back(a.name, b.name);
    }
  }

  bool is_used(const std::string& name) const {
    const auto binds = [&](const PipelineStage& s) {
      return std::ranges::any_of(s.bind, [&](const auto& b) { return b.second == name; });
    };
    const auto names = [&](const PipelineLoop& l) {
      const auto swaps = [&](const auto& s) { return s.first == name || s.second == name; };
      return std::ranges::find(l.clear, name) != l.clear.end() || l.until.starts_with(name) ||
             std::ranges::any_of(l.swap, swaps);
    };
    return std::ranges::any_of(out_.pipeline.stages, binds) ||
           std::ranges::any_of(out_.pipeline.loops, names);
  }
  // Whether the first stage that binds the buffer writes it, so that nothing else needs to fill it.
  bool is_written_first(const std::string& name) const {
    for (const PipelineStage& s : out_.pipeline.stages) {
      for (const auto& [variable, buffer] : s.bind) {
        if (buffer != name) continue;
        const Kernel kernel = s.kernel ? *s.kernel : *s.module->kernel(s.entry, {});
        const auto at = std::ranges::find(kernel.program->globals, variable, &Global::name);
        return at->access != Access::read;
      }
    }
    return false;
  }

  void add_buffers() {
    for (const FusedBuffer& b : staged_.buffers()) {
      if (!is_used(b.name)) continue;
      if (!b.contents.empty()) {
        add_uniform(b);
        continue;
      }
      PipelineBuffer& out = out_.pipeline.buffers.emplace_back();
      out.name = b.name;
      out.type = b.name == "counts" ? "array<atomic<u32>>" : "array<f32>";
      out.shape = {std::to_string(b.bytes / 4)};
      out.wanted = !b.reads_as_zero;
      // What nobody fills begins with zeros at each run: a temporary, or an output.
      const bool ends_a_loop = std::ranges::any_of(
          out_.pipeline.loops, [&](const PipelineLoop& l) { return l.until.starts_with(b.name); });
      if (ends_a_loop || !is_written_first(b.name) || (!b.reads_as_zero && random_.chance(0.7))) {
        out.source = b.name == "counts" ? "fill:iota" : fmt::format("fill:random={}", b.bytes);
      }
    }
    if (!has_grid_) return;
    PipelineBuffer& grid = out_.pipeline.buffers.emplace_back();
    grid.name = "grid";
    grid.type = "array<u32>";
    grid.shape = {"4"};
    grid.wanted = random_.chance(0.5);
  }
  void add_uniform(const FusedBuffer& b) {
    PipelineUniform& out = out_.pipeline.uniforms.emplace_back();
    out.name = b.name;
    for (std::size_t i = 0; i < b.contents.size() / 4; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, b.contents.data() + 4 * i, 4);
      out.fields.push_back(
          {.name = std::string(1, "xyzw"[i]), .values = {{"", static_cast<double>(word)}}});
    }
  }

  std::string describe() const {
    std::string out;
    for (const PipelineStage& s : out_.pipeline.stages) {
      out += fmt::format("// stage {}{}{}\n", s.name, s.loop.empty() ? "" : " in " + s.loop,
                         s.host ? ", the host looks before it" : "");
    }
    for (const PipelineLoop& l : out_.pipeline.loops) {
      out += fmt::format("// {}: most {}, until '{}', clear {}, swap {}\n", l.name, l.most, l.until,
                         l.clear, l.swap);
    }
    for (const PipelineBuffer& b : out_.pipeline.buffers) {
      out += fmt::format("// {}: {} elements, source '{}'{}\n", b.name, b.shape[0], b.source,
                         b.wanted ? ", wanted" : "");
    }
    return out;
  }

  Random random_;
  Staged staged_;
  RandomPipeline out_;
  bool has_grid_ = false;
};

}  // namespace

RandomPipeline random_pipeline(std::uint64_t seed) { return Maker(seed).make(); }

}  // namespace vyre

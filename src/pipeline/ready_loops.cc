#include <limits>

#include "vyre/pipeline/ready_internal.h"
#include "vyre/pipeline/type_views.h"

namespace vyre {
namespace {

constexpr std::size_t kMostOrders = 24;  // the most orders of a group of buffers that change places

class LoopFinder : ReadyPart {
 public:
  LoopFinder(const Pipeline& pipeline, ReadyPipeline& out) : ReadyPart(pipeline, out) {}

  Result<void> find() {
    for (const PipelineLoop& l : pipeline_.loops) VYRE_CHECK(find_loop(l));
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      const PipelineStage& stage = pipeline_.stages[s];
      if (stage.loop.empty() || out_.stages[s].loop) continue;
      if (named(pipeline_.loops, stage.loop) == nullptr) {
        return bad(stage.line,
                   fmt::format("stage '{}': there is no loop '{}'", stage.name, stage.loop),
                   advice(stage.loop, names_of(pipeline_.loops)));
      }
      return bad(stage.line,
                 fmt::format("the stages of the loop '{}' are not neighbours: '{}' is apart",
                             stage.loop, stage.name));
    }
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> swaps;
    for (const ReadyLoop& l : out_.loops) swaps.push_back(l.swap);
    auto groups = find_swap_groups(swaps, kMostOrders);
    if (!groups) return bad(pipeline_.loops.front().line, "swap", groups.error());
    out_.swap_groups = *std::move(groups);
    return {};
  }

 private:
  Result<void> find_loop(const PipelineLoop& l) {
    const std::string about = fmt::format("loop '{}'", l.name);
    ReadyLoop out;
    out.name = l.name;
    out.until_text = l.until;
    const auto first = std::ranges::find(pipeline_.stages, l.name, &PipelineStage::loop);
    if (first == pipeline_.stages.end()) {
      return bad(l.line, fmt::format("no stage is in the {}", about),
                 fmt::format("add loop = \"{}\" to its stages", l.name));
    }
    out.first_stage = static_cast<std::size_t>(first - pipeline_.stages.begin());
    for (std::size_t s = out.first_stage;
         s < pipeline_.stages.size() && pipeline_.stages[s].loop == l.name; ++s) {
      out_.stages[s].loop = out_.loops.size();
      ++out.stage_count;
    }
    auto most = evaluate_size(l.most, find_dim(), std::numeric_limits<std::uint32_t>::max());
    if (!most) return bad(l.line, about, most.error());
    out.most = *most;
    for (const std::string& name : l.clear) {
      VYRE_TRY(const std::size_t buffer, storage(l.line, fmt::format("{}: clear", about), name));
      out.clear.push_back(buffer);
    }
    for (const auto& [a, b] : l.swap) VYRE_CHECK(find_swap(l, a, b, out));
    VYRE_CHECK(find_condition(l, out));
    out_.loops.push_back(std::move(out));
    return {};
  }

  Result<void> find_swap(const PipelineLoop& l, const std::string& a, const std::string& b,
                         ReadyLoop& out) const {
    const std::string about = fmt::format("loop '{}': swap", l.name);
    VYRE_TRY(const std::size_t one, storage(l.line, about, a));
    VYRE_TRY(const std::size_t other, storage(l.line, about, b));
    if (one == other) return bad(l.line, fmt::format("{}: '{}' with itself", about, a));
    const ReadyBuffer& x = out_.buffers[one];
    const ReadyBuffer& y = out_.buffers[other];
    if (x.bytes != y.bytes || x.layout.stride != y.layout.stride ||
        first_difference(x.program->types, x.layout.type, y.program->types, y.layout.type,
                         x.bytes)) {
      return bad(l.line,
                 fmt::format("{}: '{}' has {} bytes ({}), and '{}' has {} bytes ({})", about, a,
                             x.bytes, x.type, b, y.bytes, y.type),
                 "buffers that change places have the same type and size");
    }
    out.swap.emplace_back(one, other);
    return {};
  }

  Result<void> find_condition(const PipelineLoop& l, ReadyLoop& out) const {
    if (l.until.empty()) return {};
    const std::string about = fmt::format("loop '{}'", l.name);
    auto text = parse_condition(l.until);
    if (!text) return bad(l.line, about, text.error());
    VYRE_TRY(const std::size_t buffer,
             storage(l.line, fmt::format("{}: until", about), text->buffer));
    const ReadyBuffer& b = out_.buffers[buffer];
    const auto kind = b.program->types.scalar_kind(b.layout.element);
    if (!kind || b.program->types.component_count(b.layout.element) != 0) {
      return bad(l.line, fmt::format("{}: until: '{}' is {}, not a number or an array of numbers",
                                     about, b.name, b.type));
    }
    if (text->index >= b.layout.elements_in(b.bytes)) {
      return bad(l.line, fmt::format("{}: until: '{}' has {} elements, and no element {}", about,
                                     b.name, b.layout.elements_in(b.bytes), text->index));
    }
    double number = text->number;
    if (*kind == ScalarKind::f32) number = static_cast<float>(number);
    if (*kind == ScalarKind::f16) number = f16_to_float(double_to_f16(number));
    out.until = LoopCondition{.buffer = buffer,
                              .offset = b.layout.header_bytes + text->index * b.layout.stride,
                              .kind = *kind,
                              .compare = text->compare,
                              .number = number};
    return {};
  }
};

}  // namespace

Result<void> find_loops(const Pipeline& pipeline, ReadyPipeline& out) {
  return LoopFinder(pipeline, out).find();
}

}  // namespace vyre

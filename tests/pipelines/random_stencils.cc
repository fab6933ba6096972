#include "random_stencils.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "support/random.h"

namespace vyre {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  RandomPipeline make() {
    out_.pipeline.name = "stencils";
    width_ = random_.between(4, 40);
    height_ = random_.between(16, 70);
    if (random_.chance(0.25)) {
      depth_ = random_.between(8, 40);
      width_ = random_.between(1, 9);
      height_ = random_.between(1, 9);
    }
    if (random_.chance(0.15)) width_ = 1;
    add_uniform();
    const int stages = random_.between(2, 8);
    for (int s = 0; s < stages; ++s) add_stage(s);
    if (random_.chance(0.4)) add_loop();
    for (PipelineStage& s : out_.pipeline.stages) s.host = random_.chance(0.04);
    add_buffers();
    out_.text = kHead + std::string(depth_ > 1 ? kDeep : kFlat) + text_;
    const auto module = std::make_shared<const ParsedModule>(parse_wgsl(out_.text, "stencils"));
    for (PipelineStage& s : out_.pipeline.stages) s.module = module;
    out_.text += fmt::format("// {} x {} x {}\n", width_, height_, depth_);
    for (const PipelineStage& s : out_.pipeline.stages) {
      out_.text += fmt::format("// {}{}{}:", s.name, s.loop.empty() ? "" : " in a loop",
                               s.host ? ", the host looks" : "");
      for (const auto& [variable, buffer] : s.bind) {
        out_.text += fmt::format(" {}={}", variable, buffer);
      }
      out_.text += "\n";
    }
    return std::move(out_);
  }

 private:
  static constexpr const char* kHead = R"(
struct View { width: u32, height: u32, depth: u32, shift: i32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
)";
  static constexpr const char* kFlat = R"(
fn at(x: u32, y: u32) -> u32 { return y * view.width + x; }
)";
  static constexpr const char* kDeep = R"(
var<private> z: u32;
fn at(x: u32, y: u32) -> u32 { return (z * view.height + y) * view.width + x; }
fn layer(d: i32) -> u32 { return u32(clamp(i32(z) + d, 0, i32(view.depth) - 1)) * view.height; }
)";
  static constexpr int kPictures = 4;

  std::string picture() { return fmt::format("p{}", random_.below(kPictures)); }

  // An index next to (x, y), by one of the ways in which people write that.
  std::string neighbour() {
    const int dx = random_.between(-2, 2);
    const int dy = random_.between(-2, 2);
    switch (random_.below(depth_ > 1 ? 9 : 7)) {
      case 6: return "at(x, u32(clamp(i32(y) + view.shift, 0, i32(view.height) - 1)))";
      case 7: return fmt::format("(layer({}) + y) * view.width + x", dy);
      case 8: return "(layer(view.shift) + y) * view.width + x";
      case 0:
        return fmt::format("at(min(x + {}u, view.width - 1u), min(y + {}u, view.height - 1u))",
                           std::abs(dx), std::abs(dy));
      case 1: return fmt::format("at(x, max(y, {}u) - {}u)", std::abs(dy), std::abs(dy));
      case 2: return fmt::format("at(x, (y + {}u) % view.height)", std::abs(dy));
      case 3:
        return fmt::format("at(x, select(y, y + 1u, y + 1u < view.height)) + {}u", std::abs(dx));
      default:
        return fmt::format(
            "at(u32(clamp(i32(x) + {}, 0, i32(view.width) - 1)), "
            "u32(clamp(i32(y) + {}, 0, i32(view.height) - 1)))",
            dx, dy);
    }
  }

  void add_stage(int number) {
    PipelineStage& stage = out_.pipeline.stages.emplace_back();
    stage.name = fmt::format("s{}", number);
    stage.entry = stage.name;
    stage.size = {std::to_string(width_), std::to_string(height_)};
    if (depth_ > 1) stage.size.push_back(std::to_string(depth_));
    std::string from = picture();
    std::string to = picture();
    while (to == from) to = picture();
    std::string body;
    const char* guard = "if (x >= view.width || y >= view.height) { return; }";
    bool counts = false;
    bool reads = true;
    switch (random_.below(10)) {
      case 0:  // in place
        body = fmt::format("dst[at(x, y)] = fract(dst[at(x, y)] * {}.5 + 0.25);",
                           random_.between(1, 3));
        reads = false;
        break;
      case 1:  // counts what it sees
        body = fmt::format("atomic{}(&counts[u32(src[at(x, y)] * 8.0)], {});",
                           random_.chance(0.8) ? "Add" : "Max", random_.chance(0.5) ? "1u" : "y");
        counts = true;
        break;
      case 2:  // upside down
        body = "dst[at(x, view.height - 1u - y)] = src[at(x, y)] * 0.75;";
        break;
      case 3:  // inside alone: the border keeps its contents
        guard =
            "if (x < 1u || y < 1u || x + 1u >= view.width || y + 1u >= view.height) { return; }";
        body =
            "let i = at(x, y); dst[i] = fract(0.3 * (src[i - 1u] + src[i + 1u] + "
            "src[i - view.width] + src[i + view.width]));";
        break;
      case 4:  // a loop around the rows
        body = fmt::format(
            "var sum = 0.1; for (var d = -{}; d <= 1; d += 1) {{ sum += "
            "src[at(x, u32(clamp(i32(y) + d, 0, i32(view.height) - 1)))]; }} "
            "dst[at(x, y)] = fract(sum);",
            random_.between(0, 3));
        break;
      case 5:  // every second row and column
        stage.size = {std::to_string((width_ + 1) / 2), std::to_string((height_ + 1) / 2)};
        if (depth_ > 1) stage.size.push_back(std::to_string(depth_));
        guard = "if (x >= view.width / 2u || y >= view.height / 2u) { return; }";
        body = "dst[at(x, y)] = 0.5 * (src[at(2u * x, 2u * y)] + src[at(2u * x, 2u * y + 1u)]);";
        break;
      case 6:  // a line after the other
        stage.size = {std::to_string(width_ * height_ * depth_)};
        guard = "if (x >= view.width * view.height * view.depth) { return; }";
        body = fmt::format(
            "dst[x] = fract(src[min(x + {}u, arrayLength(&src) - 1u)] + "
            "src[max(x, {}u) - {}u] * 0.5);",
            random_.below(50), 7, 7);
        break;
      default: {
        body = "var sum = 0.05;";
        for (int n = random_.between(1, 4); n > 0; --n) {
          body += fmt::format(" sum += src[{}] * 0.{};", neighbour(), random_.between(1, 9));
        }
        body +=
            random_.chance(0.2) ? " dst[at(x, y)] += fract(sum);" : " dst[at(x, y)] = fract(sum);";
      }
    }
    const bool is_line = stage.size.size() == 1;
    text_ += fmt::format(
        "@compute @workgroup_size({}) fn s{}(@builtin(global_invocation_id) id: vec3<u32>) {{\n"
        "  let x = id.x; let y = id.y;{}\n  {}\n  {}\n}}\n",
        is_line      ? random_.of({"32", "7", "64", "1"})
        : depth_ > 1 ? random_.of({"4, 2, 2", "1, 3, 1", "8, 1, 3", "2, 2, 1"})
                     : random_.of({"8, 4", "4, 2", "3, 5", "16, 1", "1, 1"}),
        number, depth_ > 1 ? " z = id.z;" : "", guard, body);
    stage.bind.emplace_back("view", "view");
    if (reads) stage.bind.emplace_back("src", from);
    stage.bind.emplace_back(counts ? "counts" : "dst", counts ? "counts" : to);
  }

  void add_loop() {
    auto& stages = out_.pipeline.stages;
    const std::size_t first = random_.below(stages.size());
    const std::size_t count = 1 + random_.below(std::min<std::size_t>(3, stages.size() - first));
    PipelineLoop& loop = out_.pipeline.loops.emplace_back();
    loop.name = "again";
    loop.most = std::to_string(random_.between(2, 6));
    for (std::size_t s = first; s < first + count; ++s) stages[s].loop = loop.name;
    if (random_.chance(0.7)) loop.swap.emplace_back("p0", "p1");
    if (random_.chance(0.2)) loop.clear.emplace_back(picture());
  }

  void add_uniform() {
    PipelineUniform& view = out_.pipeline.uniforms.emplace_back();
    view.name = "view";
    view.fields = {{.name = "width", .values = {{"", static_cast<double>(width_)}}},
                   {.name = "height", .values = {{"", static_cast<double>(height_)}}},
                   {.name = "depth", .values = {{"", static_cast<double>(depth_)}}},
                   {.name = "shift", .values = {{"", 1}}}};
    for (const std::int32_t shift : {-3, 1, 0}) {
      const std::array<std::int32_t, 4> contents{width_, height_, depth_, shift};
      const auto bytes = std::as_bytes(std::span(contents));
      out_.changes.emplace_back("view", std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
  }

  void add_buffers() {
    const auto uses = [&](const std::string& name) {
      const auto binds = [&](const PipelineStage& s) {
        return std::ranges::any_of(s.bind, [&](const auto& b) { return b.second == name; });
      };
      const bool changes = std::ranges::any_of(out_.pipeline.loops, [&](const PipelineLoop& l) {
        return std::ranges::find(l.clear, name) != l.clear.end() ||
               std::ranges::any_of(
                   l.swap, [&](const auto& s) { return s.first == name || s.second == name; });
      });
      return changes || std::ranges::any_of(out_.pipeline.stages, binds);
    };
    const auto is_written_first = [&](const std::string& name) {
      for (const PipelineStage& s : out_.pipeline.stages) {
        for (const auto& [variable, buffer] : s.bind) {
          if (buffer == name) return variable == "dst";
        }
      }
      return false;
    };
    for (int p = 0; p < kPictures; ++p) {
      const std::string name = fmt::format("p{}", p);
      if (!uses(name)) continue;
      PipelineBuffer& out = out_.pipeline.buffers.emplace_back();
      out.name = name;
      out.type = "array<f32>";
      out.shape = {std::to_string(depth_), std::to_string(height_), std::to_string(width_)};
      if (!is_written_first(name) || random_.chance(0.4)) {
        out.source = fmt::format("fill:random={}", p + 1);
      }
      out.wanted = random_.chance(0.6);
    }
    if (!uses("counts")) return;
    PipelineBuffer& counts = out_.pipeline.buffers.emplace_back();
    counts.name = "counts";
    counts.type = "array<atomic<u32>>";
    counts.shape = {"8"};
    counts.wanted = true;
  }

  Random random_;
  int width_ = 0, height_ = 0, depth_ = 1;
  std::string text_;
  RandomPipeline out_;
};

}  // namespace

RandomPipeline random_stencils(std::uint64_t seed) { return Maker(seed).make(); }

}  // namespace vyre

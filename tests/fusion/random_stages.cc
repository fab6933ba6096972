#include "random_stages.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "support/random.h"

namespace vyre {
namespace {

class Chain {
 public:
  explicit Chain(std::uint64_t seed) : random_(seed) {}

  Staged make(int stages) {
    cooperative_ = random_.chance(0.25);
    flat_ = cooperative_ || random_.chance(0.6);
    subgroups_ = random_.chance(0.2);
    width_ = flat_ ? random_.between(1, 150) : random_.between(1, 14);
    height_ = flat_ ? 1 : random_.between(1, 9);
    if (cooperative_) {
      rows_ = random_.between(1, 6);
      row_ = random_.between(1, 40);
      width_ = rows_ * row_;
    }
    const int elements = width_ * height_;
    for (int b = 0; b < kBuffers; ++b) {
      int size = elements;
      if (random_.chance(0.25)) size = random_.between(1, elements + 20);
      const std::string name = fmt::format("b{}", b);
      if (b >= 2 && random_.chance(0.6)) {
        out_.temporary(name, static_cast<std::size_t>(size) * 4);
      } else {
        out_.floats(name, static_cast<std::size_t>(size));
      }
    }
    common_ = any_key();
    gathers_ = random_.chance(0.3) ? 0.5 : 0.06;
    out_.words("counts", {1, 2, 3, 4});
    const auto w = static_cast<std::uint32_t>(width_);
    const auto h = static_cast<std::uint32_t>(height_);
    out_.uniform("u0", {w, h, static_cast<std::uint32_t>(elements), 2});
    // Often the same contents, sometimes others.
    const std::uint32_t other = random_.chance(0.8) ? w : w + 1;
    out_.uniform("u1", {other, h, static_cast<std::uint32_t>(random_.between(1, elements + 3)), 3});
    if (stages == 0) stages = random_.between(2, 4);
    for (int s = 0; s < stages; ++s) {
      if (cooperative_ && random_.chance(0.6)) {
        cooperative_stage();
      } else {
        stage();
      }
    }
    return std::move(out_);
  }

 private:
  static constexpr int kBuffers = 6;

  std::string any_buffer() { return fmt::format("b{}", random_.below(kBuffers)); }

  // ---- Text of one stage

  std::string use(const std::string& buffer, bool write = false) {
    used_.insert(buffer);
    if (write) written_.insert(buffer);
    return buffer;
  }
  std::string uniform() { return random_.chance(0.7) ? "u0" : "u1"; }

  // An index of its own for each invocation: `guard` is what must hold for that.
  struct Key {
    std::string index;
    std::string guard;
  };
  Key key() { return random_.chance(0.85) ? common_ : any_key(); }
  Key any_key() {
    if (!flat_) {
      switch (random_.below(6)) {
        case 0: return {"id.y * " + std::to_string(width_) + " + id.x", ""};
        case 1: return {"id.x + " + uniform() + ".x * id.y", "id.x < u0.x"};
        case 2: return {"cell(id.xy)", "id.x < u0.x && id.y < u0.y"};
        case 3: return {"u32(p.y * i32(u0.x) + p.x)", "id.x < u0.x"};
        case 4: return {"id.x * " + std::to_string(height_) + " + id.y", ""};
        default: return {"i", ""};
      }
    }
    switch (random_.below(14)) {
      case 0: return {"i * 2 + 1", ""};
      case 1: return {"i + 3", ""};
      case 2: return {fmt::format("{}u - i", width_ + 2), ""};
      case 3: return {"i / 2", "i % 2 == 0"};
      case 4: return {"(i ^ 1u)", ""};
      case 5: return {fmt::format("(i + 3) % {}u", width_), ""};
      case 6: return {"u32(p.x)", ""};
      case 7: return {"own", ""};
      default: return {"i", ""};
    }
  }

  // A place anywhere.
  std::string place(const std::string& buffer) {
    switch (random_.below(8)) {
      case 0: return "i + 1";
      case 1: return "i - 1";
      case 2: return fmt::format("clamp(p.x + 1, 0, i32(arrayLength(&{})) - 1)", buffer);
      case 3: return std::to_string(random_.below(5));
      case 4:
        if (keys_.contains("b0")) return "i / 4";  // another invocation may be writing b0[i]
        return fmt::format("u32(abs({}[i])) % 7", use("b0"));
      case 5: return "i / 3";
      default: return "i";
    }
  }

  // The value at a place of a buffer; only its own key where the stage writes the buffer.
  std::string read() {
    const std::string buffer = any_buffer();
    const auto own = keys_.find(buffer);
    if (own != keys_.end()) {
      return own->second.guard.empty() ? fmt::format("{}[{}]", use(buffer), own->second.index)
                                       : std::string("1.5");
    }
    use(buffer);
    if (random_.chance(gathers_)) return fmt::format("{}[{}]", buffer, place(buffer));
    const Key k = key();
    if (random_.chance(0.1)) return fmt::format("take(&{}, {})", buffer, k.index);
    return fmt::format("{}[{}]", buffer, k.index);
  }

  std::string value(int depth) {
    if (depth == 0 || random_.chance(0.3)) {
      return random_.chance(0.75) ? read() : fmt::format("{}.5", random_.between(-3, 9));
    }
    const std::string a = value(depth - 1);
    if (subgroups_ && random_.chance(0.25)) return exchange(a);
    const std::string b = value(depth - 1);
    switch (random_.below(7)) {
      case 0: return fmt::format("({} + {})", a, b);
      case 1: return fmt::format("({} - {})", a, b);
      case 2: return fmt::format("({} * {})", a, b);
      case 3: return fmt::format("min({}, {})", a, b);
      case 4: return fmt::format("select({}, {}, {} > 2)", a, b, a);
      case 5: return fmt::format("fma({}, 0.5, {})", a, b);
      default: return fmt::format("floor({})", a);
    }
  }

  // A value that depends on what the other lanes have, and on which of them are active.
  std::string exchange(const std::string& value) {
    const char* const call =
        random_.of({"subgroupAdd", "subgroupMax", "subgroupExclusiveAdd", "subgroupBroadcastFirst",
                    "subgroupShuffleXor", "subgroupShuffleDown", "quadSwapDiagonal"});
    const bool by_distance = std::string_view(call).starts_with("subgroupShuffle");
    return fmt::format("{}({}{})", call, value, by_distance ? ", 1" : "");
  }

  std::string guard() {
    switch (random_.below(9)) {
      case 0: return fmt::format("if (i >= arrayLength(&{})) {{ return; }}\n", use(any_buffer()));
      case 1: return "if (i >= " + uniform() + ".z) { return; }\n";
      case 2: return "if (i % 3 == 1) { return; }\n";
      case 3: return "if (id.x >= u0.x || id.y >= u0.y) { return; }\n";
      case 4: {
        // The result of a read ends some invocations.
        return fmt::format("if ({} > 2) {{ return; }}\n", read());
      }
      case 5:
        return fmt::format(
            "for (var k = 0u; k < 4; k += 1) {{ if (k * 7 == i % 20) {{ return; }} }}\n");
      default: return "";
    }
  }

  std::string store(const std::string& buffer) {
    const Key& k = keys_.at(buffer);
    const std::string text = fmt::format("{}[{}] = {};\n", use(buffer, true), k.index, value(2));
    return k.guard.empty() ? text : fmt::format("if ({}) {{ {} }}\n", k.guard, text);
  }

  std::string statements(int depth) {
    std::string out;
    const int count = random_.between(1, 2);
    for (int n = 0; n < count; ++n) {
      const std::string buffer = random_.of(targets_);
      switch (depth == 0 ? 0 : random_.below(9)) {
        case 1:
          out += fmt::format("if ({} > 1) {{\n{}}}\n", value(1), statements(depth - 1));
          break;
        case 2:
          out += fmt::format("if (i % 4 < 2) {{\n{}}} else {{\n{}}}\n", statements(depth - 1),
                             statements(depth - 1));
          break;
        case 3:
          out += fmt::format("for (var k = 0u; k < {}; k += 1) {{\n{}}}\n", random_.between(0, 3),
                             statements(depth - 1));
          break;
        case 4: {
          const std::string v = value(1);
          out += fmt::format(
              "switch (i % 3) {{\ncase 0: {{\n{}}}\ncase 1: {{ {} }}\n"
              "default: {{ sum += {}; }}\n}}\n",
              statements(depth - 1), random_.chance(0.3) ? "return;" : "", v);
          break;
        }
        case 5: out += fmt::format("sum = sum + {};\n", value(2)); break;
        case 6:
          atomics_ = true;
          out += fmt::format("atomicAdd(&counts[{}], i);\n", random_.of({"i % 4", "1", "i"}));
          break;
        case 7: out += guard(); break;
        default: out += store(buffer);
      }
    }
    return out;
  }

  void stage() {
    keys_.clear();
    targets_.clear();
    used_.clear();
    written_.clear();
    atomics_ = false;
    // What the stage writes is known before anything is read.
    const int targets = random_.chance(0.8) ? 1 : 2;
    for (int t = 0; t < targets; ++t) {
      const std::string buffer = any_buffer();
      if (keys_.contains(buffer)) continue;
      keys_[buffer] = key();
      targets_.push_back(buffer);
    }
    std::string body = guard();
    if (random_.chance(0.4)) body += statements(2);
    body += store(targets_[0]);
    if (random_.chance(0.2)) body += fmt::format("if (sum < 1) {{ {} }}\n", store(targets_[0]));

    std::string text;
    if (subgroups_) text += "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";
    text += "struct Sizes { x: u32, y: u32, z: u32, w: u32 }\n";
    int binding = 0;
    for (const char* u : {"u0", "u1"}) {
      text += fmt::format("@group(0) @binding({}) var<uniform> {}: Sizes;\n", binding++, u);
    }
    // Pointers to read-only buffers are passed to a function.
    for (const std::string& b : used_) {
      text += fmt::format("@group(0) @binding({}) var<storage, read{}> {}: array<f32>;\n",
                          binding++, written_.contains(b) ? "_write" : "", b);
    }
    if (atomics_) {
      text += fmt::format(
          "@group(0) @binding({}) var<storage, read_write> counts: array<atomic<u32>>;\n",
          binding++);
    }
    text +=
        "fn take(memory: ptr<storage, array<f32>, read>, at: u32) -> f32 {\n"
        "  if (at == 9) { return 4; }\n  return (*memory)[at];\n}\n";
    text += "fn cell(at: vec2<u32>) -> u32 { return at.y * u0.x + at.x; }\n";
    const bool usual = subgroups_ && random_.chance(0.9);
    const int size = usual ? 64 : random_.of({1, 16, 64});
    const char* const area = usual ? "8, 5" : random_.of({"8, 4", "4, 4", "3, 5"});
    text += fmt::format(
        "@compute @workgroup_size({}) fn s(@builtin(global_invocation_id) id: "
        "vec3<u32>) {{\n",
        flat_ ? std::to_string(size) : area);
    text += flat_ ? "let i = id.x;\n" : fmt::format("let i = id.y * {}u + id.x;\n", width_);
    text += "let p = vec2<i32>(id.xy);\nvar sum = 0.0;\nvar own: u32;\nown = i;\n";
    text += body + "}\n";
    Extent extent{static_cast<std::uint32_t>(width_), static_cast<std::uint32_t>(height_), 1};
    if (random_.chance(0.05)) extent[0] += 1;
    out_.stage(text, extent);
  }

  // ---- A stage whose workgroups work together, each on a row

  void cooperative_stage() {
    const std::string in = any_buffer();
    const std::string more = any_buffer();
    std::string out = random_.chance(0.25) ? in : any_buffer();
    while (out == more && out != in) out = any_buffer();
    std::string text;
    int binding = 0;
    for (const std::string& b : std::set<std::string>{in, more, out}) {
      text += fmt::format("@group(0) @binding({}) var<storage, read{}> {}: array<f32>;\n",
                          binding++, b == out ? "_write" : "", b);
    }
    text +=
        "var<workgroup> part: array<f32, 16>;\n"
        "@compute @workgroup_size(16) fn s(@builtin(workgroup_id) row: vec3<u32>,\n"
        "  @builtin(local_invocation_index) l: u32) {\n";
    if (random_.chance(0.2)) text += "if (row.x % 3 == 1) { return; }\n";
    const std::string at = fmt::format("row.x * {}u + k", row_);
    const std::string loop = fmt::format("for (var k = l; k < {}u; k += 16)", row_);
    const std::string other = in == more ? "1.5" : fmt::format("{}[{}]", more, at);
    switch (random_.below(4)) {
      case 0:  // each element, and the sum of its row
        text += row_sum(loop, fmt::format("{}[{}]", in, at));
        text += fmt::format("{0} {{ {1}[{2}] = {3}[{2}] * 0.5 + part[0] - {4}; }}\n", loop, out, at,
                            in, other);
        break;
      case 1:  // each element alone
        text += fmt::format("{0} {{ {1}[{2}] = max({3}[{2}], {4}); }}\n", loop, out, at, in, other);
        break;
      case 2:  // neighbours exchange elements
        text += fmt::format("part[l] = {0}[row.x * 16 + l];\nworkgroupBarrier();\n", in);
        text += fmt::format("{0}[row.x * 16 + l] = part[15 - l] + part[(l + 3) % 16];\n", out);
        break;
      default:  // one number for each row
        text += row_sum(loop, fmt::format("{}[{}] + {}", in, at, other));
        text += in == out ? fmt::format("{} {{ {}[{}] = part[0]; }}\n", loop, out, at)
                          : fmt::format("if (l == 0) {{ {}[row.x] = part[0]; }}\n", out);
    }
    out_.stage(text + "}\n", {static_cast<std::uint32_t>(rows_) * 16, 1, 1});
  }
  // Leaves in part[0] the sum of what the invocations of a workgroup find in their loops.
  static std::string row_sum(const std::string& loop, const std::string& value) {
    return fmt::format(
        "var sum = 0.0;\n{} {{ sum += {}; }}\npart[l] = sum;\nworkgroupBarrier();\n"
        "for (var n = 8u; n > 0; n /= 2) {{\n"
        "  if (l < n) {{ part[l] += part[l + n]; }}\n  workgroupBarrier();\n}}\n",
        loop, value);
  }

  Random random_;
  Staged out_;
  bool cooperative_ = false;
  int rows_ = 1;  // of a cooperative chain
  int row_ = 1;   // elements of each
  bool flat_ = true;
  bool subgroups_ = false;  // mostly with workgroups of one shape, so that the stages can be fused
  int width_ = 1;
  int height_ = 1;
  std::map<std::string, Key> keys_;  // of what the stage writes
  std::vector<std::string> targets_;
  std::set<std::string> used_, written_;
  bool atomics_ = false;
  Key common_;  // that most accesses of the chain use
  double gathers_ = 0;
};

}  // namespace

Staged random_stages(std::uint64_t seed, int stages) { return Chain(seed).make(stages); }

}  // namespace vyre

#include "random_rows.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "support/random.h"

namespace vyre {
namespace {

// Lane l of 8 owns the elements l, l + 8, l + 16 of the 24 elements in a row, and writes no other.
constexpr std::uint32_t kLanes = 8, kWidth = 24;

class Rows {
 public:
  explicit Rows(std::uint64_t seed) : random_(seed) {}

  Staged make() {
    rows_ = static_cast<std::uint32_t>(random_.between(1, 4));
    const std::uint32_t elements = rows_ * kWidth;
    type_ = random_.chance(0.15) ? "vec2<f32>" : "f32";
    const std::uint32_t bytes = is_scalar() ? 4 : 8;
    for (int b = 0; b < kBuffers; ++b) {
      const std::string name = fmt::format("b{}", b);
      const std::uint32_t size = random_.chance(0.15) ? elements - 5 : elements;
      if (b >= 2 && random_.chance(0.75)) {
        out_.temporary(name, std::size_t{size} * bytes);
      } else {
        out_.floats(name, std::size_t{size} * bytes / 4);
      }
    }
    out_.uniform("u0", {kWidth, 2, 20, kLanes});
    out_.uniform("u1", {kWidth, 2, random_.chance(0.5) ? 20U : 21U, kLanes});
    header_ = random_header();
    // Mostly loops that pass elements on, with few surprises; or surprises everywhere.
    odd_ = random_.chance(0.6) ? 0.1 : 1;
    for (int stages = random_.between(2, 4); stages > 0; --stages) stage();
    return std::move(out_);
  }

 private:
  static constexpr int kBuffers = 6;

  bool is_scalar() const { return type_ == "f32"; }
  std::string element(const std::string& number) const {
    return is_scalar() ? number : fmt::format("vec2({0}, -({0}))", number);
  }
  std::string any_buffer() { return fmt::format("b{}", random_.below(kBuffers)); }
  std::string use(const std::string& buffer, bool write = false) {
    used_.insert(buffer);
    if (write) written_.insert(buffer);
    return buffer;
  }

  bool surprise(double chance) { return random_.chance(chance * odd_); }

  // ---- Loops

  struct Header {
    std::string_view type = "u32";
    std::string first, condition, step;
  };
  Header random_header() {
    switch (random_.below(8)) {
      case 0: return {"u32", "l", "k < u0.x", "k += 8"};
      case 1: return {"u32", "l", "k < u1.z", "k += u1.w"};
      case 2: return {"u32", "l", "k < u0.z", "k += 8"};
      case 3: return {"i32", "i32(l)", "k <= 23", "k += 8"};
      case 4: return {"i32", "16 + i32(l)", "k >= 0", "k -= 8"};
      case 5: return {"u32", "l", "k < lim", "k += 8"};
      default: return {"u32", "l", "k < 24", "k += 8"};
    }
  }
  // In many forms; not all of them are counted loops.
  std::string loop(int depth) {
    const Header saved = header_;
    if (surprise(0.15)) header_ = random_header();
    const Header h = header_;
    const bool was_inside = std::exchange(inside_, true);
    std::string out;
    captured_ = false;
    const std::string var = fmt::format("var k: {} = {};", h.type, h.first);
    switch (surprise(1) ? random_.below(10) : 9) {
      case 0:
        captured_ = true;
        out = fmt::format("{}\nlet z = u32(k);\nfor (; {}; {}) {{\n{}}}\n", var, h.condition,
                          h.step, body(depth));
        break;
      case 1:
        out = fmt::format("{}\nwhile ({}) {{\n{}{};\n}}\n", var, h.condition, body(depth, false),
                          h.step);
        break;
      case 2:
        out = fmt::format("{}\nloop {{\nif (!({})) {{ break; }}\n{}continuing {{ {}; }}\n}}\n", var,
                          h.condition, body(depth), h.step);
        break;
      default:
        out = fmt::format("for ({} {}; {}) {{\n{}}}\n", var, h.condition, h.step, body(depth));
    }
    inside_ = was_inside;
    captured_ = false;
    header_ = saved;
    return fmt::format("{{\n{}}}\n", out);
  }

  // ---- What stands in a loop

  // An element that the lane owns; outside of a loop not by its counter.
  std::string own() {
    if (!inside_) return random_.of({"first + l", "first + l + 8", "first + l + 16"});
    switch (surprise(1) ? random_.below(captured_ ? 9 : 8) : 3) {
      case 0: return "first + l";
      case 1: return "first + l + 8";
      case 2: return "at";
      case 8: return "first + z";
      default: return "first + u32(k)";
    }
  }
  std::string read() {
    const std::string buffer = any_buffer();
    use(buffer);
    // What the stage writes is read by its owner alone.
    if (mine_.contains(buffer) || !surprise(0.07)) return buffer + "[" + own() + "]";
    return buffer + "[" + own() + random_.of({" + 1]", " - 1]", " / 2]"});
  }
  std::string value(int depth) {
    if (depth == 0 || random_.chance(0.3)) {
      switch (surprise(1) ? random_.below(12) : random_.between(5, 20)) {
        case 0: return element("part[l]");
        case 1: return element("scale");
        case 2: return element(inside_ ? "f32(k)" : "2.0");
        case 3: return element("sum");
        case 4: return element(fmt::format("f32(arrayLength(&{}))", use(any_buffer())));
        case 5: return element("f32(u0.w)");
        default: return read();
      }
    }
    const std::string a = value(depth - 1), b = value(depth - 1);
    switch (random_.below(6)) {
      case 0: return fmt::format("({} - {})", a, b);
      case 1: return fmt::format("({} * {})", a, b);
      case 2: return fmt::format("min({}, {})", a, b);
      case 3: return fmt::format("fma({}, {}, {})", a, element("0.5"), b);
      case 4: return fmt::format("floor({})", a);
      default: return fmt::format("({} + {})", a, b);
    }
  }
  std::string store() {
    const std::string buffer = random_.of(targets_);
    const std::string at = inside_ && !surprise(0.2) ? "first + u32(k)" : own();
    const std::string what = value(2);
    if (random_.chance(0.3)) {
      return fmt::format("let v{0} = {3}; {1}[{2}] = v{0};\n", ++names_, use(buffer, true), at,
                         what);
    }
    return fmt::format("{}[{}] = {};\n", use(buffer, true), at, what);
  }
  std::string body(int depth, bool may_continue = true) {
    std::string out = "let at = first + u32(k);\n";
    if (surprise(0.08) && may_continue) out += "if (k % 3 == 1) { continue; }\n";
    if (surprise(0.05)) out += "if (k > 17) { break; }\n";
    const int count = surprise(0.25) ? 2 : 1;
    for (int n = 0; n < count; ++n) {
      switch (surprise(1) ? random_.below(depth > 0 ? 10 : 9) : 5) {
        case 0: out += fmt::format("if (k % 2 == 0) {{ {} }}\n", store()); break;
        case 1: out += fmt::format("sum += ({}){};\n", value(1), is_scalar() ? "" : ".x"); break;
        case 9: out += fmt::format("for (var j = 0; j < 2; j += 1) {{\n{}}}\n", store()); break;
        default: out += store();
      }
    }
    return out;
  }

  // A loop that takes what the one before it has stored, in one stage.
  std::string pair() {
    const auto place = [&] {
      return random_.of({"first + u32(k)", "first + u32(k)", "first + l", "first + z"});
    };
    const std::string first = place(), then = random_.chance(0.7) ? first : place();
    const std::string between = fmt::format("b{}", 2 + random_.below(4));
    mine_.insert(between);
    inside_ = true;
    const auto of = [&](const std::string& text) {
      return fmt::format(
          "{{ var k: {} = {}; let z = u32(k);\nfor (; {}; {}) {{ let at = first + u32(k); {} }} "
          "}}\n",
          header_.type, header_.first, header_.condition, header_.step, text);
    };
    std::string out = of(fmt::format("{}[{}] = {};", use(between, true), first, value(1)));
    out += of(fmt::format("{}[first + u32(k)] = {}[{}] + {};", use(targets_[0], true), between,
                          then, value(1)));
    inside_ = false;
    return out;
  }

  void stage() {
    ++stages_;
    used_.clear();
    written_.clear();
    mine_.clear();
    targets_.clear();
    captured_ = inside_ = false;
    for (int t = surprise(0.3) ? 2 : 1; t > 0; --t) {
      targets_.push_back(surprise(1) ? any_buffer() : fmt::format("b{}", 2 + stages_ % 4));
      mine_.insert(targets_.back());
    }
    std::string text;
    if (random_.chance(0.15)) text += pair();
    if (surprise(0.1)) text += "if (row.x % 3 == 1) { return; }\n";
    if (surprise(0.1)) text += store();
    for (int loops = surprise(1) ? random_.between(1, 3) : 1; loops > 0; --loops) {
      if (surprise(0.12)) {
        const std::string first = loop(0);
        text += fmt::format("for (var o = 0; o < 2; o += 1) {{\n{}{}}}\n", first, loop(0));
      } else {
        text += loop(1);
      }
      if (surprise(0.1)) text += "scale += 0.5;\n";
      if (surprise(0.05)) text += "if (l == 3) { return; }\n";
    }
    if (surprise(0.15)) text += store();

    std::string head = "struct Sizes { x: u32, y: u32, z: u32, w: u32 }\n";
    int binding = 0;
    for (const char* u : {"u0", "u1"}) {
      head += fmt::format("@group(0) @binding({}) var<uniform> {}: Sizes;\n", binding++, u);
    }
    for (const std::string& b : used_) {
      head += fmt::format("@group(0) @binding({}) var<storage, read{}> {}: array<{}>;\n", binding++,
                          written_.contains(b) ? "_write" : "", b, type_);
    }
    head += fmt::format(
        "var<workgroup> part: array<f32, {0}>;\n"
        "@compute @workgroup_size({0}) fn rows(@builtin(workgroup_id) row: vec3<u32>,\n"
        "  @builtin(local_invocation_index) l: u32) {{\n"
        "part[l] = f32(l) + 0.25;\nworkgroupBarrier();\n"
        "let first = row.x * {1};\nlet lim = u0.x;\nvar scale = part[{0} - 1 - l];\n"
        "var sum = 0.5;\n",
        kLanes, kWidth);
    out_.stage(head + text + "}\n", {rows_ * kLanes, 1, 1});
  }

  Random random_;
  Staged out_;
  std::uint32_t rows_ = 1;
  std::string_view type_;
  Header header_;
  bool inside_ = false;    // a loop
  bool captured_ = false;  // the counter's first value
  int names_ = 0, stages_ = 0;
  double odd_ = 1;
  std::set<std::string> used_, written_, mine_;
  std::vector<std::string> targets_;
};

}  // namespace

Staged random_rows(std::uint64_t seed) { return Rows(seed).make(); }

}  // namespace vyre

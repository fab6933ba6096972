// One table of cases, every device. A case is a WGSL file in cases/; lines at its top say how it
// runs:
//
//   // size: X[,Y[,Z]]      the extent (default: `elements` along x)
//   // elements: N          of every run-time sized array (default 1000)
//   // tolerance: R         relative difference allowed in f32 buffers (default: the same bits)
//
// Every entry point of the file runs on the interpreter, and then in every variant on the CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "vyre/base/arithmetic.h"
#include "vyre/base/files.h"
#include "vyre/engine/session.h"
#include "vyre/ir/interpret.h"
#include "vyre/lower/host_compile.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

struct Case {
  std::string file, entry;
  Kernel kernel;
  Extent extent{};
  std::uint64_t elements = 1000;
  double tolerance = 0;
};

std::string header_value(const std::string& text, std::string_view name) {
  const auto at = text.find(fmt::format("// {}: ", name));
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 5;
  return text.substr(from, text.find('\n', from) - from);
}

std::vector<Case> load_cases() {
  std::vector<Case> out;
  std::vector<std::filesystem::path> files;
  for (const auto& e : std::filesystem::directory_iterator(VYRE_CASES_DIR))
    files.push_back(e.path());
  std::ranges::sort(files);
  for (const auto& path : files) {
    const auto text = read_file(path);
    EXPECT_TRUE(text.has_value()) << path;
    if (!text) continue;
    const auto parsed = parse_wgsl(*text, path.filename().string());
    EXPECT_TRUE(parsed.module.has_value()) << parsed.message();
    if (!parsed.module) continue;
    for (const Program& program : parsed.module->programs) {
      Case c;
      c.file = path.stem().string();
      c.entry = program.name;
      auto kernel = make_kernel(program);
      EXPECT_TRUE(kernel.has_value()) << describe(kernel.error());
      if (!kernel) continue;
      c.kernel = *std::move(kernel);
      if (const auto v = header_value(*text, "elements"); !v.empty()) c.elements = std::stoull(v);
      if (const auto v = header_value(*text, "tolerance"); !v.empty()) c.tolerance = std::stod(v);
      c.extent = {static_cast<std::uint32_t>(c.elements), 1, 1};
      if (const auto v = header_value(*text, "size"); !v.empty()) {
        c.extent = {1, 1, 1};
        EXPECT_GE(std::sscanf(v.c_str(), "%u,%u,%u", &c.extent[0], &c.extent[1], &c.extent[2]), 1);
      }
      out.push_back(std::move(c));
    }
  }
  return out;
}

const std::vector<Case>& cases() {
  static const auto all = load_cases();
  return all;
}

// The scalar that fills most of a type: what its data is made of.
ScalarKind main_kind(const TypeTable& types, TypeId type) {
  if (const auto kind = types.scalar_kind(type)) return *kind;
  if (const auto* s = types.get_if<StructType>(type)) {
    return main_kind(types, s->members.back().type);
  }
  return main_kind(types, types.component(type));
}

using Data = std::vector<std::vector<std::byte>>;

std::vector<const Global*> resources(const Program& p) {
  std::vector<const Global*> out;
  for (const Global& g : p.globals) {
    if (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) out.push_back(&g);
  }
  return out;
}

Data make_data(const Case& c) {
  const Program& p = *c.kernel.program;
  std::mt19937 random(7);
  Data out;
  for (const Global* g : resources(p)) {
    std::uint64_t bytes = p.types.layout(g->type).size;
    if (p.types.contains_runtime_array(g->type)) {
      const auto* s = p.types.get_if<StructType>(g->type);
      const TypeId array = s != nullptr ? s->members.back().type : g->type;
      bytes += c.elements * p.types.stride(p.types.component(array));
    }
    std::vector<std::byte> data(bytes);
    const ScalarKind kind = main_kind(p.types, g->type);
    for (std::uint64_t at = 0; at + 4 <= bytes; at += 4) {
      std::uint32_t word = static_cast<std::uint32_t>(random() % (c.elements + 8));
      if (kind == ScalarKind::f32) {
        const float v = std::uniform_real_distribution<float>(-4, 4)(random);
        std::memcpy(&word, &v, 4);
      } else if (kind == ScalarKind::f16) {
        word = 0x3C003C00U + (static_cast<std::uint32_t>(random()) & 0x03FF03FFU);
      }
      if (g->memory == MemoryKind::uniform) {
        word = kind == ScalarKind::f32 ? 0x40000000U : static_cast<std::uint32_t>(c.elements - 3);
      }
      std::memcpy(data.data() + at, &word, 4);
    }
    out.push_back(std::move(data));
  }
  return out;
}

Data run_interpreter(const Case& c, const Extent& extent) {
  Data data = make_data(c);
  std::vector<BoundBuffer> bound;
  const auto globals = resources(*c.kernel.program);
  for (std::size_t i = 0; i < data.size(); ++i) {
    bound.push_back({globals[i]->group, globals[i]->binding, data[i]});
  }
  LaunchShape shape;
  shape.extent = extent;
  for (unsigned i = 0; i < 3; ++i) {
    shape.grid[i] = ceil_div(extent[i], c.kernel.program->workgroup[i]);
  }
  const auto report = interpret(c.kernel, bound, shape);
  EXPECT_TRUE(report.has_value()) << describe(report.error());
  return data;
}

const Session& session() {
  static const auto opened = Session::open("cpu", {.cpu = {.threads = 3}, .code_folder = {}});
  return *opened;
}

Data run_cpu(const Case& c, const Extent& extent, const Variant& variant) {
  Data data = make_data(c);
  std::vector<Binding> bindings;
  const auto globals = resources(*c.kernel.program);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto buffer = session().adopt(data[i]);
    EXPECT_TRUE(buffer.has_value()) << describe(buffer.error());
    if (!buffer) return data;
    bindings.push_back({globals[i]->group, globals[i]->binding, *buffer});
  }
  const auto dispatch =
      session().prepare(c.kernel, bindings, DispatchSize::extent(extent), variant);
  EXPECT_TRUE(dispatch.has_value()) << describe(dispatch.error());
  if (!dispatch) return data;
  const auto ran = session().run(*dispatch);
  EXPECT_TRUE(ran.has_value()) << describe(ran.error());
  return data;
}

std::string difference(const Data& want, const Data& got, double tolerance) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    for (std::size_t at = 0; at + 4 <= want[i].size(); at += 4) {
      std::uint32_t w = 0, g = 0;
      std::memcpy(&w, want[i].data() + at, 4);
      std::memcpy(&g, got[i].data() + at, 4);
      if (w == g) continue;
      const auto x = static_cast<double>(std::bit_cast<float>(w));
      const auto y = static_cast<double>(std::bit_cast<float>(g));
      if (std::abs(x - y) <= tolerance * std::max(1.0, std::abs(x))) continue;
      return fmt::format("buffer {} word {}: {:#x} ({}), not {:#x} ({})", i, at / 4, g, y, w, x);
    }
  }
  return {};
}

std::vector<Variant> variants(const Kernel& kernel) {
  std::vector<Variant> out;
  for (const std::uint32_t width : {1U, 8U, 16U, 32U}) {
    for (const std::uint32_t items : {1U, 4U}) {
      for (const auto layout : {ItemLayout::strided, ItemLayout::blocked}) {
        if (layout == ItemLayout::blocked && (items == 1 || width == 32)) continue;
        Variant v;
        v.workgroup = kernel.program->workgroup;
        v.gang_width = width;
        v.items_per_lane = items;
        v.layout = layout;
        if (host_why_not(kernel, v).empty()) out.push_back(v);
      }
    }
  }
  Variant checked;
  checked.workgroup = kernel.program->workgroup;
  checked.gang_width = 16;
  checked.bounds = BoundsMode::checked;
  out.push_back(checked);
  Variant reshaped;
  reshaped.workgroup = {96, 1, 1};
  reshaped.gang_width = 8;
  if (kernel.program->workgroup[1] == 1 && host_why_not(kernel, reshaped).empty()) {
    out.push_back(reshaped);
  }
  return out;
}

class EveryDevice : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryDevice, AgreesWithTheInterpreterInEveryVariant) {
  const Case& c = cases()[GetParam()];
  const Data want = run_interpreter(c, c.extent);
  for (const Variant& v : variants(c.kernel)) {
    SCOPED_TRACE(to_string(v));
    EXPECT_EQ(difference(want, run_cpu(c, c.extent, v), c.tolerance), "");
  }
}

TEST_P(EveryDevice, RunsExactlyTheInvocationsInsideTheExtent) {
  const Case& c = cases()[GetParam()];
  const Variant v = session().default_variant(c.kernel);
  for (const Extent& extent :
       {Extent{0, 1, 1}, Extent{1, 1, 1}, Extent{17, 1, 1}, Extent{33, 3, 1}}) {
    SCOPED_TRACE(fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]));
    EXPECT_EQ(difference(run_interpreter(c, extent), run_cpu(c, extent, v), c.tolerance), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryDevice, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& info) {
                           const Case& c = cases()[info.param];
                           return fmt::format("{}_{}", c.file, c.entry);
                         });

}  // namespace
}  // namespace vyre

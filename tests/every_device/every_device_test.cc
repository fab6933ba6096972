// One table of cases, every device. A case is a WGSL file in cases/; lines at its top say how it
// runs:
//
//   // size: X[,Y[,Z]]      the extent (default: `elements` along x)
//   // elements: N          of every run-time sized array (default 1000)
//   // tolerance: R         relative difference allowed in f32 buffers (default: the same bits)
//
// Every entry point of the file runs on the interpreter, and then in every variant on every device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

#include "support/runner.h"
#include "vyre/base/arithmetic.h"
#include "vyre/base/files/files.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/lower/host_compile.h"
#include "vyre/plan/variants/variant_legality.h"
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

Data interpreted(const Case& c, const Extent& extent) {
  auto out = run_interpreter(c.kernel, make_data(c), extent);
  EXPECT_TRUE(out.has_value()) << describe(out.error());
  return out ? std::move(out->data) : Data{};
}

Data run_on(const Runner& runner, const Case& c, const Extent& extent, const Variant& variant) {
  Data data = make_data(c);
  const auto ran = runner.run(c.kernel, data, extent, variant);
  EXPECT_TRUE(ran.has_value()) << describe(ran.error());
  return data;
}

const std::vector<Runner>& runners() {
  static const auto all = [] {
    std::vector<Runner> out;
    for (const std::string& device : devices_to_test()) {
      auto runner = Runner::open(device, 3);
      if (runner) {
        out.push_back(*std::move(runner));
      } else {
        fmt::print("device {} is not here: {} cases skipped\n", device, cases().size());
      }
    }
    return out;
  }();
  return all;
}

const std::vector<Runner>& one_thread() {
  static const std::vector<Runner> all = [] {
    std::vector<Runner> out;
    if (auto runner = Runner::open("cpu", 1)) out.push_back(*std::move(runner));
    return out;
  }();
  return all;
}

class EveryDevice : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryDevice, AgreesWithTheInterpreterInEveryVariant) {
  const Case& c = cases()[GetParam()];
  const Data want = interpreted(c, c.extent);
  for (const Runner& runner : runners()) {
    for (const Variant& v : main_variants(runner, c.kernel)) {
      SCOPED_TRACE(fmt::format("{} {}", runner.device(), to_string(v)));
      EXPECT_EQ(
          first_difference(*c.kernel.program, want, run_on(runner, c, c.extent, v), c.tolerance),
          "");
    }
  }
}

TEST_P(EveryDevice, RunsExactlyTheInvocationsInsideTheExtent) {
  const Case& c = cases()[GetParam()];
  for (const Extent& extent : {Extent{0, 1, 1}, Extent{1, 1, 1}, Extent{17, 1, 1}, Extent{33, 3, 1},
                               Extent{5, 0, 1}, Extent{3, 4, 5}}) {
    SCOPED_TRACE(fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]));
    const Data want = interpreted(c, extent);
    // Rows of a case that is written for one, or for narrower ones, write the same elements, in an
    // order that only one thread keeps.
    const bool races = extent[1] * extent[2] > 1 && (c.extent[1] == 1 || extent[0] > c.extent[0]);
    for (const Runner& runner : races ? one_thread() : runners()) {
      const Data got = run_on(runner, c, extent, runner.default_variant(c.kernel));
      EXPECT_EQ(first_difference(*c.kernel.program, want, got, c.tolerance), "") << runner.device();
    }
  }
}

// Runs code that no device would choose; nothing if the kernel has no such variant.
std::optional<Data> run_code(const Case& c, std::uint32_t gang, const HostOptions& options) {
  const auto device = CpuDevice::make({.threads = 2});
  const auto queue = device->make_queue();
  EXPECT_TRUE(queue);
  Variant v;
  v.workgroup = c.kernel.program->workgroup;
  v.gang_width = gang;
  if (!why_not(c.kernel, v, TargetKind::host, device->limits()).empty()) return std::nullopt;
  const auto object = compile_host(c.kernel, v, options);
  EXPECT_TRUE(object) << describe(object.error());
  if (!object) return std::nullopt;
  const auto code = load_host(*object);
  EXPECT_TRUE(code) << describe(code.error());
  if (!code) return std::nullopt;
  const auto loaded = device->load(*code);
  EXPECT_TRUE(loaded);
  Data data = make_data(c);
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, BoundMemory>> slots;
  const auto globals = resources(*c.kernel.program);
  for (std::size_t i = 0; i < data.size(); ++i) {
    slots.push_back({{globals[i]->group, globals[i]->binding},
                     {reinterpret_cast<std::uintptr_t>(data[i].data()), data[i].size()}});
  }
  std::ranges::sort(slots, {}, [](const auto& s) { return s.first; });
  std::vector<BoundMemory> bindings;
  for (const auto& slot : slots) bindings.push_back(slot.second);
  Launch launch;
  launch.code = loaded->get();
  launch.bindings = bindings;
  launch.extent = c.extent;
  launch.workgroup = v.workgroup;
  for (unsigned i = 0; i < 3; ++i) launch.grid[i] = ceil_div(c.extent[i], v.workgroup[i]);
  EXPECT_TRUE((*queue)->launch(launch));
  return data;
}

// Code for buffers of 2 GiB and more, on small ones.
TEST_P(EveryDevice, GivesTheSameWithWideOffsets) {
  const Case& c = cases()[GetParam()];
  const Data want = interpreted(c, c.extent);
  const bool subgroups = c.kernel.stats.subgroup_operations != 0;
  for (const std::uint32_t gang : {1U, subgroups ? kSubgroupSize : 16U}) {
    const auto got = run_code(c, gang, {.wide_offsets = true});
    if (!got) continue;
    EXPECT_EQ(first_difference(*c.kernel.program, want, *got, c.tolerance), "") << gang;
  }
}

// Code for processors with fewer instructions: narrower vectors, and gathers, scatters and masks
// made of other things. Every case with one of them, and entry points of a file in turns.
TEST_P(EveryDevice, GivesTheSameWithTheInstructionsOfOtherProcessors) {
  const Case& c = cases()[GetParam()];
  const Data want = interpreted(c, c.extent);
  const bool subgroups = c.kernel.stats.subgroup_operations != 0;
  const auto instructions = GetParam() % 2 == 0 ? Instructions::avx2 : Instructions::avx;
  const std::uint32_t gang = subgroups ? kSubgroupSize : GetParam() % 4 < 2 ? 8 : 16;
  const auto got = run_code(c, gang, {.instructions = instructions});
  if (!got) return;
  EXPECT_EQ(first_difference(*c.kernel.program, want, *got, c.tolerance), "") << gang;
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryDevice, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& info) {
                           const Case& c = cases()[info.param];
                           return fmt::format("{}_{}", c.file, c.entry);
                         });

}  // namespace
}  // namespace vyre

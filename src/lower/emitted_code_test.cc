// The form of the host's code in the loop that does the work.
#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

using Lines = std::vector<std::string>;

// The blocks of LLVM text by their labels.
std::map<std::string, Lines> blocks_of(const std::string& text) {
  std::map<std::string, Lines> out;
  std::string label;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("define")) {
      label = line.substr(line.find('@'));
    } else if (!line.empty() && line[0] != ' ' && line[0] != ';' && line.contains(':')) {
      label = line.substr(0, line.find(':'));
    } else if (!line.empty()) {
      out[label].push_back(line);
    }
  }
  return out;
}

bool any_has(const Lines& lines, std::string_view what) {
  return std::ranges::any_of(lines, [&](const std::string& l) { return l.contains(what); });
}

long count_of(const Lines& lines, std::string_view what) {
  return std::ranges::count_if(lines, [&](const std::string& l) { return l.contains(what); });
}

// Blocks that jump to themselves and store whole vectors: rows of gangs run there.
std::vector<Lines> hot_loops(const std::string& text, std::string_view store) {
  std::vector<Lines> out;
  for (const auto& [label, lines] : blocks_of(text)) {
    if (lines.back().contains(fmt::format("label %{}", label)) && any_has(lines, store)) {
      out.push_back(lines);
    }
  }
  return out;
}

enum class Guard : std::uint8_t { parameter, length, early_return, nothing };

// y[i] = a·x[i] + y[i]
Kernel saxpy(Guard guard) {
  ProgramBuilder b("saxpy", {64, 1, 1});
  Ref a = b.uniform("a", b.f32);
  Ref n = b.uniform("n", b.u32);
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  const auto work = [&] { y[i] = a * x[i] + y[i]; };
  switch (guard) {
    case Guard::parameter: b.if_(i < n, work); break;
    case Guard::length: b.if_(i < x.length(), work); break;
    case Guard::early_return:
      b.if_(i >= n, [&] { b.return_(); });
      work();
      break;
    case Guard::nothing: work(); break;
  }
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value());
  return *std::move(kernel);
}

class GuardedKernel : public testing::TestWithParam<Guard> {};

TEST_P(GuardedKernel, HasNoCheckInItsLoop) {
  const Kernel kernel = saxpy(GetParam());
  for (const std::uint32_t width : {8U, 16U}) {
    Variant v;
    v.workgroup = {64, 1, 1};
    v.gang_width = width;
    const auto text = host_text(kernel, v, HostText::llvm);
    ASSERT_TRUE(text.has_value()) << describe(text.error());
    const auto loops = hot_loops(*text, fmt::format("store <{} x float>", width));
    ASSERT_EQ(loops.size(), 1U) << *text;
    const Lines& loop = loops[0];
    const auto shown = fmt::format("{}", fmt::join(loop, "\n"));
    EXPECT_FALSE(any_has(loop, "masked")) << shown;
    EXPECT_FALSE(any_has(loop, " select ")) << shown;
    // The only comparison is the test for the end of the loop.
    EXPECT_EQ(count_of(loop, " icmp "), 1) << shown;
    EXPECT_EQ(count_of(loop, " load "), 2) << shown;
    EXPECT_EQ(count_of(loop, "store "), 1) << shown;
  }
}

INSTANTIATE_TEST_SUITE_P(Guards, GuardedKernel,
                         testing::Values(Guard::parameter, Guard::length, Guard::early_return,
                                         Guard::nothing));

TEST(CheckedKernel, KeepsItsChecks) {
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  v.bounds = BoundsMode::checked;
  const auto text = host_text(saxpy(Guard::nothing), v, HostText::llvm);
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("masked"), std::string::npos);
}

// y[i] is a sum over a row of elements that are looked up.
Kernel sums_of_rows() {
  ProgramBuilder b("rows", {64, 1, 1});
  Ref starts = b.storage_read("starts", b.array(b.u32));
  Ref columns = b.storage_read("columns", b.array(b.u32));
  Ref values = b.storage_read("values", b.array(b.f32));
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref sum = b.var("sum", b.f32);
  b.for_("k", starts[i], starts[i + 1],
         [&](const Value& k) { sum = math(MathFn::fma, {values[k], x[columns[k]], sum}); });
  y[i] = sum;
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value());
  return *std::move(kernel);
}

TEST(SumOfRow, HasOneCheckForAnElementAndNothingToJoinBehindIt) {
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 1;
  const auto text = host_text(sums_of_rows(), v, HostText::llvm);
  ASSERT_TRUE(text.has_value()) << describe(text.error());
  int loops = 0;
  for (const auto& [label, lines] : blocks_of(*text)) {
    if (!any_has(lines, "@llvm.fma") || label.contains(".checked")) continue;
    const auto shown = fmt::format("{}", fmt::join(lines, "\n"));
    if (!lines.back().contains("br i1")) continue;
    ++loops;
    EXPECT_FALSE(any_has(lines, " phi ")) << shown;
    EXPECT_FALSE(any_has(lines, "volatile")) << shown;
    // The loop's end.
    EXPECT_EQ(count_of(lines, " icmp "), 1) << shown;
  }
  EXPECT_GE(loops, 1) << *text;
}

// ---- Library functions --------------------------------------------------------------------------

// Names that the object leaves to others to define.
std::vector<std::string> undefined_symbols(const std::vector<std::byte>& object) {
  const auto at = [&]<class T>(std::uint64_t offset, T) {
    T out;
    std::memcpy(&out, object.data() + offset, sizeof(T));
    return out;
  };
  const auto header = at(0, Elf64_Ehdr{});
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at(header.e_shoff + i * header.e_shentsize, Elf64_Shdr{});
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto names =
        at(header.e_shoff + std::uint64_t{section.sh_link} * header.e_shentsize, Elf64_Shdr{});
    for (std::uint64_t s = 1; s < section.sh_size / sizeof(Elf64_Sym); ++s) {
      const auto symbol = at(section.sh_offset + s * sizeof(Elf64_Sym), Elf64_Sym{});
      if (symbol.st_shndx != SHN_UNDEF) continue;
      out.emplace_back(
          reinterpret_cast<const char*>(object.data() + names.sh_offset + symbol.st_name));
    }
  }
  return out;
}

struct FloatFunctions {
  std::vector<MathFn> all;
  std::uint32_t arguments;
};

const FloatFunctions kFloatFunctions[] = {
    {{MathFn::abs,          MathFn::acos,  MathFn::acosh, MathFn::asin,    MathFn::asinh,
      MathFn::atan,         MathFn::atanh, MathFn::ceil,  MathFn::cos,     MathFn::cosh,
      MathFn::degrees,      MathFn::exp,   MathFn::exp2,  MathFn::floor,   MathFn::fract,
      MathFn::inverse_sqrt, MathFn::log,   MathFn::log2,  MathFn::radians, MathFn::round,
      MathFn::saturate,     MathFn::sign,  MathFn::sin,   MathFn::sinh,    MathFn::sqrt,
      MathFn::tan,          MathFn::tanh,  MathFn::trunc},
     1},
    {{MathFn::atan2, MathFn::max, MathFn::min, MathFn::pow, MathFn::step}, 2},
    {{MathFn::clamp, MathFn::fma, MathFn::mix, MathFn::smoothstep}, 3},
};

Kernel calling(const std::vector<MathFn>& functions, std::uint32_t arguments, bool half) {
  ProgramBuilder b("calls", {64, 1, 1});
  const TypeId type = half ? b.f16 : b.f32;
  Ref x = b.storage_read("x", b.array(type));
  Ref y = b.storage("y", b.array(type));
  const Value i = b.global_id().x();
  const Value v = x[i], w = x[i + 1], u = x[i + 2];
  for (std::uint32_t k = 0; k < functions.size(); ++k) {
    const Value r = arguments == 1   ? math(functions[k], {v})
                    : arguments == 2 ? math(functions[k], {v, w})
                                     : math(functions[k], {v, w, u});
    y[i * static_cast<unsigned>(functions.size()) + k] = r;
  }
  y[i] = v % w + v / w;
  y[i + 1] = b.convert(type, b.convert(b.i32, v)) + b.convert(type, b.convert(b.u32, w));
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value());
  return *std::move(kernel);
}

TEST(Builtins, CallNoLibrary) {
  for (const bool half : {false, true}) {
    for (const FloatFunctions& f : kFloatFunctions) {
      const Kernel kernel = calling(f.all, f.arguments, half);
      for (const std::uint32_t width : {1U, 8U, 16U, 32U}) {
        Variant v;
        v.workgroup = {64, 1, 1};
        v.gang_width = width;
        const auto object = compile_host(kernel, v);
        ASSERT_TRUE(object.has_value()) << describe(object.error());
        EXPECT_EQ(undefined_symbols(object->object), std::vector<std::string>{})
            << (half ? "f16" : "f32") << " of " << f.arguments << ", gang " << width;
      }
    }
  }
}

TEST(LargeArrays, CallNoLibrary) {
  ProgramBuilder b("large", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.u32));
  const Value i = b.global_id().x();
  Ref big = b.var("big", b.array(b.u32, 600));
  big[i] = 5;
  Ref copy = b.var("copy", big);
  copy[i + 1] = 6;
  y[i] = copy[y[i]] + big[y[i]];
  auto program = std::move(b).build();
  ASSERT_TRUE(program.has_value()) << describe(program.error());
  const auto kernel = make_kernel(*std::move(program));
  ASSERT_TRUE(kernel.has_value());
  for (const std::uint32_t width : {1U, 16U}) {
    Variant v;
    v.workgroup = {64, 1, 1};
    v.gang_width = width;
    const auto object = compile_host(*kernel, v);
    ASSERT_TRUE(object.has_value()) << describe(object.error());
    // Only moving and clearing memory is left to the C library.
    for (const std::string& name : undefined_symbols(object->object)) {
      EXPECT_TRUE(name == "memset" || name == "memcpy" || name == "memmove") << name;
    }
  }
}

// No lane is taken out of its vector to become an integer: not in conversions, nor in the functions
// that count quarter turns.
TEST(EmittedCode, ConvertsWholeVectorsToIntegers) {
  ProgramBuilder b("conversions", {64, 1, 1});
  Ref x = b.storage("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.u32));
  const Value i = b.global_id().x();
  b.if_(i < x.length(), [&] {
    const Value v = b.let("v", x[i]);
    y[i] = b.convert(b.u32, v) + b.convert(b.u32, b.convert(b.i32, v));
    x[i] = math(MathFn::sin, {v});
  });
  auto program = std::move(b).build();
  ASSERT_TRUE(program.has_value()) << describe(program.error());
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  for (const auto instructions : {Instructions::own, Instructions::avx2}) {
    const auto text =
        host_text(*make_kernel(*program), v, HostText::assembly, {.instructions = instructions});
    ASSERT_TRUE(text.has_value()) << describe(text.error());
    EXPECT_EQ(text->find("cvttss2si"), std::string::npos);
  }
}

}  // namespace
}  // namespace vyre

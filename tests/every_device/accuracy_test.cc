// Every floating point function over dense samples of its domain, on the interpreter and on every
// device, within the errors of accuracy_table.cc. f16 functions of one argument see every half.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "accuracy_table.h"
#include "support/random.h"
#include "support/runner.h"
#include "vyre/ir/scalar.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr std::uint32_t kGroup = 64;

struct Samples {
  std::vector<Arguments> arguments;
};

Real value_of(std::uint32_t bits, bool half) {
  if (half) return static_cast<Real>(f16_to_float(static_cast<std::uint16_t>(bits)));
  return static_cast<Real>(std::bit_cast<float>(bits));
}
std::uint32_t bits_of(Real v, bool half) {
  const auto single = static_cast<float>(v);
  return half ? float_to_f16(single) : std::bit_cast<std::uint32_t>(single);
}

// A finite number, of any size or near where functions are delicate.
Real random_value(Random& random, bool half) {
  switch (random.below(4)) {
    case 0: {
      const std::uint32_t bits = half ? random.word() & 0xFFFFU : random.word();
      const Real v = value_of(bits, half);
      return std::isfinite(v) ? v : 1;
    }
    case 1:
      return value_of(bits_of((static_cast<Real>(random.word()) / 0x1p31L - 1) * 4, half), half);
    case 2:
      return value_of(bits_of((static_cast<Real>(random.word()) / 0x1p31L - 1) * 100, half), half);
    default: {
      const Real near = random.of({0.0L, 1.0L, -1.0L, 0.5L, 2.0L, 0.25L, 3.14159265L, 1.5707963L});
      const Real step =
          static_cast<Real>(random.between(-2000, 2000)) * (half ? 0x1p-13L : 0x1p-26L);
      return value_of(bits_of(near + near * step + step * 0x1p-10L, half), half);
    }
  }
}

std::vector<Arguments> samples(const AccuracyCase& c, bool half) {
  std::vector<Arguments> out;
  Random random(11);
  const auto add = [&](const Arguments& a) {
    if (c.domain(a)) out.push_back(a);
  };
  if (c.arguments == 1 && half) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const Real v = value_of(bits, true);
      if (std::isfinite(v)) add({v});
    }
    return out;
  }
  if (c.arguments == 1) {
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
      for (std::uint32_t k = 0; k < 64; ++k) {
        const std::uint32_t mantissa = k == 0 ? 0 : k == 1 ? 0x7FFFFFU : random.word() & 0x7FFFFFU;
        for (const std::uint32_t sign : {0U, 0x80000000U}) {
          add({value_of(sign | exponent << 23U | mantissa, false)});
        }
      }
    }
    for (int i = 0; i < 40'000; ++i) add({random_value(random, false)});
    return out;
  }
  for (int i = 0; i < 50'000; ++i) {
    add({random_value(random, half), random_value(random, half), random_value(random, half)});
  }
  return out;
}

Kernel kernel_of(const AccuracyCase& c, bool half) {
  const std::string text =
      fmt::format(R"({0}
@group(0) @binding(0) var<storage, read> xs: array<{1}>;
@group(0) @binding(1) var<storage, read> ys: array<{1}>;
@group(0) @binding(2) var<storage, read> zs: array<{1}>;
@group(0) @binding(3) var<storage, read_write> rs: array<{1}>;
@compute @workgroup_size({2})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
  let x = xs[id.x];
  let y = ys[id.x];
  let z = zs[id.x];
  rs[id.x] = {3};
}}
)",
                  half ? "enable f16;" : "", half ? "f16" : "f32", kGroup, c.expression);
  const auto parsed = parse_wgsl(text, c.name);
  EXPECT_TRUE(parsed.module.has_value()) << parsed.message();
  if (!parsed.module) return {};
  auto kernel = make_kernel(parsed.module->programs.at(0));
  EXPECT_TRUE(kernel.has_value());
  return kernel ? *std::move(kernel) : Kernel{};
}

Data data_of(const Program& p, const std::vector<Arguments>& all, bool half) {
  const std::size_t size = half ? 2 : 4;
  Data out;
  for (const Global* g : resources(p)) {
    std::vector<std::byte> bytes((all.size() * size + 3) / 4 * 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Real v = g->name == "xs"   ? all[i].x
                     : g->name == "ys" ? all[i].y
                     : g->name == "zs" ? all[i].z
                                       : 0;
      const std::uint32_t bits = bits_of(v, half);
      std::memcpy(bytes.data() + i * size, &bits, size);
    }
    out.push_back(std::move(bytes));
  }
  return out;
}

// The worst error in units of what is allowed.
struct Worst {
  Real share = 0;
  std::string text;
  // The largest errors, in units in the last place of normal results, and absolute.
  Real ulps = 0, absolute = 0;
};

// With VYRE_PRINT_ACCURACY set, the measured errors become the rows of a table.
void print_row(const AccuracyCase& c, bool half, const std::string& device, const Worst& worst) {
  if (std::getenv("VYRE_PRINT_ACCURACY") == nullptr) return;
  fmt::print("| {} | {} | {} | {:.2f} | {:.2g} | {:.2f} |\n", c.name, half ? "f16" : "f32", device,
             static_cast<double>(worst.ulps), static_cast<double>(worst.absolute),
             static_cast<double>(worst.share));
}

Worst judge(const AccuracyCase& c, bool half, const std::vector<Arguments>& all,
            const std::vector<std::byte>& results) {
  const DeviceFloatFormat format = half ? DeviceFloatFormat::f16() : DeviceFloatFormat::f32();
  const std::size_t size = half ? 2 : 4;
  const Real smallest = std::ldexp(1.0L, format.lowest);
  Worst worst;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, results.data() + i * size, size);
    const Real got = value_of(bits, half);
    const Real want = c.reference(all[i]);
    const Real allowed = c.allowed(all[i], want, format);
    // Beyond the largest number anything may come out; below the normal numbers, zero.
    if (std::fabs(want) + allowed >= format.largest || !(allowed < INFINITY)) continue;
    Real error = std::fabs(got - want);
    if (std::fabs(want) >= smallest && error < INFINITY) {
      worst.ulps = std::max(worst.ulps, error / format.ulp(want));
    }
    if (error < INFINITY) worst.absolute = std::max(worst.absolute, error);
    if (error <= allowed) {
      if (allowed > 0) worst.share = std::max(worst.share, error / allowed);
      continue;
    }
    if (std::fabs(want) < smallest && std::fabs(got) <= smallest) continue;
    if (std::isnan(got)) error = INFINITY;
    const Real share = allowed > 0 ? error / allowed : INFINITY;
    if (share > worst.share || worst.text.empty()) {
      worst.share = share;
      worst.text = fmt::format("{} of x = {}, y = {}, z = {} is {}, not {}: off by {}, {} allowed",
                               c.name, static_cast<double>(all[i].x), static_cast<double>(all[i].y),
                               static_cast<double>(all[i].z), static_cast<double>(got),
                               static_cast<double>(want), static_cast<double>(error),
                               static_cast<double>(allowed));
    }
  }
  return worst;
}

class Accuracy : public testing::TestWithParam<bool> {};

TEST_P(Accuracy, IsWhatWgslPromises) {
  const bool half = GetParam();
  std::uint64_t count = 0;
  for (const AccuracyCase& c : accuracy_cases(half)) {
    const auto all = samples(c, half);
    ASSERT_GT(all.size(), 100U) << c.name;
    count += all.size();
    const Kernel kernel = kernel_of(c, half);
    ASSERT_NE(kernel.program, nullptr);
    const Program& p = *kernel.program;
    const Data before = data_of(p, all, half);
    const Extent extent{static_cast<std::uint32_t>(all.size()), 1, 1};
    const auto globals = resources(p);
    std::size_t result = 0;
    while (globals[result]->name != "rs") ++result;
    const auto interpreted = run_interpreter(kernel, before, extent);
    ASSERT_TRUE(interpreted.has_value()) << describe(interpreted.error());
    const Worst oracle = judge(c, half, all, interpreted->data[result]);
    EXPECT_EQ(oracle.text, "") << "interpreter";
    print_row(c, half, "interpreter", oracle);
    for (const std::string& device : devices_to_test()) {
      const auto runner = Runner::open(device, 2);
      if (!runner) {
        fmt::print("device {} is not here: {} samples skipped\n", device, all.size());
        continue;
      }
      for (const std::uint32_t width : {1U, 16U}) {
        Variant v = runner->default_variant(kernel);
        v.gang_width = width;
        if (!runner->why_not(kernel, v).empty()) continue;
        Data data = before;
        const auto ran = runner->run(kernel, data, extent, v);
        ASSERT_TRUE(ran.has_value()) << describe(ran.error());
        const Worst worst = judge(c, half, all, data[result]);
        EXPECT_EQ(worst.text, "") << device << " " << to_string(v);
        print_row(c, half, fmt::format("{}, gang {}", device, width), worst);
      }
    }
  }
  fmt::print("{} samples of {} functions\n", count, half ? "f16" : "f32");
}

INSTANTIATE_TEST_SUITE_P(Floats, Accuracy, testing::Bool(),
                         [](const auto& info) { return info.param ? "f16" : "f32"; });

}  // namespace
}  // namespace vyre

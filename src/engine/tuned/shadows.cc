#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/tuned/shadows_internal.h"
#include "vyre/ir/slots.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr std::uint32_t kSliceStep = 1U << 14;  // no tile of a variant is larger

constexpr const char* kCompareText = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> different: atomic<u32>;
@compute @workgroup_size(256)
fn compare(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&a) && a[id.x] != b[id.x]) {
    atomicAdd(&different, 1u);
  }
}
)";
constexpr Extent kCompareGroup{256, 1, 1};
constexpr std::uint32_t kCompareItems = 4;
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 32;  // bytes

// Parsed once, when the first session opens, because it would take too long in a call.
const Result<Kernel>& compare_kernel() {
  static const Result<Kernel> kernel = []() -> Result<Kernel> {
    const auto parsed = parse_wgsl(kCompareText, "compare.wgsl");
    if (!parsed.module) return fail(Code::internal, parsed.message());
    return make_kernel(*parsed.module->find("compare"));
  }();
  return kernel;
}

float half_value(std::uint16_t bits) {
  const std::uint32_t exponent = (bits >> 10) & 31U;
  const std::uint32_t fraction = bits & 1023U;
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) {
    return fraction != 0 ? std::nanf("") : sign * HUGE_VALF;
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), static_cast<int>(exponent) - 25);
}

bool near(float a, float b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  // Any share of an infinity is infinite.
  if (a == b || std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(double(a) - b) <= tolerance * std::max(std::abs(double(a)), std::abs(double(b)));
}

template <class Word, class Value>
std::uint64_t count_far(const std::byte* a, const std::byte* b, std::uint64_t bytes,
                        double tolerance, Value&& value) {
  std::uint64_t far = 0;
  for (std::uint64_t at = 0; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
    Word x{}, y{};
    std::memcpy(&x, a + at, sizeof(Word));
    std::memcpy(&y, b + at, sizeof(Word));
    if (x != y && !near(value(x), value(y), tolerance)) ++far;
  }
  return far;
}

Compared compared_as(ScalarKind kind) {
  return kind == ScalarKind::f32   ? Compared::f32
         : kind == ScalarKind::f16 ? Compared::f16
                                   : Compared::bits;
}

Compared compared_as(const Program& program, TypeId type) {
  // The kind of the scalars inside, if all have the same.
  const TypeTable& types = program.types;
  if (const auto* t = types.get_if<ArrayType>(type)) return compared_as(program, t->element);
  if (const auto* t = types.get_if<VectorType>(type)) {
    return compared_as(t->kind);
  }
  if (const auto* t = types.get_if<MatrixType>(type)) return compared_as(t->kind);
  if (const auto* t = types.get_if<ScalarType>(type)) {
    return compared_as(t->kind);
  }
  return Compared::bits;
}

Variant compare_variant() {
  Variant out;
  out.workgroup = kCompareGroup;
  out.items_per_lane = kCompareItems;
  return out;
}

}  // namespace

Slice slice_of(const Kernel& kernel, const Extent& extent) {
  const Slice whole{extent, {}};
  if (!kernel.stats.pointwise || depends_on_workgroup(kernel) || kernel.stats.atomics != 0) {
    return whole;
  }
  if (extent[1] != 1 || extent[2] != 1) return whole;
  const std::uint32_t n = extent[0];
  const std::uint32_t part = n / 16 / kSliceStep * kSliceStep + n % kSliceStep;
  if (part == 0 || part > n / 8) return whole;
  return {{part, 1, 1}, part};
}

std::vector<WrittenSlot> written_slots(const Kernel& kernel) {
  const Program& p = *kernel.program;
  std::vector<WrittenSlot> out;
  const std::vector<GlobalId> slots = slots_of(p);
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    const Global& g = p[slots[slot]];
    if (!is_written(g)) continue;
    const auto* array = p.types.get_if<ArrayType>(g.type);
    out.push_back(
        {slot, compared_as(p, g.type), array != nullptr ? p.types.stride(array->element) : 0});
  }
  return out;
}

Result<std::vector<DeviceMemory>> allocate_shadows(Device& device,
                                                   std::span<const std::uint64_t> bytes) {
  std::uint64_t all = 0;
  for (const std::uint64_t b : bytes) all = saturating_add(all, b);
  const auto info = device.memory_info();
  if (info && all > info->free / 2) {
    return fail(
        Code::out_of_memory,
        fmt::format("shadows of what it writes ({} bytes) do not fit beside it: {} bytes are free",
                    all, info->free));
  }
  std::vector<DeviceMemory> out;
  for (const std::uint64_t b : bytes) {
    auto memory = device.allocate_beside(std::max<std::uint64_t>(b, 4));
    if (!memory) {
      return fail(memory.error().code, fmt::format("there are no shadows of what it writes: {}",
                                                   describe(memory.error())));
    }
    out.push_back(*std::move(memory));
  }
  return out;
}

Result<std::shared_ptr<Queue>> make_side_queue(Device& device) {
  VYRE_TRY(auto out, device.make_side_queue());
  VYRE_TRY(const DeviceMemory word, device.allocate(4));
  std::array<std::byte, 4> nothing{};
  VYRE_CHECK(out->read({word.address, 4}, nothing));
  return out;
}

Result<void> make_comparing_ready(Device& device, CodeStore& codes, const WorkLimits& limits) {
  if (device.launch_costs().in_host_memory) return {};
  VYRE_TRY(const Kernel kernel, compare_kernel());
  return codes.make_ready(kernel, compare_variant(), {.wide_offsets = true}, limits);
}

bool is_comparing_ready(Device& device, const CodeStore& codes) {
  if (device.launch_costs().in_host_memory) return true;
  const auto& kernel = compare_kernel();
  return kernel && codes.keeps(*kernel, compare_variant(), {.wide_offsets = true});
}

Result<std::shared_ptr<const CompareTools>> make_compare_tools(Device& device, CodeStore& codes,
                                                               std::shared_ptr<Queue> aside) {
  auto out = std::make_shared<CompareTools>();
  if (device.launch_costs().in_host_memory) return out;
  VYRE_TRY(const Kernel kernel, compare_kernel());
  VYRE_TRY(auto found, codes.find_or_make(kernel, compare_variant(), {.wide_offsets = true}));
  out->code = std::move(found.code);
  out->aside = std::move(aside);
  if (out->aside == nullptr) {
    VYRE_TRY(out->aside, make_side_queue(device));
  }
  return out;
}

Result<std::unique_ptr<Comparer>> Comparer::make(std::shared_ptr<const CompareTools> tools,
                                                 std::shared_ptr<Queue> queue, Device& device) {
  auto out = std::make_unique<Comparer>();
  out->tools_ = std::move(tools);
  out->queue_ = std::move(queue);
  if (!out->on_host()) {
    VYRE_TRY(out->count_, device.allocate(4));
  }
  return out;
}

Result<void> Comparer::begin() {
  counted_on_host_ = 0;
  if (on_host()) return {};
  return queue_->clear({count_.address, 4});
}

void Comparer::count_on_host(const std::byte* a, const std::byte* b, std::uint64_t bytes,
                             Compared as, double tolerance) {
  if (std::memcmp(a, b, bytes) == 0) return;
  if (as == Compared::f32 && tolerance > 0) {
    counted_on_host_ += count_far<float>(a, b, bytes, tolerance, [](float v) { return v; });
  } else if (as == Compared::f16 && tolerance > 0) {
    counted_on_host_ += count_far<std::uint16_t>(a, b, bytes, tolerance, half_value);
  } else {
    ++counted_on_host_;
  }
}

Result<void> Comparer::add(BoundMemory a, BoundMemory b, Compared as, double tolerance) {
  const std::uint64_t bytes = std::min(a.bytes, b.bytes);
  if (bytes == 0) return {};
  if (on_host()) {
    const auto at = [](BoundMemory m) {
      return reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(m.address));
    };
    count_on_host(at(a), at(b), bytes, as, tolerance);
    return {};
  }
  if (tolerance > 0 && as != Compared::bits) {
    std::vector<std::byte> left(bytes), right(bytes);
    VYRE_CHECK(queue_->read({a.address, bytes}, left));
    VYRE_CHECK(queue_->read({b.address, bytes}, right));
    count_on_host(left.data(), right.data(), bytes, as, tolerance);
    return {};
  }
  if (bytes > kMostAtOnce) {
    for (std::uint64_t at = 0; at < bytes; at += kMostAtOnce) {
      const std::uint64_t count = std::min(kMostAtOnce, bytes - at);
      VYRE_CHECK(add({a.address + at, count}, {b.address + at, count}, as, tolerance));
    }
    return {};
  }
  const std::uint64_t words = bytes / 4;
  if (bytes % 4 != 0) {  // the host compares the last, incomplete word
    std::array<std::byte, 4> left{}, right{};
    const std::uint64_t rest = bytes % 4;
    VYRE_CHECK(queue_->read({a.address + words * 4, rest}, std::span(left).first(rest)));
    VYRE_CHECK(queue_->read({b.address + words * 4, rest}, std::span(right).first(rest)));
    if (left != right) ++counted_on_host_;
  }
  if (words == 0) return {};
  const std::array<BoundMemory, 3> bindings{BoundMemory{a.address, words * 4},
                                            BoundMemory{b.address, words * 4},
                                            BoundMemory{count_.address, 4}};
  Launch launch;
  launch.code = tools_->code.get();
  launch.kernel = "compare";
  launch.bindings = bindings;
  launch.workgroup = kCompareGroup;
  launch.extent = {static_cast<std::uint32_t>(words), 1, 1};
  constexpr std::uint64_t kCovered = std::uint64_t{kCompareGroup[0]} * kCompareItems;
  launch.grid = {static_cast<std::uint32_t>(ceil_div(words, kCovered)), 1, 1};
  return queue_->launch(launch);
}

Result<std::uint64_t> Comparer::different() {
  if (on_host()) return counted_on_host_;
  std::uint32_t count = 0;
  VYRE_CHECK(
      tools_->aside->read({count_.address, 4}, std::as_writable_bytes(std::span(&count, 1))));
  return counted_on_host_ + count;
}

}  // namespace vyre

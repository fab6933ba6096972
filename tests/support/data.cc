#include "support/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "support/random.h"

namespace vyre {
namespace {

std::uint64_t size_of(ScalarKind kind) { return kind == ScalarKind::f16 ? 2 : 4; }

void collect(const TypeTable& types, TypeId type, std::uint64_t offset, std::uint64_t bytes,
             std::vector<Scalar32>& out) {
  const auto repeat = [&](TypeId part, std::uint64_t count, std::uint64_t step) {
    for (std::uint64_t i = 0; i < count; ++i) {
      collect(types, part, offset + i * step, bytes, out);
    }
  };
  if (const auto* s = types.get_if<StructType>(type)) {
    for (const Member& m : s->members) collect(types, m.type, offset + m.offset, bytes, out);
  } else if (const auto* a = types.get_if<ArrayType>(type)) {
    const auto stride = types.stride(a->element);
    repeat(a->element, a->count != 0 ? a->count : (bytes - offset) / stride, stride);
  } else if (types.get_if<MatrixType>(type) != nullptr) {
    repeat(types.component(type), types.component_count(type), types.stride(types.component(type)));
  } else if (const auto* v = types.get_if<VectorType>(type)) {
    for (std::uint64_t i = 0; i < v->size; ++i) {
      out.push_back({v->kind, offset + i * size_of(v->kind)});
    }
  } else if (const auto* atomic = types.get_if<AtomicType>(type)) {
    for (std::uint64_t i = 0; i < atomic->size; ++i) out.push_back({atomic->kind, offset + i * 4});
  } else if (const auto kind = types.scalar_kind(type)) {
    out.push_back({*kind, offset});
  }
}

std::uint32_t random_word(Random& random, ScalarKind kind, std::uint64_t elements) {
  const auto pick = random.below(10);
  if (kind == ScalarKind::f32) {
    const float any = static_cast<float>(random.between(-400, 400)) / 100.0F;
    const float edge =
        random.of({0.0F,  -0.0F,       1.0F,          -1.0F,          0.5F,          1.5F,  2.5F,
                   -2.5F, 16777216.0F, 2147483648.0F, -2147483648.0F, 4294967296.0F, 1e10F, -1e10F,
                   3e38F, 1e-38F,      1e-45F,        65504.0F,       65520.0F,      1e-7F});
    return std::bit_cast<std::uint32_t>(pick < 7 ? any : edge);
  }
  if (kind == ScalarKind::f16) {
    if (pick < 8) return 0x3400U + random.below(0x1400) + (random.chance(0.5) ? 0x8000U : 0U);
    return random.of(
        {0x0000U, 0x8000U, 0x3C00U, 0xBC00U, 0x3800U, 0x0001U, 0x03FFU, 0x7BFFU, 0xFBFFU, 0x4248U});
  }
  if (pick < 5) return random.below(elements + 8);
  if (pick < 8) {
    return random.of({0U, 1U, 2U, 0xFFFFFFFFU, 0x80000000U, 0x7FFFFFFFU, 31U, 32U, 33U, 0xFFFFFFFEU,
                      0x40000000U, 0x10000000U, 5U, 7U});
  }
  return random.word();
}

double as_double(ScalarKind kind, std::uint32_t bits) {
  if (kind == ScalarKind::f16) {
    return static_cast<double>(f16_to_float(static_cast<std::uint16_t>(bits)));
  }
  return static_cast<double>(std::bit_cast<float>(bits));
}

bool alike(ScalarKind kind, std::uint32_t want, std::uint32_t got, double tolerance) {
  if (want == got) return true;
  if (!is_float(kind)) return false;
  const double w = as_double(kind, want);
  const double g = as_double(kind, got);
  if (std::isnan(w) || std::isnan(g)) return std::isnan(w) == std::isnan(g);
  // Any share of an infinity would allow every number.
  if (std::isinf(w) || std::isinf(g)) return false;
  return tolerance > 0 && std::fabs(w - g) <= tolerance * std::max(1.0, std::fabs(w));
}

}  // namespace

std::vector<const Global*> resources(const Program& p) {
  std::vector<const Global*> out;
  for (const Global& g : p.globals) {
    if (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) out.push_back(&g);
  }
  return out;
}

std::uint64_t bytes_for(const Program& p, const Global& g, std::uint64_t elements) {
  if (!p.types.contains_runtime_array(g.type)) return p.types.layout(g.type).size;
  const auto* s = p.types.get_if<StructType>(g.type);
  const TypeId array = s != nullptr ? s->members.back().type : g.type;
  const std::uint64_t start = s != nullptr ? s->members.back().offset : 0;
  const std::uint64_t bytes =
      start + std::max<std::uint64_t>(elements, 1) * p.types.stride(p.types.component(array));
  return std::max<std::uint64_t>(bytes, p.types.layout(g.type).size);
}

std::vector<Scalar32> scalars_in(const TypeTable& types, TypeId type, std::uint64_t bytes) {
  std::vector<Scalar32> out;
  collect(types, type, 0, bytes, out);
  return out;
}

Data random_data(const Program& p, std::uint64_t elements, std::uint64_t seed) {
  Random random(seed);
  Data out;
  for (const Global* g : resources(p)) {
    std::vector<std::byte> data(bytes_for(p, *g, elements), std::byte{0xA5});
    for (const Scalar32& s : scalars_in(p.types, g->type, data.size())) {
      const std::uint32_t word = random_word(random, s.kind, elements);
      std::memcpy(data.data() + s.offset, &word, size_of(s.kind));
    }
    out.push_back(std::move(data));
  }
  return out;
}

std::string first_difference(const Program& p, const Data& want, const Data& got,
                             double tolerance) {
  const auto globals = resources(p);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] == got[i]) continue;
    std::vector<bool> seen(want[i].size());
    const double allowed = globals[i]->name == "near" ? std::max(tolerance, 1e-3) : tolerance;
    for (const Scalar32& s : scalars_in(p.types, globals[i]->type, want[i].size())) {
      std::uint32_t w = 0, g = 0;
      std::memcpy(&w, want[i].data() + s.offset, size_of(s.kind));
      std::memcpy(&g, got[i].data() + s.offset, size_of(s.kind));
      for (std::uint64_t k = 0; k < size_of(s.kind); ++k) seen[s.offset + k] = true;
      if (alike(s.kind, w, g, allowed)) continue;
      const bool floats = is_float(s.kind);
      return fmt::format("{} at byte {}: {:#x}{}, not {:#x}{}", globals[i]->name, s.offset, g,
                         floats ? fmt::format(" ({})", as_double(s.kind, g)) : "", w,
                         floats ? fmt::format(" ({})", as_double(s.kind, w)) : "");
    }
    for (std::size_t k = 0; k < want[i].size(); ++k) {
      if (!seen[k] && want[i][k] != got[i][k]) {
        return fmt::format("{} at byte {}, which belongs to no value", globals[i]->name, k);
      }
    }
  }
  return {};
}

}  // namespace vyre

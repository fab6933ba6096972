#include "vyre/cli/run/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vyre/cli/values.h"

namespace vyre {
namespace {

bool is_float(const Scalar& s) { return s.kind == ScalarKind::f32 || s.kind == ScalarKind::f16; }
bool is_nan(const Scalar& s) { return is_float(s) && std::isnan(s.as_double()); }

// Floats in order as whole numbers, 0 and -0 at the same place.
std::int64_t rank(const Scalar& s) {
  const std::uint64_t sign = s.kind == ScalarKind::f16 ? 0x8000 : 0x80000000;
  const auto magnitude = static_cast<std::int64_t>(s.bits & (sign - 1));
  return (s.bits & sign) != 0 ? -magnitude : magnitude;
}

// The way from a value to the scalar at a byte of it: ".velocity.x", "[3]".
std::string scalar_path(const TypeTable& types, TypeId type, std::uint64_t offset) {
  if (const auto* structure = types.get_if<StructType>(type)) {
    const Member* inside = &structure->members.front();
    for (const Member& member : structure->members) {
      if (member.offset <= offset) inside = &member;
    }
    return "." + inside->name + scalar_path(types, inside->type, offset - inside->offset);
  }
  if (types.component_count(type) == 0 && types.get_if<ArrayType>(type) == nullptr) return "";
  const TypeId part = types.component(type);
  const bool vector = types.get_if<VectorType>(type) != nullptr;
  const std::uint64_t stride = vector ? types.layout(part).size : types.stride(part);
  const std::uint64_t index = offset / stride;
  const std::string step =
      vector ? fmt::format(".{}", "xyzw"[index % 4]) : fmt::format("[{}]", index);
  return step + scalar_path(types, part, offset % stride);
}

struct Place {
  std::uint64_t offset = 0;
  ScalarKind kind = ScalarKind::u32;
};

class Comparer {
 public:
  Comparer(std::span<const std::byte> got, std::span<const std::byte> expected,
           const Tolerance& tolerance, Comparison& into)
      : got_(got), expected_(expected), tolerance_(tolerance), into_(into) {}

  template <class Name>
  void at(std::uint64_t offset, ScalarKind kind, const Name& name) {
    ++into_.scalars;
    if (std::memcmp(&got_[offset], &expected_[offset], scalar_bytes(kind)) == 0) return;
    const Scalar a = load_scalar(got_, offset, kind), b = load_scalar(expected_, offset, kind);
    if (is_nan(a) && is_nan(b)) return;
    const std::uint64_t ulps = ulps_apart(a, b);
    into_.most_ulps = std::max(into_.most_ulps, ulps);
    if (close_enough(a, b, tolerance_)) {
      ++into_.inexact;
      return;
    }
    ++into_.different;
    if (into_.first.size() < kShownDifferences) into_.first.push_back({name(), a, b, ulps});
  }

 private:
  std::span<const std::byte> got_, expected_;
  const Tolerance& tolerance_;
  Comparison& into_;
};

}  // namespace

Result<Tolerance> parse_tolerance(std::string_view text) {
  constexpr std::string_view kUlp = "ulp";
  const bool ulps = text.ends_with(kUlp);
  const auto value =
      parse_number(ulps ? text.substr(0, text.size() - kUlp.size()) : std::string_view(text));
  if (!value || *value < 0 || (ulps && *value != std::floor(*value))) {
    return fail(Code::invalid_input, fmt::format("{} is not a tolerance", quote(text)),
                "write it like 4ulp, or like 1e-5 for a share of the larger magnitude");
  }
  if (*value == 0) return Tolerance{};
  return Tolerance{ulps ? Tolerance::Kind::ulps : Tolerance::Kind::relative, *value};
}

std::string describe(const Tolerance& tolerance) {
  switch (tolerance.kind) {
    case Tolerance::Kind::exact: return "bit for bit";
    case Tolerance::Kind::ulps: return fmt::format("within {} ulp", tolerance.value);
    case Tolerance::Kind::relative:
      return fmt::format("within {} of the larger magnitude", tolerance.value);
  }
  return "";
}

std::uint64_t ulps_apart(const Scalar& a, const Scalar& b) {
  if (!is_float(a) || !std::isfinite(a.as_double()) || !std::isfinite(b.as_double())) return 0;
  return static_cast<std::uint64_t>(std::abs(rank(a) - rank(b)));
}

bool close_enough(const Scalar& a, const Scalar& b, const Tolerance& tolerance) {
  if (a.bits == b.bits || (is_nan(a) && is_nan(b))) return true;
  if (!is_float(a) || tolerance.kind == Tolerance::Kind::exact) return false;
  const double x = a.as_double(), y = b.as_double();
  if (!std::isfinite(x) || !std::isfinite(y)) return x == y;
  if (tolerance.kind == Tolerance::Kind::ulps) {
    return static_cast<double>(ulps_apart(a, b)) <= tolerance.value;
  }
  return std::abs(x - y) <= tolerance.value * std::max(std::abs(x), std::abs(y));
}

void compare_buffers(const TypeTable& types, const BufferLayout& layout, std::string_view name,
                     std::span<const std::byte> got, std::span<const std::byte> expected,
                     const Tolerance& tolerance, Comparison& into) {
  std::vector<Place> places;
  for_each_scalar(types, layout.element, 0,
                  [&](std::uint64_t offset, ScalarKind kind) { places.push_back({offset, kind}); });
  Comparer comparer(got, expected, tolerance, into);
  if (layout.header_bytes != 0) {
    const auto& members = types.get_if<StructType>(layout.type)->members;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      for_each_scalar(types, members[i].type, members[i].offset,
                      [&](std::uint64_t offset, ScalarKind kind) {
                        comparer.at(offset, kind, [&] {
                          return fmt::format("{}{}", name, scalar_path(types, layout.type, offset));
                        });
                      });
    }
  }
  const std::uint64_t elements = layout.elements_in(got.size());
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t begin = layout.header_bytes + i * layout.stride;
    if (std::memcmp(&got[begin], &expected[begin], layout.stride) == 0) {
      into.scalars += places.size();
      continue;
    }
    for (const Place& place : places) {
      comparer.at(begin + place.offset, place.kind, [&] {
        return fmt::format("{}{}", name, scalar_path(types, layout.type, begin + place.offset));
      });
    }
  }
}

}  // namespace vyre

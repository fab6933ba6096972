#include "vyre/data/fill.h"

#include <fmt/format.h>

#include "vyre/data/number_text.h"

namespace vyre {
namespace {

std::uint64_t split_mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31);
}

Scalar iota_scalar(std::uint64_t i, ScalarKind kind) {
  if (kind == ScalarKind::f32) return Scalar::of(static_cast<float>(i));
  if (kind == ScalarKind::f16) return {kind, double_to_f16(static_cast<double>(i))};
  return {kind, i & 0xffffffffU};
}

// Calls visit(offset, kind) for every scalar of a buffer of `bytes` bytes.
template <class Visit>
void for_each_scalar_of_buffer(const TypeTable& types, const BufferLayout& layout,
                               std::uint64_t bytes, Visit&& visit) {
  if (layout.header_bytes != 0) {
    const auto& members = types.get_if<StructType>(layout.type)->members;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      for_each_scalar(types, members[i].type, members[i].offset, visit);
    }
  }
  const std::uint64_t elements = layout.elements_in(bytes);
  for (std::uint64_t i = 0; i < elements; ++i) {
    for_each_scalar(types, layout.element, layout.header_bytes + i * layout.stride, visit);
  }
}

}  // namespace

Result<Fill> parse_fill(std::string_view text) {
  constexpr std::string_view kForms = "zeros, iota, const=V or random=SEED, each with :N or not";
  const std::size_t colon = text.find(':');
  const std::string_view body = text.substr(0, colon);
  const std::size_t equals = body.find('=');
  const std::string_view word = body.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? body.substr(equals + 1) : std::string_view();

  Fill fill;
  if (word == "zeros" || word == "iota") {
    if (has_value) {
      return fail(Code::invalid_input, fmt::format("fill:{} takes no value", word));
    }
    fill.kind = word == "zeros" ? Fill::Kind::zeros : Fill::Kind::iota;
  } else if (word == "const") {
    fill.kind = Fill::Kind::constant;
    fill.value = value;
    // Only checks that it is a number; whether it fits depends on the type of the buffer.
    if (!parse_scalar(value, ScalarKind::f32) && !parse_scalar(value, ScalarKind::i32)) {
      return fail(Code::invalid_input, fmt::format("{} is not a number", quote(value)),
                  "write fill:const=1.5");
    }
  } else if (word == "random") {
    fill.kind = Fill::Kind::random;
    const auto seed = parse_whole(value);
    if (!seed) {
      return fail(Code::invalid_input,
                  fmt::format("{} is not a seed (a whole number)", quote(value)),
                  "write fill:random=1");
    }
    fill.seed = *seed;
  } else {
    return fail(Code::invalid_input, fmt::format("{} is not a fill", quote(body)),
                fmt::format("there are {}", kForms));
  }
  if (colon != std::string_view::npos) {
    VYRE_TRY(fill.elements, parse_whole(text.substr(colon + 1)));
    if (*fill.elements == 0) {
      return fail(Code::invalid_input, "a fill of 0 elements; the least is 1");
    }
  }
  return fill;
}

std::string describe(const Fill& fill) {
  switch (fill.kind) {
    case Fill::Kind::zeros: return "fill:zeros";
    case Fill::Kind::iota: return "fill:iota";
    case Fill::Kind::constant: return fmt::format("fill:const={}", fill.value);
    case Fill::Kind::random: return fmt::format("fill:random={}", fill.seed);
  }
  return "";
}

Scalar random_scalar(std::uint64_t seed, std::uint64_t i, ScalarKind kind) {
  const std::uint64_t bits = split_mix(seed + (i + 1) * 0x9e3779b97f4a7c15U);
  if (kind == ScalarKind::f32) return Scalar::of(static_cast<float>(bits >> 40) * 0x1p-24F);
  if (kind == ScalarKind::f16) return Scalar::of_f16(static_cast<float>(bits >> 53) * 0x1p-11F);
  return {kind, bits >> 32};
}

Result<void> apply_fill(const TypeTable& types, const BufferLayout& layout, const Fill& fill,
                        std::span<std::byte> memory) {
  std::uint64_t i = 0;
  std::optional<Error> error;
  for_each_scalar_of_buffer(types, layout, memory.size(),
                            [&](std::uint64_t offset, ScalarKind kind) {
                              switch (fill.kind) {
                                case Fill::Kind::zeros:
                                  store_scalar(memory, offset, {kind, 0});
                                  break;
                                case Fill::Kind::iota:
                                  store_scalar(memory, offset, iota_scalar(i, kind));
                                  break;
                                case Fill::Kind::random:
                                  store_scalar(memory, offset, random_scalar(fill.seed, i, kind));
                                  break;
                                case Fill::Kind::constant: {
                                  const auto value = parse_scalar(fill.value, kind);
                                  if (!value && !error) error = value.error();
                                  if (value) store_scalar(memory, offset, *value);
                                  break;
                                }
                              }
                              ++i;
                            });
  if (error) return std::unexpected(*error);
  return {};
}

}  // namespace vyre

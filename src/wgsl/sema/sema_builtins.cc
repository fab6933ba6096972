#include "vyre/wgsl/sema/sema_builtins.h"

#include <algorithm>
#include <vector>

namespace vyre::sema {
namespace {

constexpr Pattern kFloat1[] = {{"T", 'T', kFloats}};
constexpr Pattern kFloat2[] = {{"TT", 'T', kFloats}};
constexpr Pattern kFloat3[] = {{"TTT", 'T', kFloats}};
constexpr Pattern kNumber1[] = {{"T", 'T', kNumbers}};
constexpr Pattern kNumber2[] = {{"TT", 'T', kNumbers}};
constexpr Pattern kNumber3[] = {{"TTT", 'T', kNumbers}};
constexpr Pattern kSigned1[] = {{"T", 'T', kSigned}};
constexpr Pattern kInteger1[] = {{"T", 'T', kConcreteIntegers}};
constexpr Pattern kBool1[] = {{"T", 'b', kBool}};
constexpr Pattern kCross[] = {{"33", '3', kFloats}};
constexpr Pattern kDeterminant[] = {{"Q", 'S', kFloats}};
constexpr Pattern kDistance[] = {{"TT", 'S', kFloats}};
constexpr Pattern kLength[] = {{"T", 'S', kFloats}};
constexpr Pattern kDot[] = {{"VV", 'S', kNumbers}};
constexpr Pattern kDotPackedU[] = {{"uu", 'u', kU32}};
constexpr Pattern kDotPackedI[] = {{"uu", 'i', kU32}};
constexpr Pattern kExtractBits[] = {{"Tuu", 'T', kConcreteIntegers}};
constexpr Pattern kInsertBits[] = {{"TTuu", 'T', kConcreteIntegers}};
constexpr Pattern kFrexp[] = {{"T", 'X', kFloats}};
constexpr Pattern kModf[] = {{"T", 'Y', kFloats}};
constexpr Pattern kLdexp[] = {{"TI", 'T', kind_bit(ScalarKind::abstract_float)},
                              {"TJ", 'T', kFloats}};
constexpr Pattern kMix[] = {{"TTT", 'T', kFloats}, {"VVS", 'V', kFloats}};
constexpr Pattern kVector1[] = {{"V", 'V', kFloats}};
constexpr Pattern kVector2[] = {{"VV", 'V', kFloats}};
constexpr Pattern kVector3[] = {{"VVV", 'V', kFloats}};
constexpr Pattern kRefract[] = {{"VVS", 'V', kFloats}};
constexpr Pattern kQuantize[] = {{"T", 'T', kF32}};
constexpr Pattern kTranspose[] = {{"M", 'm', kFloats}};
constexpr Pattern kPack4Float[] = {{"4", 'u', kF32}};
constexpr Pattern kPack2Float[] = {{"2", 'u', kF32}};
constexpr Pattern kPack4Signed[] = {{"4", 'u', kI32}};
constexpr Pattern kPack4Unsigned[] = {{"4", 'u', kU32}};
constexpr Pattern kUnpack4Float[] = {{"u", '4', kF32}};
constexpr Pattern kUnpack2Float[] = {{"u", '2', kF32}};
constexpr Pattern kUnpack4Signed[] = {{"u", '4', kI32}};
constexpr Pattern kUnpack4Unsigned[] = {{"u", '4', kU32}};

constexpr MathBuiltin kMath[] = {
    {"abs", MathFn::abs, kNumber1},
    {"acos", MathFn::acos, kFloat1},
    {"acosh", MathFn::acosh, kFloat1},
    {"all", MathFn::all, kBool1},
    {"any", MathFn::any, kBool1},
    {"asin", MathFn::asin, kFloat1},
    {"asinh", MathFn::asinh, kFloat1},
    {"atan", MathFn::atan, kFloat1},
    {"atan2", MathFn::atan2, kFloat2},
    {"atanh", MathFn::atanh, kFloat1},
    {"ceil", MathFn::ceil, kFloat1},
    {"clamp", MathFn::clamp, kNumber3},
    {"cos", MathFn::cos, kFloat1},
    {"cosh", MathFn::cosh, kFloat1},
    {"countLeadingZeros", MathFn::count_leading_zeros, kInteger1},
    {"countOneBits", MathFn::count_one_bits, kInteger1},
    {"countTrailingZeros", MathFn::count_trailing_zeros, kInteger1},
    {"cross", MathFn::cross, kCross},
    {"degrees", MathFn::degrees, kFloat1},
    {"determinant", MathFn::determinant, kDeterminant},
    {"distance", MathFn::distance, kDistance},
    {"dot", MathFn::dot, kDot},
    {"dot4I8Packed", MathFn::dot4_i8_packed, kDotPackedI},
    {"dot4U8Packed", MathFn::dot4_u8_packed, kDotPackedU},
    {"exp", MathFn::exp, kFloat1},
    {"exp2", MathFn::exp2, kFloat1},
    {"extractBits", MathFn::extract_bits, kExtractBits},
    {"faceForward", MathFn::face_forward, kVector3},
    {"firstLeadingBit", MathFn::first_leading_bit, kInteger1},
    {"firstTrailingBit", MathFn::first_trailing_bit, kInteger1},
    {"floor", MathFn::floor, kFloat1},
    {"fma", MathFn::fma, kFloat3},
    {"fract", MathFn::fract, kFloat1},
    {"frexp", MathFn::frexp, kFrexp},
    {"insertBits", MathFn::insert_bits, kInsertBits},
    {"inverseSqrt", MathFn::inverse_sqrt, kFloat1},
    {"ldexp", MathFn::ldexp, kLdexp},
    {"length", MathFn::length, kLength},
    {"log", MathFn::log, kFloat1},
    {"log2", MathFn::log2, kFloat1},
    {"max", MathFn::max, kNumber2},
    {"min", MathFn::min, kNumber2},
    {"mix", MathFn::mix, kMix},
    {"modf", MathFn::modf, kModf},
    {"normalize", MathFn::normalize, kVector1},
    {"pack2x16float", MathFn::pack2x16_float, kPack2Float},
    {"pack2x16snorm", MathFn::pack2x16_snorm, kPack2Float},
    {"pack2x16unorm", MathFn::pack2x16_unorm, kPack2Float},
    {"pack4x8snorm", MathFn::pack4x8_snorm, kPack4Float},
    {"pack4x8unorm", MathFn::pack4x8_unorm, kPack4Float},
    {"pack4xI8", MathFn::pack4x_i8, kPack4Signed},
    {"pack4xI8Clamp", MathFn::pack4x_i8_clamp, kPack4Signed},
    {"pack4xU8", MathFn::pack4x_u8, kPack4Unsigned},
    {"pack4xU8Clamp", MathFn::pack4x_u8_clamp, kPack4Unsigned},
    {"pow", MathFn::pow, kFloat2},
    {"quantizeToF16", MathFn::quantize_to_f16, kQuantize},
    {"radians", MathFn::radians, kFloat1},
    {"reflect", MathFn::reflect, kVector2},
    {"refract", MathFn::refract, kRefract},
    {"reverseBits", MathFn::reverse_bits, kInteger1},
    {"round", MathFn::round, kFloat1},
    {"saturate", MathFn::saturate, kFloat1},
    {"sign", MathFn::sign, kSigned1},
    {"sin", MathFn::sin, kFloat1},
    {"sinh", MathFn::sinh, kFloat1},
    {"smoothstep", MathFn::smoothstep, kFloat3},
    {"sqrt", MathFn::sqrt, kFloat1},
    {"step", MathFn::step, kFloat2},
    {"tan", MathFn::tan, kFloat1},
    {"tanh", MathFn::tanh, kFloat1},
    {"transpose", MathFn::transpose, kTranspose},
    {"trunc", MathFn::trunc, kFloat1},
    {"unpack2x16float", MathFn::unpack2x16_float, kUnpack2Float},
    {"unpack2x16snorm", MathFn::unpack2x16_snorm, kUnpack2Float},
    {"unpack2x16unorm", MathFn::unpack2x16_unorm, kUnpack2Float},
    {"unpack4x8snorm", MathFn::unpack4x8_snorm, kUnpack4Float},
    {"unpack4x8unorm", MathFn::unpack4x8_unorm, kUnpack4Float},
    {"unpack4xI8", MathFn::unpack4x_i8, kUnpack4Signed},
    {"unpack4xU8", MathFn::unpack4x_u8, kUnpack4Unsigned},
};

constexpr SpecialEntry kSpecial[] = {
    {"arrayLength", SpecialBuiltin::array_length},
    {"atomicAdd", SpecialBuiltin::atomic, AtomicOp::add},
    {"atomicAnd", SpecialBuiltin::atomic, AtomicOp::bit_and},
    {"atomicCompareExchangeWeak", SpecialBuiltin::atomic_compare_exchange,
     AtomicOp::compare_exchange},
    {"atomicExchange", SpecialBuiltin::atomic, AtomicOp::exchange},
    {"atomicLoad", SpecialBuiltin::atomic, AtomicOp::load},
    {"atomicMax", SpecialBuiltin::atomic, AtomicOp::max},
    {"atomicMin", SpecialBuiltin::atomic, AtomicOp::min},
    {"atomicOr", SpecialBuiltin::atomic, AtomicOp::bit_or},
    {"atomicStore", SpecialBuiltin::atomic, AtomicOp::store},
    {"atomicStoreMax", SpecialBuiltin::atomic_wide, AtomicOp::max},
    {"atomicStoreMin", SpecialBuiltin::atomic_wide, AtomicOp::min},
    {"atomicSub", SpecialBuiltin::atomic, AtomicOp::sub},
    {"atomicXor", SpecialBuiltin::atomic, AtomicOp::bit_xor},
    {"bitcast", SpecialBuiltin::bitcast},
    {"bufferArrayView", SpecialBuiltin::buffer_array_view},
    {"bufferLength", SpecialBuiltin::buffer_length},
    {"bufferView", SpecialBuiltin::buffer_view},
    {"select", SpecialBuiltin::select},
    {"storageBarrier", SpecialBuiltin::storage_barrier},
    {"textureBarrier", SpecialBuiltin::texture_barrier},
    {"workgroupBarrier", SpecialBuiltin::workgroup_barrier},
    {"workgroupUniformLoad", SpecialBuiltin::workgroup_uniform_load},
};

constexpr Pattern kSelect[] = {{"TTb", 'T', kScalars}, {"VVw", 'V', kScalars}};

constexpr Pattern kNegate[] = {{"T", 'T', kSigned}};
constexpr Pattern kNot[] = {{"T", 'T', kBool}};
constexpr Pattern kComplement[] = {{"T", 'T', kIntegers}};

constexpr Pattern kAdd[] = {
    {"TT", 'T', kNumbers}, {"VS", 'V', kNumbers}, {"SV", 'V', kNumbers}, {"MM", 'M', kFloats}};
constexpr Pattern kMultiply[] = {
    {"TT", 'T', kNumbers}, {"VS", 'V', kNumbers}, {"SV", 'V', kNumbers}, {"MS", 'M', kFloats},
    {"SM", 'M', kFloats},  {"MC", 'R', kFloats},  {"RM", 'C', kFloats},  {"AK", 'M', kFloats}};
constexpr Pattern kDivide[] = {{"TT", 'T', kNumbers}, {"VS", 'V', kNumbers}, {"SV", 'V', kNumbers}};
constexpr Pattern kEqual[] = {{"TT", 'B', kScalars}};
constexpr Pattern kLess[] = {{"TT", 'B', kNumbers}};
constexpr Pattern kBitwise[] = {{"TT", 'T', kIntegers | kBool}};
constexpr Pattern kXor[] = {{"TT", 'T', kIntegers}};
constexpr Pattern kShift[] = {{"TU", 'T', kIntegers}};

// Names of WGSL and of its dialects that vyre recognises and does not support.
struct Refused {
  std::string_view name;
  bool prefix;
  std::string_view why;
};
constexpr std::string_view kNoWide = "vyre has no 64-bit numbers (docs/wgsl.md)";
constexpr std::string_view kNoCooperation = "vyre has no cooperative matrices (docs/wgsl.md)";
constexpr std::string_view kNoRays = "vyre has no ray queries (docs/wgsl.md)";
constexpr Refused kRefused[] = {
    {"subgroupMatrix", true, "vyre has no subgroup matrices (docs/wgsl.md)"},
    {"subgroup_matrix", true, "vyre has no subgroup matrices (docs/wgsl.md)"},
    {"coop_mat", true, kNoCooperation},
    {"binding_array", false, "vyre has no arrays of bindings (docs/wgsl.md)"},
    {"i64", false, kNoWide},
    {"u64", false, kNoWide},
    {"f64", false, kNoWide},
    {"rayQuery", true, kNoRays},
    {"ray_query", false, kNoRays},
    {"acceleration_structure", false, kNoRays},
    {"texel_buffer", false, "vyre has no texel buffers (docs/wgsl.md)"},
    {"textureAtomic", true, "vyre has no atomic operations on textures (docs/wgsl.md)"},
    {"subgroupBarrier", false, "vyre has no barrier for a subgroup alone (docs/wgsl.md)"},
    {"coopLoad", true, kNoCooperation},
    {"coopStore", true, kNoCooperation},
    {"coopMultiplyAdd", false, kNoCooperation},
    {"push_constant", false, "WGSL has the address space 'immediate' instead (docs/wgsl.md)"},
};

// Of extensions and language features that other implementations or proposals have.
constexpr Refused kRefusedDirectives[] = {
    {"wgpu_ray", true, "vyre has no ray queries"},
    {"wgpu_cooperative_matrix", false, "vyre has no cooperative matrices"},
    {"wgpu_binding_array", false, "vyre has no arrays of bindings"},
    {"wgpu_mesh_shader", false, "vyre has no mesh shaders"},
    {"wgpu_", true, "only wgpu has it"},
    {"naga_", true, "only naga has it"},
    {"chromium_experimental_subgroup_matrix", false, "vyre has no subgroup matrices"},
    {"chromium_", true, "only Chromium has it"},
    {"subgroup_matrix", false, "vyre has no subgroup matrices"},
    {"sized_binding_arrays", false, "vyre has no arrays of bindings"},
    {"texel_buffers", false, "vyre has no texel buffers"},
};

std::string_view why_in(std::span<const Refused> list, std::string_view name) {
  for (const Refused& refused : list) {
    if (refused.prefix ? name.starts_with(refused.name) : name == refused.name) return refused.why;
  }
  return {};
}

}  // namespace

const MathBuiltin* find_math(std::string_view name) {
  const auto* at = std::ranges::lower_bound(kMath, name, {}, &MathBuiltin::name);
  return at != std::end(kMath) && at->name == name ? at : nullptr;
}

const SpecialEntry* find_special(std::string_view name) {
  const auto* at = std::ranges::lower_bound(kSpecial, name, {}, &SpecialEntry::name);
  return at != std::end(kSpecial) && at->name == name ? at : nullptr;
}

bool is_buffer_function(SpecialBuiltin which) {
  return which == SpecialBuiltin::buffer_view || which == SpecialBuiltin::buffer_array_view ||
         which == SpecialBuiltin::buffer_length;
}

bool takes_template(SpecialBuiltin which) {
  return which == SpecialBuiltin::bitcast || which == SpecialBuiltin::buffer_view ||
         which == SpecialBuiltin::buffer_array_view;
}

bool has_effects(SpecialBuiltin which) {
  return which != SpecialBuiltin::select && which != SpecialBuiltin::bitcast &&
         which != SpecialBuiltin::array_length && !is_buffer_function(which);
}

std::span<const Pattern> select_patterns() { return kSelect; }

std::span<const Pattern> unary_patterns(UnaryOp op) {
  switch (op) {
    case UnaryOp::negate: return kNegate;
    case UnaryOp::logical_not: return kNot;
    case UnaryOp::bit_not: return kComplement;
  }
  return {};
}

std::span<const Pattern> binary_patterns(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub: return kAdd;
    case BinaryOp::mul: return kMultiply;
    case BinaryOp::div:
    case BinaryOp::rem: return kDivide;
    case BinaryOp::equal:
    case BinaryOp::not_equal: return kEqual;
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal: return kLess;
    case BinaryOp::bit_and:
    case BinaryOp::bit_or: return kBitwise;
    case BinaryOp::bit_xor: return kXor;
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return kShift;
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: break;
  }
  return {};
}

std::string_view refusal(std::string_view name) { return why_in(kRefused, name); }
std::string_view directive_refusal(std::string_view name) {
  return why_in(kRefusedDirectives, name);
}

std::span<const std::string_view> builtin_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const MathBuiltin& b : kMath) all.push_back(b.name);
    for (const SpecialEntry& b : kSpecial) all.push_back(b.name);
    return all;
  }();
  return names;
}

}  // namespace vyre::sema

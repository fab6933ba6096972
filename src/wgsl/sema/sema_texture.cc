#include "vyre/wgsl/sema/sema_texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_overload.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

using Class = HandleInfo::Class;
using Shape = HandleInfo::Shape;

// ---- Types

struct HandleName {
  std::string_view name;
  Class kind;
  Shape shape = Shape::d2;
};
constexpr HandleName kHandles[] = {
    {"sampler", Class::sampler},
    {"sampler_comparison", Class::sampler_comparison},
    {"texture_1d", Class::sampled, Shape::d1},
    {"texture_2d", Class::sampled},
    {"texture_2d_array", Class::sampled, Shape::d2_array},
    {"texture_3d", Class::sampled, Shape::d3},
    {"texture_cube", Class::sampled, Shape::cube},
    {"texture_cube_array", Class::sampled, Shape::cube_array},
    {"texture_depth_2d", Class::depth},
    {"texture_depth_2d_array", Class::depth, Shape::d2_array},
    {"texture_depth_cube", Class::depth, Shape::cube},
    {"texture_depth_cube_array", Class::depth, Shape::cube_array},
    {"texture_depth_multisampled_2d", Class::depth_multisampled},
    {"texture_external", Class::external},
    {"texture_multisampled_2d", Class::multisampled},
    {"texture_storage_1d", Class::storage, Shape::d1},
    {"texture_storage_2d", Class::storage},
    {"texture_storage_2d_array", Class::storage, Shape::d2_array},
    {"texture_storage_3d", Class::storage, Shape::d3},
};

constexpr std::string_view kFormats[] = {
    "bgra8unorm",  "r16float",      "r16sint",     "r16snorm",     "r16uint",     "r16unorm",
    "r32float",    "r32sint",       "r32uint",     "r8sint",       "r8snorm",     "r8uint",
    "r8unorm",     "rg11b10ufloat", "rg16float",   "rg16sint",     "rg16snorm",   "rg16uint",
    "rg16unorm",   "rg32float",     "rg32sint",    "rg32uint",     "rg8sint",     "rg8snorm",
    "rg8uint",     "rg8unorm",      "rgb10a2uint", "rgb10a2unorm", "rgba16float", "rgba16sint",
    "rgba16snorm", "rgba16uint",    "rgba16unorm", "rgba32float",  "rgba32sint",  "rgba32uint",
    "rgba8sint",   "rgba8snorm",    "rgba8uint",   "rgba8unorm",
};

const HandleName* find_handle(std::string_view name) {
  const auto* at = std::ranges::find(kHandles, name, &HandleName::name);
  return at == std::end(kHandles) ? nullptr : at;
}

ScalarKind kind_of_format(std::string_view format) {
  if (format.ends_with("uint")) return ScalarKind::u32;
  return format.ends_with("sint") ? ScalarKind::i32 : ScalarKind::f32;
}

// Formats of the language feature texture_formats_tier1: of one and two components of 8 and 16
// bits, of packed components, and 16-bit normalised ones.
bool is_tier1(std::string_view format) {
  return format.starts_with("r8") || format.starts_with("rg8") || format.starts_with("r16") ||
         format.starts_with("rg16") || format.starts_with("rgb10") || format.starts_with("rg11") ||
         format == "rgba16unorm" || format == "rgba16snorm";
}

std::optional<std::string> sampled_arguments(Context& cx, const ast::Identifier& name,
                                             HandleInfo& info) {
  const auto type = resolve_type(cx, *name.template_args[0]);
  if (!type) return std::nullopt;
  const auto* scalar = cx.types().get_if<ScalarType>(*type);
  const auto kind = scalar == nullptr ? ScalarKind::boolean : scalar->kind;
  if (kind != ScalarKind::f32 && kind != ScalarKind::i32 && kind != ScalarKind::u32) {
    cx.error(name.template_args[0]->span, fmt::format("{} is made of f32, i32 or u32; {} is not",
                                                      name.name.text, cx.spell(*type)));
    return std::nullopt;
  }
  info.scalar = kind;
  return std::string(to_string(kind));
}

std::optional<std::string> storage_arguments(Context& cx, const ast::Identifier& name,
                                             HandleInfo& info) {
  const ast::Expr& written = *name.template_args[0];
  const auto format = enumerant(cx, written, "a texel format");
  if (!format) return std::nullopt;
  if (std::ranges::find(kFormats, *format) == std::end(kFormats)) {
    cx.error(written.span, fmt::format("'{}' is not a texel format of storage textures", *format));
    return std::nullopt;
  }
  const ast::Expr& mode = *name.template_args[1];
  const auto text = enumerant(cx, mode, "an access mode");
  if (!text) return std::nullopt;
  const auto access = find_access(*text);
  if (!access) {
    cx.error(mode.span, fmt::format("'{}' is not an access mode", *text));
    return std::nullopt;
  }
  if (*access != Access::write) note_feature(cx, "readonly_and_readwrite_storage_textures");
  if (is_tier1(*format)) note_feature(cx, "texture_formats_tier1");
  info.scalar = kind_of_format(*format);
  info.access = *access;
  return fmt::format("{}, {}", *format, *text);
}

// ---- Functions

using Set = std::uint16_t;
template <class... E>
constexpr Set set_of(E... e) {
  return static_cast<Set>((0U | ... | (1U << static_cast<unsigned>(e))));
}
constexpr Set kSampled = set_of(Class::sampled);
constexpr Set kDepth = set_of(Class::depth);
constexpr Set kMulti = set_of(Class::multisampled, Class::depth_multisampled);
constexpr Set kStorage = set_of(Class::storage);
constexpr Set kExternal = set_of(Class::external);
constexpr Set kFlat = set_of(Shape::d2, Shape::d2_array);
constexpr Set kCubes = set_of(Shape::cube, Shape::cube_array);
constexpr Set kD1 = set_of(Shape::d1), kD3 = set_of(Shape::d3);
constexpr Set kArrays = set_of(Shape::d2_array, Shape::cube_array);
constexpr Set kShapes = kFlat | kCubes | kD1 | kD3;

// The overloads of one function for a set of textures. A letter describes a parameter, shaped by
// the texture:
//   t  the texture            s S  sampler, sampler_comparison     n  component: 0 to 3, constant
//   c  f32 coordinates        x  integer coordinates               a  array index, if it is arrayed
//   f  f32                    i  i32 or u32                        g  f32, one per coordinate
//   v  vec4 of its texels     o  offset: constant, -8 to 7, may be left out; not for cubes and 1D
//   l  level: i32 or u32, may be left out
// Results: V vec4 of its texels, F vec4<f32>, R V or f32 (depth), f f32, u u32, D its dimensions,
// and space for none.
struct TextureFunction {
  std::string_view name;
  Set classes, shapes;
  std::string_view parameters;
  char result;
  bool float_only = false;  // the texels of a sampled texture
  bool derivative = false;  // computes one: fragment shaders, uniform control flow
};
constexpr TextureFunction kFunctions[] = {
    {"textureDimensions", kSampled | kDepth, kShapes, "tl", 'D'},
    {"textureDimensions", kMulti | kStorage | kExternal, kShapes, "t", 'D'},
    {"textureGather", kSampled, kFlat | kCubes, "ntscao", 'V'},
    {"textureGather", kDepth, kShapes, "tscao", 'F'},
    {"textureGatherCompare", kDepth, kShapes, "tScafo", 'F'},
    {"textureLoad", kSampled | kDepth, kFlat | kD1 | kD3, "txai", 'R'},
    {"textureLoad", kMulti, kShapes, "txi", 'R'},
    {"textureLoad", kExternal, kShapes, "tx", 'F'},
    {"textureLoad", kStorage, kShapes, "txa", 'V'},
    {"textureNumLayers", kSampled | kDepth | kStorage, kArrays, "t", 'u'},
    {"textureNumLevels", kSampled | kDepth, kShapes, "t", 'u'},
    {"textureNumSamples", kMulti, kShapes, "t", 'u'},
    {"textureSample", kSampled | kDepth, kShapes, "tscao", 'R', true, true},
    {"textureSampleBaseClampToEdge", kSampled | kExternal, set_of(Shape::d2), "tsc", 'F', true},
    {"textureSampleBias", kSampled, kFlat | kCubes | kD3, "tscafo", 'F', true, true},
    {"textureSampleCompare", kDepth, kShapes, "tScafo", 'f', false, true},
    {"textureSampleCompareLevel", kDepth, kShapes, "tScafo", 'f'},
    {"textureSampleGrad", kSampled, kFlat | kCubes | kD3, "tscaggo", 'F', true},
    {"textureSampleLevel", kSampled, kShapes, "tscafo", 'F', true},
    {"textureSampleLevel", kDepth, kShapes, "tscaio", 'f'},
    {"textureStore", kStorage, kShapes, "txav", ' '},
};
static_assert(std::ranges::is_sorted(kFunctions, {}, &TextureFunction::name));

bool has(Set set, auto member) { return (set >> static_cast<unsigned>(member) & 1U) != 0; }

std::uint32_t coordinates(Shape shape) {
  switch (shape) {
    case Shape::d1: return 1;
    case Shape::d2:
    case Shape::d2_array: return 2;
    default: return 3;
  }
}

TypeId shaped(TypeTable& types, ScalarKind kind, std::uint32_t n) {
  return n <= 1 ? types.scalar(kind) : types.vector(kind, n);
}

bool is_depth(const HandleInfo& texture) {
  return texture.kind == Class::depth || texture.kind == Class::depth_multisampled;
}

// The parameters for this texture, optional ones included.
std::string letters_for(const TextureFunction& function, const HandleInfo& texture) {
  std::string out;
  for (const char letter : function.parameters) {
    if (letter == 'a' && !has(kArrays, texture.shape)) continue;
    if (letter == 'o' && (has(kCubes, texture.shape) || texture.shape == Shape::d1)) continue;
    out += letter;
  }
  return out;
}

bool is_optional(char letter) { return letter == 'o' || letter == 'l'; }

// The type to which the argument must convert; empty if no type is right.
std::optional<TypeId> parameter_type(Context& cx, char letter, const HandleInfo& texture,
                                     const Value& argument) {
  TypeTable& types = cx.types();
  const std::uint32_t n = coordinates(texture.shape);
  const auto integer = [&](std::uint32_t size) -> std::optional<TypeId> {
    for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::u32}) {
      const TypeId type = shaped(types, kind, size);
      if (conversion_rank(types, argument.type, type)) return type;
    }
    return std::nullopt;
  };
  const auto handle = [&](Class kind) -> std::optional<TypeId> {
    const HandleInfo* info = cx.handle_info(argument.type);
    if (info == nullptr || info->kind != kind) return std::nullopt;
    return argument.type;
  };
  switch (letter) {
    case 't': return argument.type;
    case 's': return handle(Class::sampler);
    case 'S': return handle(Class::sampler_comparison);
    case 'c':
    case 'g': return shaped(types, ScalarKind::f32, n);
    case 'f': return types.scalar(ScalarKind::f32);
    case 'x': return integer(n);
    case 'o': return shaped(types, ScalarKind::i32, n);
    case 'v': return types.vector(texture.scalar, 4);
    default: return integer(1);
  }
}

TypeId result_type(Context& cx, char letter, const HandleInfo& texture) {
  TypeTable& types = cx.types();
  switch (letter) {
    case 'V': return types.vector(texture.scalar, 4);
    case 'R':
      return is_depth(texture) ? types.scalar(ScalarKind::f32) : types.vector(texture.scalar, 4);
    case 'F': return types.vector(ScalarKind::f32, 4);
    case 'f': return types.scalar(ScalarKind::f32);
    case 'u': return types.scalar(ScalarKind::u32);
    case 'D': {
      const std::uint32_t n = has(kCubes, texture.shape) ? 2 : coordinates(texture.shape);
      return shaped(types, ScalarKind::u32, n);
    }
    default: return types.void_type();
  }
}

bool fits(Context& cx, const TextureFunction& function, const HandleInfo& texture,
          const std::string& letters, std::span<const Value> arguments) {
  if (!has(function.classes, texture.kind) || !has(function.shapes, texture.shape)) return false;
  if (function.float_only && texture.scalar != ScalarKind::f32) return false;
  if (texture.kind == Class::storage) {
    if (function.name == "textureLoad" && texture.access == Access::write) return false;
    if (function.name == "textureStore" && texture.access == Access::read) return false;
  }
  const bool shortened = !letters.empty() && is_optional(letters.back());
  if (arguments.size() != letters.size() &&
      !(shortened && arguments.size() + 1 == letters.size())) {
    return false;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto type = parameter_type(cx, letters[i], texture, arguments[i]);
    if (!type || !conversion_rank(cx.types(), arguments[i].type, *type)) return false;
  }
  return true;
}

// Checks that arguments are constants within a range, where WGSL requires it.
bool check_constant(Context& cx, char letter, const Value& value, std::string_view name) {
  if (letter != 'o' && letter != 'n') return true;
  const std::string_view what = letter == 'o' ? "offset" : "component";
  const std::int64_t least = letter == 'o' ? -8 : 0, most = letter == 'o' ? 7 : 3;
  if (!value.is_constant()) {
    cx.error(value.span, fmt::format("the {} of '{}' must be a constant expression", what, name));
    return false;
  }
  const ScalarKind kind = *cx.types().scalar_kind(value.type);
  for (const std::uint64_t bits : flatten(cx, value)) {
    const std::int64_t n = Scalar{kind, bits}.as_int();
    if (n >= least && n <= most) continue;
    cx.error(value.span,
             fmt::format("the {} of '{}' is {}; it must be {} to {}", what, name, n, least, most));
    return false;
  }
  return true;
}

constexpr Pattern kDerivative[] = {{"T", 'T', kF32}};

}  // namespace

bool is_handle_name(std::string_view name) { return find_handle(name) != nullptr; }

std::optional<TypeId> handle_type(Context& cx, const ast::Identifier& name, Span span) {
  const HandleName& known = *find_handle(name.name.text);
  HandleInfo info{.kind = known.kind, .shape = known.shape};
  const bool storage = info.kind == Class::storage;
  const bool sampled = info.kind == Class::sampled || info.kind == Class::multisampled;
  const std::size_t expected = storage ? 2 : sampled ? 1 : 0;
  if (name.template_args.size() != expected) {
    cx.error(span, fmt::format("'{}' takes {} template argument{}; {} given", known.name, expected,
                               expected == 1 ? "" : "s", name.template_args.size()));
    return std::nullopt;
  }
  std::string spelling(known.name);
  if (expected != 0) {
    const auto written =
        storage ? storage_arguments(cx, name, info) : sampled_arguments(cx, name, info);
    if (!written) return std::nullopt;
    spelling += fmt::format("<{}>", *written);
  }
  const TypeId type = cx.types().intern(HandleType{std::move(spelling)});
  cx.handle_types.emplace(static_cast<std::uint32_t>(type), info);
  return type;
}

bool is_texture_function(std::string_view name) {
  return std::ranges::binary_search(kFunctions, name, {}, &TextureFunction::name);
}

Value call_texture(Context& cx, std::string_view name, Arguments& arguments, Span span) {
  for (const TextureFunction& function :
       std::ranges::equal_range(kFunctions, name, {}, &TextureFunction::name)) {
    const std::size_t at = function.parameters.find('t');
    const HandleInfo* texture =
        at < arguments.size() ? cx.handle_info(arguments[at].type) : nullptr;
    if (texture == nullptr) continue;
    const std::string letters = letters_for(function, *texture);
    if (!fits(cx, function, *texture, letters, arguments.values())) continue;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const TypeId type = *parameter_type(cx, letters[i], *texture, arguments[i]);
      arguments[i] = convert(cx, std::move(arguments[i]), type);
      if (arguments[i].failed() || !check_constant(cx, letters[i], arguments[i], name)) {
        return failed(span);
      }
    }
    const bool varies =
        function.derivative || (function.name == "textureLoad" && texture->kind == Class::storage &&
                                texture->access == Access::read_write);
    return call_outside(cx,
                        {.name = function.name,
                         .result = result_type(cx, function.result, *texture),
                         .varies = varies,
                         .derivative = function.derivative},
                        arguments, span);
  }
  cx.error(span,
           fmt::format("no overload of '{}' takes {}", name, spell_types(cx, arguments.values())));
  return failed(span);
}

bool is_derivative(std::string_view name) {
  for (const std::string_view base : {"dpdx", "dpdy", "fwidth"}) {
    if (!name.starts_with(base)) continue;
    const std::string_view rest = name.substr(base.size());
    return rest.empty() || rest == "Coarse" || rest == "Fine";
  }
  return false;
}

Value call_derivative(Context& cx, std::string_view name, Arguments& arguments, Span span) {
  const auto match = resolve(cx, kDerivative, arguments.values());
  if (!match) {
    cx.error(span,
             fmt::format("no overload of '{}' takes {}", name, spell_types(cx, arguments.values())))
        .with_fix(fmt::format("there is {}{}", name, describe(kDerivative[0])));
    return failed(span);
  }
  arguments[0] = convert(cx, std::move(arguments[0]), match->parameters[0]);
  if (arguments[0].failed()) return failed(span);
  return call_outside(cx,
                      {.name = name, .result = match->result, .varies = true, .derivative = true},
                      arguments, span);
}

}  // namespace vyre::sema

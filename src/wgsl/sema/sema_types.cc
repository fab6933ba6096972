#include "vyre/wgsl/sema/sema_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_texture.h"

namespace vyre::sema {
namespace {

struct NamedKind {
  std::string_view name;
  ScalarKind kind;
};
constexpr NamedKind kScalarNames[] = {{"bool", ScalarKind::boolean},
                                      {"i32", ScalarKind::i32},
                                      {"u32", ScalarKind::u32},
                                      {"f32", ScalarKind::f32},
                                      {"f16", ScalarKind::f16}};

bool is_dimension(char c) { return c >= '2' && c <= '4'; }

std::optional<ScalarKind> kind_of_suffix(char c) {
  switch (c) {
    case 'i': return ScalarKind::i32;
    case 'u': return ScalarKind::u32;
    case 'f': return ScalarKind::f32;
    case 'h': return ScalarKind::f16;
    default: return std::nullopt;
  }
}

struct PlainType {
  ScalarKind kind;
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
};

std::optional<PlainType> parse_plain(std::string_view name) {
  for (const NamedKind& scalar : kScalarNames) {
    if (name == scalar.name) return PlainType{scalar.kind};
  }
  if (name.size() == 5 && name.starts_with("vec") && is_dimension(name[3])) {
    const auto kind = kind_of_suffix(name[4]);
    if (kind) return PlainType{*kind, 0, static_cast<std::uint32_t>(name[3] - '0')};
  }
  if (name.size() == 7 && name.starts_with("mat") && is_dimension(name[3]) && name[4] == 'x' &&
      is_dimension(name[5]) && (name[6] == 'f' || name[6] == 'h')) {
    return PlainType{*kind_of_suffix(name[6]), static_cast<std::uint32_t>(name[3] - '0'),
                     static_cast<std::uint32_t>(name[5] - '0')};
  }
  return std::nullopt;
}

bool check_f16(Context& cx, ScalarKind kind, Span span) {
  return kind != ScalarKind::f16 || cx.needs_extension("f16", "f16", span);
}

bool takes(Context& cx, const ast::Identifier& name, Span span, std::size_t least,
           std::size_t most) {
  const std::size_t count = name.template_args.size();
  if (count >= least && count <= most) return true;
  const std::string expected =
      least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most);
  cx.error(span, fmt::format("'{}' takes {} template argument{}; {} given", name.name.text,
                             expected, most == 1 ? "" : "s", count));
  return false;
}

// The scalar kind of the only template argument, of a vector or a matrix.
std::optional<ScalarKind> element_kind(Context& cx, const ast::Identifier& name, bool matrix) {
  const auto element = resolve_type(cx, *name.template_args[0]);
  if (!element) return std::nullopt;
  const auto* scalar = cx.types().get_if<ScalarType>(*element);
  if (scalar != nullptr && (!matrix || is_float(scalar->kind))) return scalar->kind;
  cx.error(name.template_args[0]->span,
           fmt::format("{} is made of {}; {} is not", name.name.text,
                       matrix ? "f32 or f16" : "bool, i32, u32, f32 or f16", cx.spell(*element)));
  return std::nullopt;
}

bool check_element(Context& cx, TypeId element, Span span) {
  const TypeTable& types = cx.types();
  const auto* array = types.get_if<ArrayType>(element);
  if (types.get_if<PointerType>(element) == nullptr &&
      types.get_if<HandleType>(element) == nullptr &&
      types.get_if<BufferType>(element) == nullptr && !types.contains_runtime_array(element) &&
      (array == nullptr || array->count_expr == kNoExpr)) {
    return true;
  }
  cx.error(span, fmt::format("{} cannot be the element of an array", cx.spell(element)));
  return false;
}

// The size in the template list of an array or a buffer: its value, or the expression that gives it
// once overrides have values.
struct WrittenSize {
  std::int64_t value = 0;
  ExprId by_override = kNoExpr;
};

std::optional<WrittenSize> written_size(Context& cx, const ast::Expr& written,
                                        std::string_view what) {
  const bool unevaluated = std::exchange(cx.unevaluated, false);  // a type needs its value
  const Value size = concretize(cx, check_value(cx, written));
  cx.unevaluated = unevaluated;
  if (size.failed()) return std::nullopt;
  const auto* scalar = cx.types().get_if<ScalarType>(size.type);
  if (scalar == nullptr || !is_integer(scalar->kind)) {
    cx.error(written.span,
             fmt::format("the size of {} is an i32 or u32; this is {}", what, cx.spell(size.type)));
    return std::nullopt;
  }
  if (size.phase == Phase::runtime) {
    cx.error(written.span,
             fmt::format("the size of {} must be a constant or override expression", what));
    return std::nullopt;
  }
  if (size.phase == Phase::constant) {
    return WrittenSize{.value = Scalar{scalar->kind, size.bits()}.as_int()};
  }
  ExprId expr = size.expr;
  if (const auto* by_name = std::get_if<OverrideExpr>(&cx.program[expr].node);
      by_name != nullptr && written.get_if<ast::Identifier>() != nullptr) {
    expr =
        cx.override_counts.try_emplace(static_cast<std::uint32_t>(by_name->id), expr).first->second;
  }
  return WrittenSize{.by_override = expr};
}

std::optional<TypeId> sized_array(Context& cx, TypeId element, const WrittenSize& count,
                                  const ast::Expr& written) {
  if (count.by_override != kNoExpr) {
    return cx.types().intern(ArrayType{element, 0, count.by_override});
  }
  if (count.value < 1) {
    cx.error(written.span,
             fmt::format("an array has at least 1 element; this size is {}", count.value));
    return std::nullopt;
  }
  if (static_cast<std::uint64_t>(count.value) * cx.types().stride(element) > Limits::kTypeBytes) {
    cx.error(written.span,
             fmt::format("an array of {} elements of {} bytes is too large; types "
                         "are limited to {} bytes",
                         count.value, cx.types().stride(element), Limits::kTypeBytes));
    return std::nullopt;
  }
  return cx.types().array(element, static_cast<std::uint32_t>(count.value));
}

std::optional<TypeId> array_type(Context& cx, const ast::Identifier& name, Span span) {
  if (!takes(cx, name, span, 1, 2)) return std::nullopt;
  const auto element = resolve_type(cx, *name.template_args[0]);
  if (!element || !check_element(cx, *element, name.template_args[0]->span)) return std::nullopt;
  if (name.template_args.size() == 1) {
    const TypeId type = cx.types().runtime_array(*element);
    if (!check_type_limits(cx, type, span)) return std::nullopt;
    return type;
  }
  const auto count = written_size(cx, *name.template_args[1], "an array");
  if (!count) return std::nullopt;
  const auto type = sized_array(cx, *element, *count, *name.template_args[1]);
  if (type && !check_type_limits(cx, *type, span)) return std::nullopt;
  return type;
}

std::optional<TypeId> buffer_type(Context& cx, const ast::Identifier& name, Span span) {
  if (!takes(cx, name, span, 0, 1)) return std::nullopt;
  note_feature(cx, "buffer_view");
  const std::uint32_t granule = cx.enabled.contains("f16") ? 2 : 4;
  if (name.template_args.empty()) return cx.types().intern(BufferType{.granule = granule});
  const auto size = written_size(cx, *name.template_args[0], "a buffer");
  if (!size) return std::nullopt;
  if (size->by_override != kNoExpr) {
    return cx.types().intern(BufferType{.bytes_expr = size->by_override, .granule = granule});
  }
  if (size->value < 1 || size->value % granule != 0 ||
      static_cast<std::uint64_t>(size->value) > Limits::kTypeBytes) {
    cx.error(
        name.template_args[0]->span,
        fmt::format("the size of a buffer is a positive multiple of {} below 4 GiB; this is {}",
                    granule, size->value));
    return std::nullopt;
  }
  return cx.types().intern(
      BufferType{.bytes = static_cast<std::uint32_t>(size->value), .granule = granule});
}

std::optional<TypeId> atomic_type(Context& cx, const ast::Identifier& name, Span span) {
  if (!takes(cx, name, span, 1, 1)) return std::nullopt;
  const auto element = resolve_type(cx, *name.template_args[0]);
  if (!element) return std::nullopt;
  const auto* scalar = cx.types().get_if<ScalarType>(*element);
  if (scalar != nullptr && (scalar->kind == ScalarKind::i32 || scalar->kind == ScalarKind::u32)) {
    return cx.types().atomic(scalar->kind);
  }
  const auto* vector = cx.types().get_if<VectorType>(*element);
  if (vector != nullptr && vector->kind == ScalarKind::u32 && vector->size == 2 &&
      cx.enabled.contains("atomic_vec2u_min_max")) {
    note_feature(cx, "atomic_vec2u_min_max");
    return cx.types().atomic(ScalarKind::u32, 2);
  }
  cx.error(name.template_args[0]->span,
           fmt::format("atomic is made of i32 or u32; {} is not", cx.spell(*element)))
      .with_fix("docs/wgsl.md lists what is supported");
  return std::nullopt;
}

std::optional<Access> pointer_access(Context& cx, const ast::Identifier& name, MemoryKind memory) {
  const bool read_only = memory == MemoryKind::storage || memory == MemoryKind::uniform ||
                         memory == MemoryKind::immediate;
  const Access usual = read_only ? Access::read : Access::read_write;
  if (name.template_args.size() < 3) return usual;
  const ast::Expr& written = *name.template_args[2];
  const auto text = enumerant(cx, written, "an access mode: read, write or read_write");
  if (!text) return std::nullopt;
  const auto access = find_access(*text);
  if (!access) {
    cx.error(
        written.span,
        fmt::format("'{}' is not an access mode; there are read, write and read_write", *text));
    return std::nullopt;
  }
  if (memory != MemoryKind::storage) {
    cx.error(written.span, "only pointers into storage memory take an access mode");
    return std::nullopt;
  }
  if (*access == Access::write) {
    cx.error(written.span, "storage memory is read or read_write");
    return std::nullopt;
  }
  return access;
}

bool holds_array(const TypeTable& types, TypeId type) {
  if (types.get_if<ArrayType>(type) != nullptr) return true;
  const auto* structure = types.get_if<StructType>(type);
  return structure != nullptr && std::ranges::any_of(structure->members, [&](const Member& m) {
           return holds_array(types, m.type);
         });
}

std::optional<TypeId> pointer_type(Context& cx, const ast::Identifier& name, Span span) {
  if (!takes(cx, name, span, 2, 3)) return std::nullopt;
  const ast::Expr& space = *name.template_args[0];
  const auto text = enumerant(cx, space, "an address space");
  if (!text) return std::nullopt;
  const auto memory = find_memory_kind(*text);
  if (const std::string_view why = refusal(*text); !why.empty()) {
    cx.error(space.span, fmt::format("'{}' is not available: {}", *text, why));
    return std::nullopt;
  }
  if (!memory) {
    cx.error(space.span, fmt::format("'{}' is not an address space that vyre has; there are "
                                     "function, private, workgroup, storage, uniform and immediate",
                                     *text));
    return std::nullopt;
  }
  const auto pointee = resolve_type(cx, *name.template_args[1]);
  const auto access = pointer_access(cx, name, *memory);
  if (!pointee || !access) return std::nullopt;
  // Views of buffers are the only run-time sized arrays in these kinds of memory.
  const bool view = (*memory == MemoryKind::uniform || *memory == MemoryKind::workgroup) &&
                    cx.types().contains_runtime_array(*pointee) &&
                    cx.types().is_host_shareable(*pointee) && !cx.types().contains_atomic(*pointee);
  if (!view && !can_live_in(cx.types(), *pointee, *memory)) {
    cx.error(name.template_args[1]->span,
             fmt::format("{} cannot live in {} memory", cx.spell(*pointee), *text));
    return std::nullopt;
  }
  if (*memory == MemoryKind::immediate) note_feature(cx, "immediate_address_space");
  return cx.types().pointer(*memory, *pointee, *access);
}

std::optional<TypeId> generated_type(Context& cx, const Generator& generator,
                                     const ast::Identifier& name, Span span) {
  switch (generator.kind) {
    case Generator::Kind::array: return array_type(cx, name, span);
    case Generator::Kind::atomic: return atomic_type(cx, name, span);
    case Generator::Kind::pointer: return pointer_type(cx, name, span);
    case Generator::Kind::buffer: return buffer_type(cx, name, span);
    case Generator::Kind::vector:
    case Generator::Kind::matrix: break;
  }
  if (!takes(cx, name, span, 1, 1)) return std::nullopt;
  const bool matrix = generator.kind == Generator::Kind::matrix;
  const auto kind = element_kind(cx, name, matrix);
  if (!kind) return std::nullopt;
  return matrix ? cx.types().matrix(*kind, generator.columns, generator.rows)
                : cx.types().vector(*kind, generator.rows);
}

}  // namespace

bool can_live_in(const TypeTable& types, TypeId type, MemoryKind memory) {
  if (const auto* buffer = types.get_if<BufferType>(type)) {
    const bool by_override = buffer->bytes_expr != kNoExpr;
    return memory == MemoryKind::workgroup ||
           (!by_override && (memory == MemoryKind::storage || memory == MemoryKind::uniform));
  }
  switch (memory) {
    case MemoryKind::function:
    case MemoryKind::private_: return types.is_constructible(type);
    case MemoryKind::workgroup:
      return !types.contains_runtime_array(type) && types.get_if<PointerType>(type) == nullptr &&
             types.get_if<HandleType>(type) == nullptr;
    case MemoryKind::storage: return types.is_host_shareable(type);
    case MemoryKind::uniform: return types.is_host_shareable(type) && types.is_constructible(type);
    case MemoryKind::immediate:
      return types.is_host_shareable(type) && types.is_constructible(type) &&
             !holds_array(types, type);
  }
  return false;
}

std::optional<MemoryKind> find_memory_kind(std::string_view name) {
  for (const MemoryKind kind :
       {MemoryKind::storage, MemoryKind::uniform, MemoryKind::workgroup, MemoryKind::private_,
        MemoryKind::function, MemoryKind::immediate}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::optional<Access> find_access(std::string_view name) {
  for (const Access access : {Access::read, Access::write, Access::read_write}) {
    if (name == to_string(access)) return access;
  }
  return std::nullopt;
}

std::optional<std::string_view> plain_name(Context& cx, const ast::Expr& expr,
                                           std::string_view what) {
  const auto* name = expr.get_if<ast::Identifier>();
  if (name != nullptr && name->template_args.empty()) return name->name.text;
  cx.error(expr.span, fmt::format("expected {}", what));
  return std::nullopt;
}

std::optional<std::string_view> enumerant(Context& cx, const ast::Expr& expr,
                                          std::string_view what) {
  const auto name = plain_name(cx, expr, what);
  const Symbol* hidden_by = name ? lookup(cx, *name) : nullptr;
  if (hidden_by == nullptr) return name;
  cx.error(expr.span, fmt::format("'{}' is {} here; expected {}", *name, kind_of(*hidden_by), what))
      .note(hidden_by->declared, "declared here");
  return std::nullopt;
}

std::optional<Generator> find_generator(std::string_view name) {
  if (name == "array") return Generator{Generator::Kind::array};
  if (name == "buffer") return Generator{Generator::Kind::buffer};
  if (name == "atomic") return Generator{Generator::Kind::atomic};
  if (name == "ptr") return Generator{Generator::Kind::pointer};
  if (name.size() == 4 && name.starts_with("vec") && is_dimension(name[3])) {
    return Generator{Generator::Kind::vector, 0, static_cast<std::uint32_t>(name[3] - '0')};
  }
  if (name.size() == 6 && name.starts_with("mat") && is_dimension(name[3]) && name[4] == 'x' &&
      is_dimension(name[5])) {
    return Generator{Generator::Kind::matrix, static_cast<std::uint32_t>(name[3] - '0'),
                     static_cast<std::uint32_t>(name[5] - '0')};
  }
  return std::nullopt;
}

std::optional<TypeId> find_plain_type(Context& cx, const ast::Name& name) {
  const auto plain = parse_plain(name.text);
  if (!plain || !check_f16(cx, plain->kind, name.span)) return std::nullopt;
  if (plain->columns != 0) return cx.types().matrix(plain->kind, plain->columns, plain->rows);
  if (plain->rows != 0) return cx.types().vector(plain->kind, plain->rows);
  return cx.types().scalar(plain->kind);
}

bool is_type_name(std::string_view name) {
  return parse_plain(name).has_value() || find_generator(name).has_value();
}

bool check_type_limits(Context& cx, TypeId type, Span span) {
  const std::uint32_t nesting = cx.types().nesting(type);
  if (nesting > Limits::kTypeNesting) {
    cx.error(span, fmt::format("this type is nested {} deep; the limit is {}", nesting,
                               Limits::kTypeNesting));
    return false;
  }
  const std::uint64_t size = cx.types().layout(type).size;
  if (size > Limits::kTypeBytes) {
    cx.error(span,
             fmt::format("this type has {} bytes; the limit is {}", size, Limits::kTypeBytes));
    return false;
  }
  return true;
}

std::optional<TypeId> resolve_type(Context& cx, const ast::Identifier& name, Span span) {
  const std::string_view text = name.name.text;
  if (const Symbol* symbol = lookup(cx, text)) {
    if (std::holds_alternative<BrokenSymbol>(symbol->what)) return std::nullopt;
    const auto* type = std::get_if<TypeSymbol>(&symbol->what);
    if (type == nullptr) {
      cx.error(name.name.span, fmt::format("'{}' is {}, not a type", text, kind_of(*symbol)))
          .note(symbol->declared, "declared here");
      return std::nullopt;
    }
    if (!name.template_args.empty()) {
      cx.error(span, fmt::format("'{}' takes no template arguments", text));
      return std::nullopt;
    }
    return type->type;
  }
  if (parse_plain(text)) {
    if (!name.template_args.empty()) {
      cx.error(span, fmt::format("'{}' takes no template arguments", text));
      return std::nullopt;
    }
    return find_plain_type(cx, name.name);
  }
  if (const auto generator = find_generator(text)) {
    return generated_type(cx, *generator, name, span);
  }
  if (is_handle_name(text)) return handle_type(cx, name, span);
  if (const std::string_view why = refusal(text); !why.empty()) {
    cx.error(name.name.span, fmt::format("'{}' is not available: {}", text, why));
    return std::nullopt;
  }
  if (find_math(text) != nullptr || find_special(text) != nullptr) {
    cx.error(name.name.span, fmt::format("'{}' is a builtin function, not a type", text));
    return std::nullopt;
  }
  report_unknown(cx, name.name);
  return std::nullopt;
}

std::optional<TypeId> resolve_type(Context& cx, const ast::Expr& expr) {
  if (const auto* name = expr.get_if<ast::Identifier>()) return resolve_type(cx, *name, expr.span);
  cx.error(expr.span, "expected a type");
  return std::nullopt;
}

}  // namespace vyre::sema

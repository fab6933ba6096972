#include <fmt/format.h>

#include "writer_state.h"

namespace vyre {

using Form = TypeShape::Form;

std::string TextWriter::literal(const TypeShape* s) {
  switch (s->form) {
    case Form::vector:
    case Form::matrix:
    case Form::array: {
      std::string parts;
      for (int i = 0; i < s->size; ++i) parts += (i == 0 ? "" : ", ") + literal(s->element);
      return fmt::format("{}({})", s->name, parts);
    }
    case Form::structure: {
      std::string parts;
      for (const auto& m : s->members) parts += (parts.empty() ? "" : ", ") + literal(m.shape);
      return fmt::format("{}({})", s->name, parts);
    }
    case Form::scalar: break;
  }
  switch (s->kind) {
    case Kind::boolean: return random.chance(0.5) ? "true" : "false";
    case Kind::i32:
      return random.of<std::string>({"0i", "1i", "2i", "-1i", "3i", "7i", "-5i", "31i", "100i",
                                     "2147483647i", "-2147483647i", "65536i"});
    case Kind::u32:
      return random.of<std::string>({"0u", "1u", "2u", "3u", "5u", "7u", "8u", "31u", "33u", "100u",
                                     "255u", "65535u", "2147483648u", "4294967295u"});
    case Kind::f32:
      return random.of<std::string>({"0.0f", "1.0f", "-1.0f", "0.5f", "2.25f", "-3.5f", "100.0f",
                                     "1e-3f", "1e9f", "-7.0f", "0.1f"});
    case Kind::f16:
      return random.of<std::string>({"0.0h", "1.0h", "-1.0h", "0.5h", "2.25h", "-3.5h", "100.0h"});
  }
  return "0";
}

std::string TextWriter::index(int count, int depth) {
  const auto pick = random.below(10);
  // Indices within indices end somewhere.
  if (pick < 4 || index_depth >= 1) {
    return fmt::format("{}", random.below(static_cast<std::size_t>(count)));
  }
  if (auto c = counter_index(count)) return *c;
  ++index_depth;
  const bool is_signed = random.chance(0.4);
  const std::string e =
      depth > 0 ? expression(shapes.scalar(is_signed ? Kind::i32 : Kind::u32), depth - 1)
                : leaf(shapes.scalar(is_signed ? Kind::i32 : Kind::u32), false);
  // A literal index would have to be inside.
  std::string safe =
      fmt::format("({} + {})", leaf(shapes.scalar(is_signed ? Kind::i32 : Kind::u32), false), e);
  --index_depth;
  if (pick < 8) return fmt::format("({} % {}{})", safe, count, is_signed ? "i" : "u");
  return safe;
}

// An index that counts along with a loop.
std::optional<std::string> TextWriter::counter_index(int count) {
  std::vector<std::string> counters;
  for (const Variable& v : scope) {
    if (v.text[0] == 'c' && (v.uniform || !pure_uniform)) counters.push_back(v.text);
  }
  if (counters.empty() || !random.chance(0.5)) return std::nullopt;
  std::string c = random.of(counters);
  switch (random.below(5)) {
    case 0: return fmt::format("{} + {}", c, random.below(4));
    case 1: return fmt::format("{} * {}", c, random.between(2, 3));
    case 2: return fmt::format("{} - {}", c, random.below(3));
    case 3: return fmt::format("{} - {}", std::max(count - 1, 0), c);
    default: return c;
  }
}

std::optional<std::string> TextWriter::path(const TypeShape* from, const TypeShape* to, int depth) {
  if (from == to) return "";
  if (depth <= 0) return std::nullopt;
  switch (from->form) {
    case Form::scalar: return std::nullopt;
    case Form::vector:
      if (to != from->element) return std::nullopt;
      if (random.chance(0.6)) {
        return fmt::format(".{}", "xyzw"[random.below(static_cast<std::size_t>(from->size))]);
      }
      return fmt::format("[{}]", index(from->size, 0));
    case Form::matrix:
    case Form::array: {
      const auto rest = path(from->element, to, depth - 1);
      if (!rest) return std::nullopt;
      return fmt::format("[{}]{}", index(from->size, 1), *rest);
    }
    case Form::structure: {
      const auto start = random.below(from->members.size());
      for (std::size_t i = 0; i < from->members.size(); ++i) {
        const auto& m = from->members[(start + i) % from->members.size()];
        if (const auto rest = path(m.shape, to, depth - 1)) {
          return fmt::format(".{}{}", m.name, *rest);
        }
      }
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::string> TextWriter::variable_path(const TypeShape* shape, bool assignable,
                                                     int depth) {
  if (scope.empty()) return std::nullopt;
  for (int attempt = 0; attempt < 6; ++attempt) {
    // What was declared last is most often meant.
    const bool recent = random.chance(0.5) && scope.size() > 8;
    const Variable v =
        scope[recent ? scope.size() - 1 - random.below(6) : random.below(scope.size())];
    if ((pure_uniform && !v.uniform) || (assignable && !v.assignable)) continue;
    if (assignable && v.uniform != pure_uniform) continue;
    // While others read a workgroup array, nobody writes it.
    bool read_by_others = false;
    for (const Shared& s : shared) {
      read_by_others = read_by_others || (s.readable && v.text == s.name + "[lidx]");
    }
    if (assignable && read_by_others) continue;
    if (const auto rest = path(v.shape, shape, depth)) return v.text + *rest;
  }
  return std::nullopt;
}

// A scalar or a part of a record out of memory that nothing writes, or that is ours to read here.
std::string TextWriter::buffer_read(const TypeShape* shape) {
  const auto at = [&]() -> std::string {
    if (in_entry && !pure_uniform) {
      switch (random.below(7)) {
        case 0: return fmt::format("gid.x + {}u", random.below(4));
        case 1: return fmt::format("gid.x - {}u", random.below(4));
        case 2: return fmt::format("i32(gid.x) - {}", random.below(6));
        case 3: return fmt::format("gid.x * {}u + {}u", random.between(2, 4), random.below(4));
        case 4: return fmt::format("gid.y * {}u + gid.x", extent[0]);
        case 5: return "own";
        default: break;
      }
    }
    return index(static_cast<int>(elements), random.chance(0.3) ? 1 : 0);
  };
  for (auto& s : shared) {
    if (!s.readable || pure_uniform || !random.chance(0.5)) continue;
    if (s.form == Shared::Form::atomics && shape->is_scalar(Kind::u32)) {
      return fmt::format("atomicLoad(&{}[{}])", s.name, index(s.size, 0));
    }
    if (s.form != Shared::Form::values) continue;
    if (const auto rest = path(s.element, shape, 3)) {
      const std::string i =
          random.chance(0.4) ? fmt::format("lidx + {}u", random.below(5)) : index(s.size, 0);
      return fmt::format("{}[{}]{}", s.name, i, *rest);
    }
  }
  if (in_entry && !pure_uniform && random.chance(0.3)) {  // what we may have written ourselves
    if (shape->is_scalar(Kind::u32)) {
      return fmt::format("out_u[own * 4u + {}u]", random.below(4));
    }
    if (shape->is_scalar(Kind::f32)) return "out_f[own]";
    if (shape->is_scalar(Kind::i32)) {
      return fmt::format("out_x[gid.y * {}u + gid.x {} {}u]", extent[0], x_offset < 0 ? "-" : "+",
                         std::abs(x_offset));
    }
    if (const auto rest = path(record, shape, 4)) return "out_s[own]" + *rest;
  }
  if (random.chance(0.3)) {
    if (const auto rest = path(record, shape, 4)) return fmt::format("in_s[{}]{}", at(), *rest);
  }
  if (has_tail && random.chance(0.2)) {
    if (const auto rest = path(shapes.vector(Kind::u32, 3), shape, 2)) {
      return fmt::format("in_t.data[{}]{}", at(), *rest);
    }
  }
  switch (shape->kind) {
    case Kind::boolean: return fmt::format("(in_u[{}] > 3u)", at());
    case Kind::i32: return fmt::format("in_i[{}]", at());
    case Kind::u32: return fmt::format("in_u[{}]", at());
    case Kind::f32: return fmt::format("in_f[{}]", at());
    case Kind::f16: return fmt::format("in_h[{}]", at());
  }
  return "0";
}

std::string TextWriter::leaf(const TypeShape* shape, bool literal_allowed) {
  if (literal_allowed && random.chance(0.25)) return literal(shape);
  if (random.chance(0.85)) {
    if (auto v = variable_path(shape, false, 4)) return *v;
  }
  if (random.chance(0.5)) {
    if (auto v = view_read(shape)) return *v;
  }
  switch (shape->form) {
    case Form::scalar: return buffer_read(shape);
    case Form::vector:
    case Form::matrix:
    case Form::array: {
      std::string parts;
      for (int i = 0; i < shape->size; ++i) {
        parts += (i == 0 ? "" : ", ") + leaf(shape->element, literal_allowed || i != 0);
      }
      return fmt::format("{}({})", shape->name, parts);
    }
    case Form::structure: {
      std::string parts;
      for (const auto& m : shape->members) {
        parts += (parts.empty() ? "" : ", ") + leaf(m.shape, literal_allowed || !parts.empty());
      }
      return fmt::format("{}({})", shape->name, parts);
    }
  }
  return "0";
}

std::optional<std::string> TextWriter::call(const TypeShape* shape, int depth) {
  if (pure_uniform || callables.empty()) return std::nullopt;
  const Callable c = random.of(callables);
  if (c.result != shape) return std::nullopt;
  std::string arguments;
  if (c.pointee != nullptr) {
    std::vector<std::string> roots;
    for (const Variable& v : scope) {
      if (v.root_var && !v.uniform && v.shape == c.pointee) roots.push_back("&" + v.text);
    }
    if (roots.empty()) return std::nullopt;
    arguments = random.of(roots);
  }
  for (const TypeShape* p : c.parameters) {
    arguments += (arguments.empty() ? "" : ", ") + expression(p, depth - 1);
  }
  return fmt::format("{}({})", c.name, arguments);
}

std::string TextWriter::expression(const TypeShape* shape, int depth) {
  if (depth <= 0) return leaf(shape, true);
  if (random.chance(0.12)) return leaf(shape, true);
  if (random.chance(0.06)) {
    if (auto c = call(shape, depth)) return *c;
  }
  switch (shape->form) {
    case Form::scalar: return scalar_expression(shape, depth);
    case Form::vector: return vector_expression(shape, depth);
    case Form::matrix: return matrix_expression(shape, depth);
    default: return composite_expression(shape, depth);
  }
}

std::string TextWriter::scalar_expression(const TypeShape* shape, int depth) {
  if (shape->kind == Kind::boolean) return bool_expression(depth);
  if (is_integer(shape->kind) && random.chance(0.12)) {
    const auto* v = shapes.vector(shape->kind, random.between(2, 4));
    return fmt::format("dot({}, {})", leaf(v, false), expression(v, depth - 1));
  }
  if (shape->kind == Kind::f32 && random.chance(0.12)) {
    const auto* v = shapes.vector(shape->kind, random.between(2, 4));
    switch (rounded_freely ? random.below(3) : 0) {
      case 0: return fmt::format("dot({}, {})", leaf(v, false), expression(v, depth - 1));
      case 1: return fmt::format("length({})", leaf(v, false));
      default: return fmt::format("distance({}, {})", leaf(v, false), expression(v, depth - 1));
    }
  }
  if (shape->kind == Kind::u32) {
    const auto* u = shapes.scalar(Kind::u32);
    if (random.chance(0.04)) return "arrayLength(&in_u)";
    if (random.chance(0.04) && has_tail) return "arrayLength(&in_t.data)";
    if (random.chance(0.04) && has_views) return "bufferLength(&in_b)";
    if (random.chance(0.03)) {
      return fmt::format("pack4xU8{}({})", random.chance(0.5) ? "Clamp" : "",
                         leaf(shapes.vector(Kind::u32, 4), false));
    }
    if (random.chance(0.03)) {
      return fmt::format("dot4U8Packed({}, {})", leaf(u, false), leaf(u, false));
    }
    if (random.chance(0.03)) {
      return fmt::format("pack2x16{}({})", random.chance(0.5) ? "unorm" : "snorm",
                         leaf(shapes.vector(Kind::f32, 2), false));
    }
    if (random.chance(0.03)) {
      return fmt::format("pack4x8{}({})", random.chance(0.5) ? "unorm" : "snorm",
                         leaf(shapes.vector(Kind::f32, 4), false));
    }
  }
  if (shape->kind == Kind::i32 && random.chance(0.03)) {
    const auto* u = shapes.scalar(Kind::u32);
    return fmt::format("dot4I8Packed({}, {})", leaf(u, false), leaf(u, false));
  }
  return is_integer(shape->kind) ? integer_expression(shape, depth)
                                 : float_expression(shape, depth);
}

std::string TextWriter::bool_expression(int depth) {
  const auto* b = shapes.scalar(Kind::boolean);
  switch (random.below(12)) {
    case 0: return fmt::format("!{}", leaf(b, false));
    case 1: return fmt::format("({} && {})", expression(b, depth - 1), expression(b, depth - 1));
    case 2: return fmt::format("({} || {})", expression(b, depth - 1), expression(b, depth - 1));
    case 3: {
      const auto* v = shapes.vector(Kind::boolean, random.between(2, 4));
      return fmt::format("{}({})", random.chance(0.5) ? "any" : "all", expression(v, depth - 1));
    }
    case 4:
      return fmt::format("({} {} {})", leaf(b, false), random.of({"==", "!=", "&", "|"}),
                         expression(b, depth - 1));
    default: {
      const auto kind = random.of({Kind::i32, Kind::u32, Kind::u32, Kind::f32});
      const auto* s = shapes.scalar(kind);
      return fmt::format("({} {} {})", leaf(s, false),
                         random.of({"==", "!=", "<", "<=", ">", ">="}), expression(s, depth - 1));
    }
  }
}

std::string TextWriter::integer_expression(const TypeShape* s, int depth) {
  const auto lanes_like = [&](Kind k) {
    return s->is(Form::vector) ? shapes.vector(k, s->size) : shapes.scalar(k);
  };
  const auto sub = [&] { return expression(s, depth - 1); };
  const auto run_time = [&] { return leaf(s, false); };
  switch (random.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return fmt::format("({} {} {})", run_time(),
                         random.of({"+", "-", "*", "&", "|", "^", "+", "-"}), sub());
    case 6:
    case 7: return fmt::format("({} {} {})", sub(), random.chance(0.5) ? "/" : "%", run_time());
    case 8:
    case 9:
      return fmt::format("({} {} {})", run_time(), random.chance(0.5) ? "<<" : ">>",
                         leaf(lanes_like(Kind::u32), false));
    case 10:
      return s->kind == Kind::i32 && random.chance(0.5) ? fmt::format("-({})", run_time())
                                                        : fmt::format("~({})", run_time());
    case 11:
      return fmt::format("{}({}, {})", random.chance(0.5) ? "min" : "max", run_time(), sub());
    case 12: return fmt::format("clamp({}, {}, {})", sub(), run_time(), run_time());
    case 13:
      return fmt::format("{}({})",
                         random.of({"abs", "countOneBits", "countLeadingZeros", "reverseBits",
                                    "countTrailingZeros", "firstLeadingBit", "firstTrailingBit"}),
                         run_time());
    case 14:
      return fmt::format("extractBits({}, {}, {})", run_time(),
                         leaf(shapes.scalar(Kind::u32), false),
                         leaf(shapes.scalar(Kind::u32), false));
    case 15:
      return fmt::format("insertBits({}, {}, {}, {})", run_time(), sub(),
                         leaf(shapes.scalar(Kind::u32), false),
                         leaf(shapes.scalar(Kind::u32), false));
    case 16:
      return fmt::format(
          "select({}, {}, {})", sub(), run_time(),
          expression(random.chance(0.5) ? lanes_like(Kind::boolean) : shapes.scalar(Kind::boolean),
                     depth - 1));
    case 17: {
      const auto from = random.of(
          {Kind::i32, Kind::u32, Kind::f32, Kind::boolean, halves ? Kind::f16 : Kind::f32});
      return fmt::format("{}({})", s->name, leaf(lanes_like(from), false));
    }
    case 18:
      return fmt::format("bitcast<{}>({})", s->name,
                         leaf(lanes_like(s->kind == Kind::i32 ? Kind::u32 : Kind::i32), false));
    default:
      if (s->is(Form::vector)) return fmt::format("({} * {})", run_time(), sub());
      return fmt::format("bitcast<{}>(number({}))", s->name,
                         expression(shapes.scalar(Kind::f32), depth - 1));
  }
}

std::string TextWriter::float_expression(const TypeShape* s, int depth) {
  const auto lanes_like = [&](Kind k) {
    return s->is(Form::vector) ? shapes.vector(k, s->size) : shapes.scalar(k);
  };
  const auto sub = [&] { return expression(s, depth - 1); };
  const auto run_time = [&] { return leaf(s, false); };
  const auto* scalar = shapes.scalar(s->kind);
  switch (random.below(18)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: return fmt::format("({} {} {})", run_time(), random.of({"+", "-", "*"}), sub());
    case 5: return fmt::format("({} {} {})", sub(), rounded_freely ? "/" : "-", run_time());
    case 6:
      if (!rounded_freely) return fmt::format("({} + {})", run_time(), sub());
      return fmt::format("(clamp({}, {}(-50), {}(50)) % max(abs({}), {}(0.25)))", run_time(),
                         s->name, s->name, run_time(), s->name);
    case 7: return fmt::format("-({})", run_time());
    case 8: return fmt::format("{}({}, {})", random.of({"min", "max", "step"}), run_time(), sub());
    case 9: return fmt::format("clamp({}, {}, {})", sub(), run_time(), run_time());
    case 10:
    case 11:
      return fmt::format(
          "{}({})",
          random.of({"abs", "ceil", "floor", "round", "trunc", "fract", "sign", "saturate",
                     rounded_freely ? "sqrt" : "abs", "degrees", "radians"}),
          run_time());
    case 12: return fmt::format("fma({}, {}, {})", run_time(), sub(), run_time());
    case 13: return fmt::format("mix({}, {}, {})", run_time(), sub(), run_time());
    case 14:
      return fmt::format(
          "select({}, {}, {})", sub(), run_time(),
          expression(random.chance(0.5) ? lanes_like(Kind::boolean) : shapes.scalar(Kind::boolean),
                     depth - 1));
    case 15: {
      const auto from = random.of(
          {Kind::i32, Kind::u32, Kind::boolean, Kind::f32, halves ? Kind::f16 : Kind::f32});
      return fmt::format("{}({})", s->name, leaf(lanes_like(from), false));
    }
    case 16:
      if (s->kind == Kind::f32 && random.chance(0.5)) {
        return fmt::format("quantizeToF16({})", run_time());
      }
      return fmt::format("ldexp({}, {})", run_time(), leaf(lanes_like(Kind::i32), false));
    default:
      if (random.chance(0.3))
        return fmt::format("modf({}).{}", run_time(), random.of({"fract", "whole"}));
      if (random.chance(0.3)) return fmt::format("frexp({}).fract", run_time());
      if (rounded_freely && random.chance(0.5)) {
        return fmt::format("smoothstep({}, {}, {})", run_time(), run_time(), sub());
      }
      if (!s->is(Form::scalar)) return fmt::format("({} * {})", leaf(scalar, false), sub());
      return fmt::format("({} + {})", run_time(), sub());
  }
}

std::string TextWriter::vector_expression(const TypeShape* s, int depth) {
  const auto pick = random.below(10);
  if (pick < 2) {  // from parts
    std::string parts;
    int left = s->size;
    while (left > 0) {
      const int n = left >= 2 && random.chance(0.3) ? 2 : 1;
      const TypeShape* part = n == 1 ? s->element : shapes.vector(s->kind, 2);
      parts += (parts.empty() ? "" : ", ") + expression(part, depth - 1);
      left -= n;
    }
    if (random.chance(0.2)) parts = expression(s->element, depth - 1);
    return fmt::format("{}({})", s->name, parts);
  }
  if (pick == 2) {  // swizzle
    const auto* from = shapes.vector(s->kind, random.between(2, 4));
    std::string lanes;
    for (int i = 0; i < s->size; ++i) {
      lanes += "xyzw"[random.below(static_cast<std::size_t>(from->size))];
    }
    return fmt::format("{}.{}", leaf(from, false), lanes);
  }
  if (s->kind == Kind::boolean) {
    if (pick < 5) {
      return fmt::format("({} {} {})", leaf(s, false), random.of({"&", "|", "==", "!="}),
                         leaf(s, true));
    }
    const auto* v = shapes.vector(random.of({Kind::i32, Kind::u32, Kind::f32}), s->size);
    return fmt::format("({} {} {})", leaf(v, false), random.of({"==", "!=", "<", "<=", ">", ">="}),
                       expression(v, depth - 1));
  }
  if (pick == 3) {  // mixed with a scalar
    const char* op = is_integer(s->kind) || !rounded_freely ? random.of({"+", "-", "*"})
                                                            : random.of({"+", "-", "*", "/"});
    if (random.chance(0.5))
      return fmt::format("({} {} {})", leaf(s, false), op, leaf(s->element, false));
    return fmt::format("({} {} {})", leaf(s->element, false), op, leaf(s, false));
  }
  if (is_float(s->kind) && pick == 4) {
    if (s->size == 3 && random.chance(0.5)) {
      return fmt::format("cross({}, {})", leaf(s, false), leaf(s, false));
    }
    const int columns = random.between(2, 4);
    const auto* m = shapes.matrix(s->kind, columns, s->size);
    if (random.chance(0.5)) {
      return fmt::format("({} * {})", leaf(m, false), leaf(shapes.vector(s->kind, columns), false));
    }
    m = shapes.matrix(s->kind, s->size, columns);
    return fmt::format("({} * {})", leaf(shapes.vector(s->kind, columns), false), leaf(m, false));
  }
  if (s->kind == Kind::f32 && pick == 5 && random.chance(0.4)) {
    const auto* u = shapes.scalar(Kind::u32);
    if (s->size == 4) {
      return fmt::format("unpack4x8{}({})", random.of({"unorm", "snorm"}), leaf(u, false));
    }
    if (s->size == 2) {
      return fmt::format("unpack2x16{}({})", random.of({"unorm", "snorm", "float"}),
                         leaf(u, false));
    }
  }
  if (s->size == 4 && is_integer(s->kind) && random.chance(0.05)) {
    return fmt::format("unpack4x{}({})", s->kind == Kind::i32 ? "I8" : "U8",
                       leaf(shapes.scalar(Kind::u32), false));
  }
  return is_integer(s->kind) ? integer_expression(s, depth) : float_expression(s, depth);
}

std::string TextWriter::matrix_expression(const TypeShape* s, int depth) {
  switch (random.below(6)) {
    case 0: return fmt::format("({} {} {})", leaf(s, false), random.of({"+", "-"}), leaf(s, false));
    case 1: return fmt::format("({} * {})", leaf(s, false), leaf(shapes.scalar(s->kind), false));
    case 2: {
      const int k = random.between(2, 4);
      return fmt::format("({} * {})", leaf(shapes.matrix(s->kind, k, s->rows), false),
                         leaf(shapes.matrix(s->kind, s->size, k), false));
    }
    case 3:
      return fmt::format("transpose({})", leaf(shapes.matrix(s->kind, s->rows, s->size), false));
    default: return composite_expression(s, depth);
  }
}

std::string TextWriter::composite_expression(const TypeShape* s, int depth) {
  if (random.chance(0.5)) {
    if (auto v = variable_path(s, false, 4)) return *v;
  }
  std::string parts;
  if (s->is(Form::structure)) {
    for (const auto& m : s->members) {
      parts += (parts.empty() ? "" : ", ") + expression(m.shape, depth - 1);
    }
  } else {
    for (int i = 0; i < s->size; ++i) {
      parts += (i == 0 ? "" : ", ") + expression(s->element, depth - 1);
    }
  }
  return fmt::format("{}({})", s->name, parts);
}

}  // namespace vyre

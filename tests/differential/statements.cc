#include <fmt/format.h>

#include "writer_state.h"

namespace vyre {

using Form = TypeShape::Form;

void TextWriter::line(const std::string& what) {
  text.append(static_cast<std::size_t>(indent) * 2, ' ');
  text += what;
  text += '\n';
}
void TextWriter::open(const std::string& head) {
  line(head + " {");
  ++indent;
}
void TextWriter::close(const std::string& tail) {
  --indent;
  line(tail);
}
std::string TextWriter::fresh(const char* prefix) { return fmt::format("{}{}", prefix, names++); }

namespace {
// Entered under a condition that lanes may see differently.
TextPlace divided(TextPlace p) {
  if (p.uniform) p.may_break = p.may_continue = p.may_return = false;
  p.uniform = false;
  return p;
}
}  // namespace

void TextWriter::block(const TextPlace& place, int statements) {
  const std::size_t outer = scope.size();
  for (int i = 0; i < statements; ++i) statement(place);
  if (random.chance(0.08) && place.depth > 1 && !place.uniform) {
    if (place.may_break && random.chance(0.5)) {
      line("break;");
    } else if (place.may_continue) {
      line("continue;");
    }
  }
  scope.erase(scope.begin() + static_cast<std::ptrdiff_t>(outer), scope.end());
}

void TextWriter::statement(const TextPlace& place) {
  const auto pick = random.below(100);
  const bool deep = place.depth >= 4 || text.size() > 7000;
  if (place.uniform && !shared.empty() && pick < 22 && !deep) {
    return random.chance(0.65) ? share(place) : uniform_load(place);
  }
  if (subgroups && random.chance(0.15)) return exchange();
  if (pick < 24) return declare(place);
  if (pick < 44) return assign(place);
  if (pick < 58) return deep ? assign(place) : branch(place);
  if (pick < 70) return deep || place.loops >= 3 ? assign(place) : repeat(place);
  if (pick < 76) return deep ? assign(place) : choose(place);
  if (pick < 83) return write_out(place);
  if (pick < 87) return count(place);
  if (pick < 90) return point(place);
  jump(place);
}

void TextWriter::declare(const TextPlace& place) {
  const bool uniform = place.uniform && random.chance(0.35);
  const TypeShape* shape = random.of(value_shapes);
  pure_uniform = uniform;
  const std::string value = expression(shape, random.between(0, 2));
  pure_uniform = false;
  const bool constant = random.chance(0.4);
  const std::string name = fresh(constant ? "l" : "v");
  if (!constant && random.chance(0.2)) {
    line(fmt::format("var {}: {};", name, shape->name));
  } else {
    line(fmt::format("{} {}: {} = {};", constant ? "let" : "var", name, shape->name, value));
  }
  scope.push_back({name, shape, !constant, uniform, !constant});
}

void TextWriter::assign(const TextPlace& place) {
  if (random.chance(0.12)) return swizzle_assign();
  pure_uniform = place.uniform && random.chance(0.35);
  const TypeShape* shape = random.chance(0.6)
                               ? shapes.scalar(random.of({Kind::i32, Kind::u32, Kind::f32}))
                               : random.of(value_shapes);
  if (const auto target = variable_path(shape, true, 4)) {
    const bool scalar = shape->is(Form::scalar) || shape->is(Form::vector);
    if (scalar && shape->kind != Kind::boolean && random.chance(0.3)) {
      line(fmt::format("{} {}= {};", *target, random.of({"+", "-", "*"}), expression(shape, 1)));
    } else if (shape->is(Form::scalar) && is_integer(shape->kind) && random.chance(0.15)) {
      line(fmt::format("{}{};", *target, random.of({"++", "--"})));
    } else {
      line(fmt::format("{} = {};", *target, expression(shape, random.between(1, 2))));
    }
  }
  pure_uniform = false;
}

void TextWriter::swizzle_assign() {
  const TypeShape* shape = random.of(value_shapes);
  if (!shape->is(Form::vector)) return;
  const auto target = variable_path(shape, true, 4);
  if (!target) return;
  std::string letters =
      std::string(random.of({"xyzw", "rgba"})).substr(0, static_cast<std::size_t>(shape->size));
  const int named = random.between(2, shape->size);
  std::string swizzle;
  for (int i = 0; i < named; ++i) {
    const auto at = random.below(letters.size());
    swizzle += letters[at];
    letters.erase(at, 1);
  }
  const std::string op =
      shape->kind != Kind::boolean && random.chance(0.3) ? random.of({"+", "-", "*"}) : "";
  line(fmt::format("{}.{} {}= {};", *target, swizzle, op,
                   expression(shapes.vector(shape->kind, named), 2)));
}

void TextWriter::branch(const TextPlace& place) {
  TextPlace inner = place;
  inner.depth++;
  const bool uniform = place.uniform && random.chance(0.5);
  pure_uniform = uniform;
  std::string c = condition(2);
  pure_uniform = false;
  if (!uniform && in_entry && random.chance(0.2)) {
    c = random.chance(0.5) ? fmt::format("gid.x < {}u", random.below(extent[0] + 4))
                           : fmt::format("gid.x {} arrayLength(&in_u)", random.of({"<", ">="}));
  }
  if (!uniform) inner = divided(inner);
  open(fmt::format("if ({})", c));
  block(inner, random.between(1, 3));
  if (random.chance(0.4)) {
    --indent;
    if (random.chance(0.3)) {
      pure_uniform = uniform;
      line(fmt::format("}} else if ({}) {{", condition(1)));
      pure_uniform = false;
    } else {
      line("} else {");
    }
    ++indent;
    block(inner, random.between(1, 3));
  }
  close();
}

void TextWriter::choose(const TextPlace& place) {
  TextPlace inner = place;
  inner.depth++;
  const bool uniform = place.uniform && random.chance(0.5);
  const bool is_signed = random.chance(0.3);
  pure_uniform = uniform;
  const std::string e = expression(shapes.scalar(is_signed ? Kind::i32 : Kind::u32), 1);
  const std::string l = leaf(shapes.scalar(is_signed ? Kind::i32 : Kind::u32), false);
  pure_uniform = false;
  if (!uniform) inner = divided(inner);
  inner.may_break = !inner.uniform;
  open(fmt::format("switch (({} ^ {}) & 7{})", l, e, is_signed ? "i" : "u"));
  const int cases = random.between(0, 3);
  int value = 0;
  const int fallback = random.between(0, cases);
  for (int i = 0; i <= cases; ++i) {
    if (i == fallback) {
      if (random.chance(0.3)) {
        open(fmt::format("case {}, default:", value++));
      } else {
        open("default:");
      }
    } else if (random.chance(0.4)) {
      open(fmt::format("case {}, {}:", value, value + 1));
      value += 2;
    } else {
      open(fmt::format("case {}:", value++));
    }
    block(inner, random.between(0, 2));
    close();
  }
  close();
}

void TextWriter::repeat(const TextPlace& place) {
  TextPlace inner = place;
  inner.depth++;
  inner.loops++;
  const bool uniform = place.uniform && random.chance(0.7);
  if (!uniform) inner = divided(inner);
  inner.may_break = inner.may_continue = true;
  const bool enclosing_return = inner.may_return;
  if (inner.uniform) inner.may_return = enclosing_return;
  pure_uniform = uniform;
  std::string bound = fmt::format("{}u", random.between(1, 4));
  if (random.chance(0.5)) bound = fmt::format("({} & 3u)", leaf(shapes.scalar(Kind::u32), false));
  const std::string c = fresh("c");
  const bool is_signed = random.chance(0.3);
  const Variable counter{c, shapes.scalar(is_signed ? Kind::i32 : Kind::u32), false, uniform,
                         false};
  if (place.loops == 0 && random.chance(0.4)) {  // one that goes on for a while
    bound = random.of<std::string>({"17u", "40u", "min(arrayLength(&in_u), 30u)",
                                    "min(params.n, 33u)", "max(params.n, 3u) % 20u"});
  }
  if (is_signed) bound = fmt::format("i32({})", bound);
  const char* zero = is_signed ? "0i" : "0u";
  const std::size_t outer = scope.size();
  pure_uniform = false;
  switch (random.below(4)) {
    case 3:
      if (is_signed) {
        open(fmt::format("for (var {} = {} - 1i; {} >= 0i; {}--)", c, bound, c, c));
        scope.push_back(counter);
        block(inner, random.between(1, 4));
        close();
        break;
      }
      [[fallthrough]];
    case 0:
      open(fmt::format("for (var {} = {}; {} < {}; {}++)", c, zero, c, bound, c));
      scope.push_back(counter);
      block(inner, random.between(1, 4));
      close();
      break;
    case 1:
      line(fmt::format("var {} = {};", c, zero));
      open(fmt::format("while ({} < {})", c, bound));
      scope.push_back(counter);
      line(fmt::format("{}++;", c));
      block(inner, random.between(1, 4));
      close();
      break;
    default: {
      line(fmt::format("var {} = {};", c, zero));
      open("loop");
      scope.push_back(counter);
      line(fmt::format("if ({} >= {}) {{ break; }}", c, bound));
      line(fmt::format("{}++;", c));
      block(inner, random.between(1, 4));
      if (random.chance(0.7)) {
        open("continuing");
        TextPlace last = inner;
        last.may_break = last.may_continue = last.may_return = false;
        last.loops = 3;
        block(last, random.between(0, 2));
        if (random.chance(0.5)) {
          pure_uniform = uniform;
          line(fmt::format("break if {};", condition(1)));
          pure_uniform = false;
        }
        close();
      }
      close();
    }
  }
  scope.erase(scope.begin() + static_cast<std::ptrdiff_t>(outer), scope.end());
}

// A subgroup operation, in control flow of any kind.
void TextWriter::exchange() {
  const Kind kind = random.of({Kind::i32, Kind::u32, Kind::f32, halves ? Kind::f16 : Kind::u32});
  const TypeShape* shape =
      random.chance(0.7) ? shapes.scalar(kind) : shapes.vector(kind, random.between(2, 4));
  const auto* u = shapes.scalar(Kind::u32);
  const std::string value = expression(shape, 1);
  const std::string name = fresh("s");
  const auto add = [&](const TypeShape* given, const std::string& text) {
    line(fmt::format("let {} = {};", name, text));
    scope.push_back({name, given, false, false, false});
  };
  switch (random.below(6)) {
    case 0:
    case 1: {
      std::vector<const char*> names{"subgroupAdd",          "subgroupMul",
                                     "subgroupMin",          "subgroupMax",
                                     "subgroupInclusiveAdd", "subgroupExclusiveAdd",
                                     "subgroupInclusiveMul", "subgroupExclusiveMul"};
      if (is_integer(kind)) {
        names.insert(names.end(), {"subgroupAnd", "subgroupOr", "subgroupXor"});
      }
      return add(shape, fmt::format("{}({})", random.of(names), value));
    }
    case 2:
      return add(shape, fmt::format("{}({}, {} & 63u)",
                                    random.of({"subgroupShuffle", "subgroupShuffleUp",
                                               "subgroupShuffleDown", "subgroupShuffleXor"}),
                                    value, random.chance(0.5) ? literal(u) : leaf(u, false)));
    case 3:
      return add(shape, fmt::format("{}({})",
                                    random.of({"subgroupBroadcastFirst", "quadSwapX", "quadSwapY",
                                               "quadSwapDiagonal"}),
                                    value));
    case 4:
      if (random.chance(0.5)) {
        return add(shape, fmt::format("subgroupBroadcast({}, {}u)", value, random.below(40)));
      }
      return add(shape, fmt::format("quadBroadcast({}, {}u)", value, random.below(4)));
    default: break;
  }
  const auto* boolean = shapes.scalar(Kind::boolean);
  const std::string vote = condition(1);
  switch (random.below(4)) {
    case 0: return add(boolean, fmt::format("subgroupAll({})", vote));
    case 1: return add(boolean, fmt::format("subgroupAny({})", vote));
    case 2: return add(shapes.vector(Kind::u32, 4), fmt::format("subgroupBallot({})", vote));
    default: return add(boolean, "subgroupElect()");
  }
}

void TextWriter::jump(const TextPlace& place) {
  std::vector<std::string> all;
  if (place.may_break) all.push_back("break;");
  if (place.may_continue) all.push_back("continue;");
  if (place.may_return && random.chance(place.uniform ? 0.1 : 0.5)) {
    all.push_back(result == nullptr ? "return;" : fmt::format("return {};", expression(result, 1)));
  }
  if (all.empty()) return;
  pure_uniform = place.uniform;
  const std::string c = condition(1);
  pure_uniform = false;
  line(fmt::format("if ({}) {{ {} }}", c, random.of(all)));
}

std::string TextWriter::own_index() {
  switch (random.below(6)) {
    case 0: return fmt::format("own * 4u + ({} & 3u)", u32(1));
    case 1:
      return fmt::format("select(own * 4u, {} | {}u, {})", u32(1),
                         random.of({0x10000U, 0x40000000U, 0x80000000U}), condition(1));
    default: return fmt::format("own * 4u + {}u", random.below(4));
  }
}

void TextWriter::write_out(const TextPlace&) {
  if (!in_entry) return;
  if (own_place() && random.chance(0.5)) return view_write();
  const auto compute = [&](Kind k) { return expression(shapes.scalar(k), 2); };
  switch (random.below(9)) {
    case 0: return line(fmt::format("out_u[{}] = {};", own_index(), compute(Kind::u32)));
    case 1: return line(fmt::format("out_f[own] = {};", compute(Kind::f32)));
    case 2:
      if (extent[2] > 1) return;  // others would write there too
      return line(fmt::format("out_x[gid.y * {}u + gid.x {} {}u] = {};", extent[0],
                              x_offset < 0 ? "-" : "+", std::abs(x_offset), compute(Kind::i32)));
    case 3: {
      const TypeShape* part = random.of(value_shapes);
      if (!part->shared) part = shapes.scalar(Kind::f32);
      const auto rest = path(record, part, 4);
      if (!rest) return;
      return line(fmt::format("out_s[own]{} = {};", *rest, expression(part, 2)));
    }
    case 4: return line(fmt::format("out_s[own] = {};", expression(record, 2)));
    case 5:
      if (random.chance(0.3)) {
        return line(fmt::format("out_v[own].{} = {};", random.of({"zx", "xy", "yz", "zy"}),
                                expression(shapes.vector(Kind::u32, 2), 2)));
      }
      return line(fmt::format("out_v[own] = {};", expression(shapes.vector(Kind::u32, 3), 2)));
    case 6: {
      const std::string x = compute(Kind::f32);
      const std::string held = fmt::format("clamp(number({}), -3.0f, 3.0f)", x);
      return line(fmt::format(
          "near[own] = {}({}{});",
          random.of({"sin", "cos", "exp", "exp2", "tanh", "atan", "sinh", "cosh", "asinh"}), held,
          random.chance(0.3) ? " * 0.25f" : ""));
    }
    case 7:
      if (halves) return line(fmt::format("out_h[own] = {};", compute(Kind::f16)));
      [[fallthrough]];
    default:
      if (has_fixed) {
        return line(fmt::format("out_k[own].{} = {};", random.of({"x", "y"}), compute(Kind::u32)));
      }
      return line(fmt::format("out_u[own * 4u] = {};", compute(Kind::u32)));
  }
}

void TextWriter::count(const TextPlace&) {
  const auto* u = shapes.scalar(Kind::u32);
  const auto* i = shapes.scalar(Kind::i32);
  std::vector<const Shared*> adding;
  for (const Shared& s : shared) {
    if (s.form == Shared::Form::atomics && !s.readable) adding.push_back(&s);
  }
  if (in_entry && !adding.empty() && random.chance(0.5)) {
    const auto* s = random.of(adding);
    return line(
        fmt::format("atomicAdd(&{}[{}], {});", s->name, index(s->size, 1), expression(u, 2)));
  }
  if (has_own_atomics && in_entry && random.chance(0.6)) {
    const std::string name = fresh("a");
    if (random.chance(0.3)) {
      line(fmt::format("let {} = atomicCompareExchangeWeak(&own_a[own], {}, {});", name,
                       expression(i, 1), expression(i, 1)));
      scope.push_back({name + ".old_value", i, false, false, false});
      scope.push_back({name + ".exchanged", shapes.scalar(Kind::boolean), false, false, false});
      return;
    }
    line(fmt::format("let {} = {}(&own_a[own], {});", name,
                     random.of({"atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicAnd",
                                "atomicOr", "atomicXor", "atomicExchange"}),
                     expression(i, 2)));
    scope.push_back({name, i, false, false, false});
    return;
  }
  if (has_pairs && (!has_counters || random.chance(0.5))) {
    const std::string value = expression(shapes.vector(Kind::u32, 2), 2);
    return line(random.chance(0.5)
                    ? fmt::format("atomicStoreMax(&n_high[{}], {});", index(8, 1), value)
                    : fmt::format("atomicStoreMin(&n_low, {});", value));
  }
  if (!has_counters) return;
  switch (random.below(6)) {
    case 0:
      return line(fmt::format("{}(&n_add[{}], {});", random.of({"atomicAdd", "atomicSub"}),
                              index(8, 1), expression(u, 2)));
    case 1: return line(fmt::format("atomicMax(&n_max[{}], {});", index(8, 1), expression(i, 2)));
    case 2: return line(fmt::format("atomicMin(&n_min, {});", expression(u, 2)));
    case 3: return line(fmt::format("atomicOr(&n_or[{}], {});", index(8, 1), expression(u, 2)));
    case 4: return line(fmt::format("atomicAnd(&n_and, {});", expression(u, 2)));
    default: return line(fmt::format("atomicXor(&n_xor[{}], {});", index(8, 1), expression(u, 2)));
  }
}

// A pointer to a part of a var, used for a while.
void TextWriter::point(const TextPlace&) {
  std::vector<Variable> roots;
  for (const Variable& v : scope) {
    if (v.root_var && !v.uniform) roots.push_back(v);
  }
  if (roots.empty()) return;
  const Variable root = random.of(roots);
  const TypeShape* part = random.chance(0.5) ? root.shape : random.of(value_shapes);
  const auto rest = path(root.shape, part, 4);
  if (!rest || (!rest->empty() && root.shape->is(Form::vector))) return;
  const std::string name = fresh("p");
  // A pointer to a component of a vector does not exist.
  if (part->is(Form::scalar) && !rest->empty() &&
      (rest->back() == 'x' || rest->back() == 'y' || rest->back() == 'z' || rest->back() == 'w' ||
       root.shape->is(Form::matrix))) {
    return;
  }
  line(fmt::format("let {} = &{}{};", name, root.text, *rest));
  scope.push_back({fmt::format("(*{})", name), part, true, false, false});
}

void TextWriter::share(const TextPlace& place) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (!shared[i].readable) free.push_back(i);
  }
  if (free.empty()) return;
  const std::size_t k = random.of(free);
  const Shared s = shared[k];
  switch (s.form) {
    case Shared::Form::atomics:
      line(fmt::format("atomicAdd(&{}[{}], {});", s.name, index(s.size, 1), u32(2)));
      break;
    case Shared::Form::values:
      line(fmt::format("{}[lidx] = {};", s.name, expression(s.element, 2)));
      break;
    case Shared::Form::bytes:
      line(fmt::format("*bufferView<u32>(&{}, lidx * {}u + {}u) = {};", s.name, kOwnBytes,
                       random.below(kOwnBytes - 3), u32(2)));
  }
  line(random.chance(0.8) ? "workgroupBarrier();" : "workgroupBarrier(); storageBarrier();");
  shared[k].readable = true;
  TextPlace inner = place;
  inner.may_break = inner.may_continue = inner.may_return = false;
  inner.depth++;
  // What is declared between the barriers stays in scope after them.
  const int n = random.between(1, 3);
  for (int i = 0; i < n; ++i) statement(inner);
  const std::string name = fresh("l");
  const std::string i =
      random.chance(0.5) ? fmt::format("{}u - lidx", s.size - 1) : index(s.size, 1);
  switch (s.form) {
    case Shared::Form::atomics:
      line(fmt::format("let {} = atomicLoad(&{}[{}]);", name, s.name, i));
      break;
    case Shared::Form::values: line(fmt::format("let {} = {}[{}];", name, s.name, i)); break;
    case Shared::Form::bytes:
      line(fmt::format("let {} = bufferView<array<u32>>(&{}, {}u)[{}];", name, s.name,
                       4 * random.below(4), i));
  }
  scope.push_back({name, s.form == Shared::Form::values ? s.element : shapes.scalar(Kind::u32),
                   false, false, false});
  shared[k].readable = false;
  line("workgroupBarrier();");
}

void TextWriter::uniform_load(const TextPlace&) {
  for (const Shared& s : shared) {
    if (s.form != Shared::Form::bytes || random.chance(0.5)) continue;
    const auto* shape = random.chance(0.5) ? shapes.scalar(Kind::u32) : shapes.vector(Kind::i32, 4);
    const std::string name = fresh("same");
    line(fmt::format("let {} = workgroupUniformLoad(bufferView<{}>(&{}, {}u));", name, shape->name,
                     s.name, kOwnBytes * random.below(static_cast<std::size_t>(s.size))));
    scope.push_back({name, shape, false, true, false});
    return;
  }
  line(fmt::format("if (lidx == 0u) {{ wg_one = {}; }}", u32(2)));
  const std::string name = fresh("same");
  line(fmt::format("let {} = workgroupUniformLoad(&wg_one);", name));
  scope.push_back({name, shapes.scalar(Kind::u32), false, true, false});
}

}  // namespace vyre

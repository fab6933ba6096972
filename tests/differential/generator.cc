#include "generator.h"

#include <fmt/format.h>

#include "writer_state.h"

namespace vyre {

using Form = TypeShape::Form;

namespace {

void pick_shapes(TextWriter& w) {
  auto& r = w.random;
  auto& s = w.shapes;
  std::vector<Kind> kinds{Kind::i32, Kind::u32, Kind::f32, Kind::boolean};
  if (w.halves) kinds.push_back(Kind::f16);
  for (Kind k : kinds) w.value_shapes.push_back(s.scalar(k));
  for (int i = 0; i < 3; ++i) {
    w.value_shapes.push_back(s.vector(r.of(kinds), r.between(2, 4)));
  }
  if (r.chance(0.4)) {
    const Kind k = w.halves && r.chance(0.5) ? Kind::f16 : Kind::f32;
    w.value_shapes.push_back(s.matrix(k, r.between(2, 4), r.between(2, 4)));
  }
  if (r.chance(0.5)) {
    w.value_shapes.push_back(
        s.array(w.value_shapes[r.below(w.value_shapes.size())], r.between(1, 5)));
  }
  if (r.chance(0.1)) w.value_shapes.push_back(s.array(s.scalar(Kind::u32), 20));
  const int structures = r.between(1, 2);
  for (int i = 0; i < structures; ++i) {
    std::vector<TypeShape::Member> members;
    const int n = r.between(1, 4);
    for (int m = 0; m < n; ++m) {
      const TypeShape* member = r.of(w.value_shapes);
      members.push_back({fmt::format("m{}", m), member});
    }
    if (r.chance(0.5))
      members.push_back({"tail", s.array(s.scalar(r.of({Kind::u32, Kind::f32})), 3)});
    const auto* made = s.structure(fmt::format("S{}", i), std::move(members));
    w.structures.push_back(made);
    w.value_shapes.push_back(made);
  }
  // The element of the record buffers holds no bool.
  std::vector<TypeShape::Member> members{{"a", s.scalar(Kind::i32)}, {"b", s.vector(Kind::f32, 3)}};
  if (r.chance(0.5)) members.push_back({"c", s.array(s.vector(Kind::u32, 2), 3)});
  if (r.chance(0.3)) members.push_back({"d", s.matrix(Kind::f32, 2, 3)});
  if (w.halves) members.push_back({"h", s.vector(Kind::f16, 3)});
  w.record = s.structure("Record", std::move(members));
  w.structures.push_back(w.record);
  if (r.chance(0.5)) w.value_shapes.push_back(w.record);
}

void pick_sizes(TextWriter& w, bool groups) {
  auto& r = w.random;
  w.workgroup = r.of<Extent>({{1, 1, 1},
                              {3, 1, 1},
                              {8, 1, 1},
                              {16, 1, 1},
                              {20, 1, 1},
                              {32, 1, 1},
                              {64, 1, 1},
                              {37, 1, 1},
                              {8, 4, 1},
                              {4, 4, 1},
                              {5, 3, 1},
                              {16, 2, 1},
                              {4, 2, 3},
                              {2, 2, 2}});
  const auto& g = w.workgroup;
  const int most = groups ? 3 : 4;
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint32_t groups_here =
        i == 0 ? static_cast<std::uint32_t>(r.between(1, most))
               : (g[i] > 1 || r.chance(0.15) ? static_cast<std::uint32_t>(r.between(1, 2)) : 1);
    w.extent[i] = g[i] * groups_here;
    if (r.chance(0.5) && w.extent[i] > 1)
      w.extent[i] -= r.below(std::min(g[i], w.extent[i] - 1) + 1);
  }
  const auto total = w.extent[0] * w.extent[1] * w.extent[2];
  w.elements = r.chance(0.5)
                   ? total * 4
                   : static_cast<std::uint32_t>(r.between(1, static_cast<int>(total) + 40));
}

}  // namespace

void TextWriter::declarations() {
  if (halves) line("enable f16;");
  if (has_pairs) line("enable atomic_vec2u_min_max;");
  if (subgroups) line("enable subgroups;");
  if (subgroups) line("diagnostic(off, subgroup_uniformity);");
  for (const TypeShape* s : structures) {
    open("struct " + s->name);
    for (const auto& m : s->members) line(fmt::format("{}: {},", m.name, m.shape->name));
    close();
  }
  int binding = 0;
  const auto declare = [&](const char* kind, const std::string& rest) {
    if (random.chance(0.1)) binding += random.between(1, 9);
    line(fmt::format("@group(0) @binding({}) var<{}> {};", binding++, kind, rest));
  };
  bool spare = has_spare;
  const auto resource = [&](const char* kind, const std::string& rest) {
    if (spare && random.chance(0.2)) {
      declare(random.of({"storage, read", "storage, read_write", "uniform"}), "spare: vec4<f32>");
      spare = false;
    }
    declare(kind, rest);
  };
  open("struct Params");
  line("n: u32,");
  line("m: i32,");
  line("f: vec4<f32>,");
  line("k: array<vec4<u32>, 3>,");
  close();
  resource("uniform", "params: Params");
  resource("storage, read", "in_u: array<u32>");
  resource("storage, read", "in_i: array<i32>");
  resource("storage, read", "in_f: array<f32>");
  if (halves) resource("storage, read", "in_h: array<f16>");
  resource("storage, read", "in_s: array<Record>");
  if (has_tail) {
    line("struct Tail { n: u32, v: vec3<f32>, data: array<vec3<u32>> }");
    resource("storage, read", "in_t: Tail");
  }
  resource("storage, read_write", "out_u: array<u32>");
  resource("storage, read_write", "out_f: array<f32>");
  resource("storage, read_write", "out_x: array<i32>");
  resource("storage, read_write", "out_s: array<Record>");
  resource("storage, read_write", "out_v: array<vec3<u32>>");
  resource("storage, read_write", "near: array<f32>");
  if (halves) resource("storage, read_write", "out_h: array<f16>");
  if (has_fixed) resource("storage, read_write", "out_k: array<vec2<u32>, 100>");
  if (has_own_atomics) resource("storage, read_write", "own_a: array<atomic<i32>>");
  if (has_views) {
    resource("storage, read", "in_b: buffer");
    resource("storage, read_write", "out_b: buffer");
  }
  if (has_pairs) {
    resource("storage, read_write", "n_high: array<atomic<vec2<u32>>, 8>");
    resource("storage, read_write", "n_low: atomic<vec2<u32>>");
  }
  if (has_counters) {
    resource("storage, read_write", "n_add: array<atomic<u32>, 8>");
    resource("storage, read_write", "n_max: array<atomic<i32>, 8>");
    resource("storage, read_write", "n_min: atomic<u32>");
    resource("storage, read_write", "n_or: array<atomic<u32>, 8>");
    resource("storage, read_write", "n_and: atomic<u32>");
    resource("storage, read_write", "n_xor: array<atomic<u32>, 8>");
  }
  if (spare) declare("storage, read", "spare: array<f32>");
  for (const Shared& s : shared) {
    line(s.form == Shared::Form::bytes
             ? fmt::format("var<workgroup> {}: buffer<{}>;", s.name, s.size * kOwnBytes)
             : fmt::format("var<workgroup> {}: array<{}, {}>;", s.name,
                           s.form == Shared::Form::atomics ? "atomic<u32>" : s.element->name,
                           s.size));
  }
  if (!shared.empty()) line("var<workgroup> wg_one: u32;");
  scope.push_back({"params.n", shapes.scalar(Kind::u32), false, true, false});
  scope.push_back({"params.m", shapes.scalar(Kind::i32), false, true, false});
  scope.push_back({"params.f", shapes.vector(Kind::f32, 4), false, true, false});
  scope.push_back({"params.k", shapes.array(shapes.vector(Kind::u32, 4), 3), false, true, false});
  if (random.chance(0.4)) {
    const int n = random.between(1, 3);
    for (int i = 0; i < n; ++i) {
      const TypeShape* shape = random.of(value_shapes);
      const std::string name = fmt::format("g{}", i);
      const std::string initial = random.chance(0.4) ? " = " + literal(shape) : "";
      line(fmt::format("var<private> {}: {}{};", name, shape->name, initial));
      scope.push_back({name, shape, true, false, false});
    }
  }
  open("fn number(x: f32) -> f32");
  line("return select(x, 0.5f, x != x);");
  close();
}

void TextWriter::functions() {
  const int n = random.between(0, 3);
  for (int i = 0; i < n; ++i) {
    Callable c;
    c.name = fresh("call");  // f16 and f32 are types
    const std::size_t outer = scope.size();
    std::string parameters;
    if (random.chance(0.4)) {
      c.pointee = random.of(value_shapes);
      parameters = fmt::format("q: ptr<function, {}>", c.pointee->name);
      scope.push_back({"(*q)", c.pointee, true, false, false});
    }
    const int count = random.between(0, 3);
    for (int k = 0; k < count; ++k) {
      c.parameters.push_back(random.of(value_shapes));
      const std::string name = fmt::format("x{}", k);
      parameters +=
          fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", name, c.parameters.back()->name);
      scope.push_back({name, c.parameters.back(), false, false, false});
    }
    c.result = random.of(value_shapes);
    result = c.result;
    open(fmt::format("fn {}({}) -> {}", c.name, parameters, c.result->name));
    TextPlace place;
    place.may_return = true;
    place.depth = 1;
    const std::size_t here = scope.size();
    const int statements = random.between(1, 4);
    for (int k = 0; k < statements; ++k) statement(place);
    line(fmt::format("return {};", expression(c.result, 2)));
    static_cast<void>(here);
    close();
    scope.erase(scope.begin() + static_cast<std::ptrdiff_t>(outer), scope.end());
    callables.push_back(c);
  }
}

void TextWriter::entry() {
  const bool ids = !shared.empty() || random.chance(0.4);
  // A function with barriers of its own.
  const bool helper = !shared.empty() && random.chance(0.4);
  if (helper) {
    const std::size_t outer = scope.size();
    open("fn together(lidx: u32, x: u32, own: u32) -> u32");
    scope.push_back({"lidx", shapes.scalar(Kind::u32), false, false, false});
    scope.push_back({"x", shapes.scalar(Kind::u32), false, false, false});
    result = shapes.scalar(Kind::u32);
    TextPlace place;
    place.uniform = true;
    place.may_return = random.chance(0.5);
    place.depth = 1;
    const int statements = random.between(2, 5);
    for (int k = 0; k < statements; ++k) statement(place);
    line(fmt::format("return {};", u32(2)));
    close();
    scope.erase(scope.begin() + static_cast<std::ptrdiff_t>(outer), scope.end());
  }
  result = nullptr;
  in_entry = true;
  line(fmt::format("@compute @workgroup_size({}, {}, {})", workgroup[0], workgroup[1],
                   workgroup[2]));
  std::string parameters = "@builtin(global_invocation_id) gid: vec3<u32>";
  const auto* three = shapes.vector(Kind::u32, 3);
  scope.push_back({"gid", three, false, false, false});
  if (ids) {
    parameters += ", @builtin(local_invocation_index) lidx: u32";
    scope.push_back({"lidx", shapes.scalar(Kind::u32), false, false, false});
    if (random.chance(0.6)) {
      parameters += ", @builtin(local_invocation_id) lid: vec3<u32>";
      scope.push_back({"lid", three, false, false, false});
    }
    if (random.chance(0.6)) {
      parameters += ", @builtin(workgroup_id) wid: vec3<u32>";
      scope.push_back({"wid", three, false, true, false});
    }
    if (random.chance(0.3)) {
      parameters += ", @builtin(num_workgroups) nwg: vec3<u32>";
      scope.push_back({"nwg", three, false, true, false});
    }
  }
  for (const char* value :
       {"subgroup_invocation_id", "subgroup_id", "subgroup_size", "num_subgroups"}) {
    if (!subgroups || !random.chance(0.4)) continue;
    parameters += fmt::format(", @builtin({}) {}: u32", value, value);
    scope.push_back({value, shapes.scalar(Kind::u32), false, false, false});
  }
  open(fmt::format("fn main({})", parameters));
  if (has_spare) line(fmt::format("_ = &spare;  {}", kNotInTheTwin));
  line(fmt::format("let own = (gid.z * {}u + gid.y) * {}u + gid.x;", extent[1], extent[0]));
  scope.push_back({"own", shapes.scalar(Kind::u32), false, false, false});
  if (shared.empty() && random.chance(0.25)) {
    line(fmt::format("if (gid.x >= {}) {{ return; }}",
                     random.chance(0.5) ? "arrayLength(&in_u)" : "params.n"));
  }
  for (const Shared& s : shared) {
    if (s.form != Shared::Form::values) continue;
    scope.push_back({s.name + "[lidx]", s.element, true, false, false});
  }
  TextPlace place;
  place.uniform = !shared.empty();
  place.may_return = true;
  place.depth = 1;
  // State that the control flow works on.
  for (const Kind k : {Kind::u32, Kind::i32, Kind::f32}) {
    const std::string name = fresh("v");
    line(fmt::format("var {} = {};", name, leaf(shapes.scalar(k), false)));
    scope.push_back({name, shapes.scalar(k), true, false, true});
  }
  const int statements = random.between(3, 8);
  for (int k = 0; k < statements; ++k) {
    statement(place);
    if (helper && random.chance(0.3)) {
      const std::string name = fresh("l");
      line(fmt::format("let {} = together(lidx, {}, own);", name, u32(1)));
      scope.push_back({name, shapes.scalar(Kind::u32), false, false, false});
    }
  }
  // Nothing waits from here on.
  if (place.uniform && random.chance(0.4)) {
    place.uniform = false;
    for (int k = 0; k < 3; ++k) statement(place);
  }
  line("var hash = 17u;");
  for (const Variable& v : std::vector<Variable>(scope)) {
    for (const Kind k : {Kind::u32, Kind::i32, Kind::f32, Kind::boolean}) {
      const auto rest = path(v.shape, shapes.scalar(k), 4);
      if (!rest) continue;
      const std::string value = v.text + *rest;
      const std::string word = k == Kind::u32   ? value
                               : k == Kind::i32 ? fmt::format("bitcast<u32>({})", value)
                               : k == Kind::f32 ? fmt::format("bitcast<u32>(number({}))", value)
                                                : fmt::format("select(3u, 5u, {})", value);
      line(fmt::format("hash = hash * 31u + {};", word));
      break;
    }
  }
  line("out_u[own * 4u + 3u] = hash;");
  close();
}

Generated generate(std::uint64_t seed, bool rounded_freely) {
  TextWriter w(seed);
  auto& r = w.random;
  w.rounded_freely = rounded_freely;
  w.halves = r.chance(0.2);
  const bool groups = r.chance(0.5);
  pick_shapes(w);
  pick_sizes(w, groups);
  w.has_tail = r.chance(0.4);
  w.has_counters = r.chance(0.4);
  w.has_own_atomics = r.chance(0.3);
  w.has_fixed = r.chance(0.3);
  w.subgroups = r.chance(0.3);
  w.x_offset = r.between(-3, 3);
  w.has_pairs = r.chance(0.15);
  w.has_views = r.chance(0.25);
  w.has_spare = r.chance(0.15);
  if (groups) {
    using Form = TextWriter::Shared::Form;
    const int lanes = static_cast<int>(w.workgroup[0] * w.workgroup[1] * w.workgroup[2]);
    const int n = r.between(1, 2);
    for (int i = 0; i < n; ++i) {
      w.shared.push_back(
          {fmt::format("wg{}", i), r.of(w.value_shapes), lanes, false, Form::values});
    }
    if (r.chance(0.4)) w.shared.push_back({"wg_n", nullptr, r.between(1, 9), false, Form::atomics});
    if (w.has_views) w.shared.push_back({"wg_b", nullptr, lanes, false, Form::bytes});
  }
  w.declarations();
  w.functions();
  w.entry();
  Generated out;
  out.text = fmt::format("// size: {},{},{}\n// elements: {}\n{}", w.extent[0], w.extent[1],
                         w.extent[2], w.elements, w.text);
  out.extent = w.extent;
  out.elements = w.elements;
  return out;
}

}  // namespace vyre

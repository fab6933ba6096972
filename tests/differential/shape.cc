#include "shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace vyre {

std::string name_of(Kind k) {
  switch (k) {
    case Kind::boolean: return "bool";
    case Kind::i32: return "i32";
    case Kind::u32: return "u32";
    case Kind::f32: return "f32";
    case Kind::f16: return "f16";
  }
  return "?";
}

const TypeShape* Shapes::add(TypeShape shape) {
  for (const TypeShape& s : all_) {
    if (s.name == shape.name) return &s;
  }
  all_.push_back(std::move(shape));
  return &all_.back();
}

const TypeShape* Shapes::scalar(Kind kind) {
  TypeShape s;
  s.kind = kind;
  s.name = name_of(kind);
  s.shared = kind != Kind::boolean;
  return add(std::move(s));
}

const TypeShape* Shapes::vector(Kind kind, int size) {
  TypeShape s;
  s.form = TypeShape::Form::vector;
  s.kind = kind;
  s.size = size;
  s.element = scalar(kind);
  s.name = fmt::format("vec{}<{}>", size, name_of(kind));
  s.shared = kind != Kind::boolean;
  return add(std::move(s));
}

const TypeShape* Shapes::matrix(Kind kind, int columns, int rows) {
  TypeShape s;
  s.form = TypeShape::Form::matrix;
  s.kind = kind;
  s.size = columns;
  s.rows = rows;
  s.element = vector(kind, rows);
  s.name = fmt::format("mat{}x{}<{}>", columns, rows, name_of(kind));
  s.shared = true;
  return add(std::move(s));
}

const TypeShape* Shapes::array(const TypeShape* element, int size) {
  TypeShape s;
  s.form = TypeShape::Form::array;
  s.size = size;
  s.element = element;
  s.name = fmt::format("array<{}, {}>", element->name, size);
  s.shared = element->shared;
  return add(std::move(s));
}

const TypeShape* Shapes::structure(std::string name, std::vector<TypeShape::Member> members) {
  TypeShape s;
  s.form = TypeShape::Form::structure;
  s.name = std::move(name);
  s.shared = std::ranges::all_of(members, [](const auto& m) { return m.shape->shared; });
  s.members = std::move(members);
  return add(std::move(s));
}

}  // namespace vyre

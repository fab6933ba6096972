// The types of generated programs.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "support/random.h"

namespace vyre {

enum class Kind : unsigned char { boolean, i32, u32, f32, f16 };

struct Shape {
  enum class Form : unsigned char { scalar, vector, matrix, array, structure } form = Form::scalar;
  Kind kind{};                     // of scalars, vectors, matrices
  int size = 0;                    // components, columns or elements
  int rows = 0;                    // of a matrix
  const Shape* element = nullptr;  // component, column or element
  struct Member {
    std::string name;
    const Shape* shape;
  };
  std::vector<Member> members;
  std::string name;     // as WGSL writes it
  bool shared = false;  // may lie in buffers: holds no bool

  bool is(Form f) const { return form == f; }
  bool is_scalar(Kind k) const { return form == Form::scalar && kind == k; }
};

inline bool is_integer(Kind k) { return k == Kind::i32 || k == Kind::u32; }
inline bool is_float(Kind k) { return k == Kind::f32 || k == Kind::f16; }
std::string name_of(Kind k);

// All shapes of one program, each once.
class Shapes {
 public:
  const Shape* scalar(Kind kind);
  const Shape* vector(Kind kind, int size);
  const Shape* matrix(Kind kind, int columns, int rows);
  const Shape* array(const Shape* element, int size);
  const Shape* structure(std::string name, std::vector<Shape::Member> members);

  const std::deque<Shape>& all() const { return all_; }

 private:
  const Shape* add(Shape shape);
  std::deque<Shape> all_;
};

}  // namespace vyre

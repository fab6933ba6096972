// The types of generated programs.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "support/random.h"

namespace vyre {

enum class Kind : unsigned char { boolean, i32, u32, f32, f16 };

struct TypeShape {
  enum class Form : unsigned char { scalar, vector, matrix, array, structure } form = Form::scalar;
  Kind kind{};                         // of scalars, vectors, matrices
  int size = 0;                        // components, columns or elements
  int rows = 0;                        // of a matrix
  const TypeShape* element = nullptr;  // component, column or element
  struct Member {
    std::string name;
    const TypeShape* shape;
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
  const TypeShape* scalar(Kind kind);
  const TypeShape* vector(Kind kind, int size);
  const TypeShape* matrix(Kind kind, int columns, int rows);
  const TypeShape* array(const TypeShape* element, int size);
  const TypeShape* structure(std::string name, std::vector<TypeShape::Member> members);

  const std::deque<TypeShape>& all() const { return all_; }

 private:
  const TypeShape* add(TypeShape shape);
  std::deque<TypeShape> all_;
};

}  // namespace vyre

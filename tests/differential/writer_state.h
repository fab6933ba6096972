// What the parts of the generator share: the text so far, what is in scope, what is allowed here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shape.h"
#include "support/random.h"
#include "vyre/base/extent.h"

namespace vyre {

struct Variable {
  std::string text;  // how it is named where a value is wanted: "v3", "(*p1)", "wg0[lidx]"
  const TypeShape* shape = nullptr;
  bool assignable = false;
  bool uniform = false;   // the same for the workgroup
  bool root_var = false;  // a function's var: `&text` is a ptr<function>
};

struct Callable {
  std::string name;
  std::vector<const TypeShape*> parameters;
  const TypeShape* pointee = nullptr;  // of a first parameter ptr<function, ...>; null: none
  const TypeShape* result = nullptr;   // null: none
};

// Where a statement stands.
struct TextPlace {
  bool uniform = false;  // all of the workgroup is here: barriers may stand
  bool may_break = false, may_continue = false, may_return = false;
  int depth = 0;
  int loops = 0;
};

class TextWriter {
 public:
  explicit TextWriter(std::uint64_t seed) : random(seed) {}

  Random random;
  Shapes shapes;
  std::vector<const TypeShape*> value_shapes;  // what variables are made of
  std::vector<const TypeShape*> structures;
  bool halves = false;     // f16
  bool subgroups = false;  // subgroup operations
  // Float operations for which WGSL allows more than one result: division, remainder, square roots.
  bool rounded_freely = true;

  std::string text;
  int indent = 0;
  int names = 0;
  int index_depth = 0;

  std::vector<Variable> scope;
  std::vector<Callable> callables;    // that may be called here
  const TypeShape* result = nullptr;  // of the function being written
  bool in_entry = false;              // ids are in scope
  bool pure_uniform = false;          // expressions must be uniform
  // Workgroup memory: an array of `size` elements, or a buffer with kOwnBytes for each of `size`
  // invocations. Where it is readable, all of it may be read; elsewhere only what is the
  // invocation's own.
  struct Shared {
    enum class Form : unsigned char { values, atomics, bytes };
    std::string name;
    const TypeShape* element;
    int size;
    bool readable;
    Form form;
  };
  static constexpr int kOwnBytes = 16;  // of an invocation in a buffer that is written by views
  std::vector<Shared> shared;
  Extent workgroup{1, 1, 1}, extent{1, 1, 1};
  std::uint32_t elements = 1;
  // Global names that exist in this program.
  bool has_tail = false, has_counters = false, has_own_atomics = false, has_fixed = false;
  bool has_pairs = false;             // counters of 64 bits, atomic<vec2u>
  bool has_views = false;             // the buffers in_b and out_b
  bool has_spare = false;             // a binding that nothing reads or writes
  const TypeShape* record = nullptr;  // element of in_s and out_s
  int x_offset = 0;                   // out_x is written at gid.x + x_offset

  void line(const std::string& what);
  void open(const std::string& head);
  void close(const std::string& tail = "}");
  std::string fresh(const char* prefix);

  // ---- expressions (expressions.cc)
  std::string expression(const TypeShape* shape, int depth);
  std::string leaf(const TypeShape* shape, bool literal_allowed);
  std::string literal(const TypeShape* shape);
  std::string u32(int depth) { return expression(shapes.scalar(Kind::u32), depth); }
  std::string condition(int depth) { return expression(shapes.scalar(Kind::boolean), depth); }
  // An index of any integer type: most often inside, sometimes anywhere.
  std::string index(int count, int depth);
  std::optional<std::string> counter_index(int count);
  // A path from a variable of one shape to a part of another; empty when there is none.
  std::optional<std::string> path(const TypeShape* from, const TypeShape* to, int depth);
  std::optional<std::string> variable_path(const TypeShape* shape, bool assignable, int depth);

  // ---- statements (statements.cc)
  void block(const TextPlace& place, int statements);
  void statement(const TextPlace& place);
  void entry();
  void functions();
  void declarations();

 private:
  std::string scalar_expression(const TypeShape* shape, int depth);
  std::string integer_expression(const TypeShape* shape, int depth);
  std::string float_expression(const TypeShape* shape, int depth);
  std::string bool_expression(int depth);
  std::string vector_expression(const TypeShape* shape, int depth);
  std::string matrix_expression(const TypeShape* shape, int depth);
  std::string composite_expression(const TypeShape* shape, int depth);
  std::string buffer_read(const TypeShape* shape);
  std::optional<std::string> call(const TypeShape* shape, int depth);

  void declare(const TextPlace& place);
  void assign(const TextPlace& place);
  void branch(const TextPlace& place);
  void choose(const TextPlace& place);
  void repeat(const TextPlace& place);
  void write_out(const TextPlace& place);
  void count(const TextPlace& place);
  void point(const TextPlace& place);
  void jump(const TextPlace& place);
  void share(const TextPlace& place);
  void uniform_load(const TextPlace& place);
  void exchange();
  std::string own_index();
  // The bytes of a buffer that belong to an invocation: kOwnBytes for each number.
  struct ViewPlace {
    std::string buffer;
    const char* invocation;
  };
  std::optional<ViewPlace> own_place();
  std::optional<std::string> view_read(const TypeShape* shape);
  void view_write();
  void swizzle_assign();
};

}  // namespace vyre

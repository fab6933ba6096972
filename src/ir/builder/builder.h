// Programs written in C++.
//
//   Result<Program> saxpy() {
//     ProgramBuilder b("saxpy", {64, 1, 1});
//     Ref a = b.uniform("a", b.f32);
//     Ref x = b.storage_read("x", b.array(b.f32));
//     Ref y = b.storage("y", b.array(b.f32));
//     Value i = b.global_id().x();
//     b.if_(i < y.length(), [&] { y[i] = a * x[i] + y[i]; });
//     return std::move(b).build();
//   }
//
// A Value never changes after it was made, wherever in its scope it is used (the builder adds a
// `let` if that is necessary). A Ref is a place in memory: assigning to it stores, and using it as
// a value loads. Values and Refs must not outlive their ProgramBuilder. Types are checked as the
// program is built; every error is kept with its place in the C++ source, and build() reports all
// of them. A C++ number takes the type of its other operand. A builder is for one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/program.h"

namespace vyre {

class BuilderState;
struct Arg;

class Value {
 public:
  using Where = std::source_location;

  Value() = default;  // using it is an error

  Value x(Where where = Where::current()) const { return swizzle("x", where); }
  Value y(Where where = Where::current()) const { return swizzle("y", where); }
  Value z(Where where = Where::current()) const { return swizzle("z", where); }
  Value w(Where where = Where::current()) const { return swizzle("w", where); }
  // "xyz", "rg", "xxxx"; one letter gives a scalar.
  Value swizzle(std::string_view lanes, Where where = Where::current()) const;
  // A member of a struct.
  Value member(std::string_view name, Where where = Where::current()) const;
  // An element of an array, a component of a vector, a column of a matrix.
  Value operator[](const Arg& index) const;

 private:
  friend class BuilderState;
  Value(BuilderState* state, std::uint32_t id) : state_(state), id_(id) {}

  BuilderState* state_ = nullptr;
  std::uint32_t id_ = 0;
};

class Ref {
 public:
  using Where = std::source_location;

  Ref(const Ref&) = default;
  // Both operators store to the place; a Ref always refers to the same place.
  Ref& operator=(const Ref& value);
  const Ref& operator=(const Arg& value) const;
  const Ref& operator+=(const Arg& value) const;
  const Ref& operator-=(const Arg& value) const;
  const Ref& operator*=(const Arg& value) const;
  const Ref& operator/=(const Arg& value) const;

  // Loads the value at this point of the program.
  Value load(Where where = Where::current()) const;
  operator Value() const;  // NOLINT(google-explicit-constructor): as WGSL's load rule

  Ref operator[](const Arg& index) const;
  Ref member(std::string_view name, Where where = Where::current()) const;
  Ref x(Where where = Where::current()) const { return component(0, where); }
  Ref y(Where where = Where::current()) const { return component(1, where); }
  Ref z(Where where = Where::current()) const { return component(2, where); }
  Ref w(Where where = Where::current()) const { return component(3, where); }
  // The number of elements of a run-time sized array.
  Value length(Where where = Where::current()) const;
  // A pointer to the place, for functions that take one.
  Value address(Where where = Where::current()) const;

  // Operations on an atomic; each returns the old value.
  Value atomic_load(Order order = Order::relaxed, Where where = Where::current()) const;
  void atomic_store(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_add(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_sub(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_max(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_min(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_and(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_or(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_xor(const Arg& value, Order order = Order::relaxed) const;
  Value atomic_exchange(const Arg& value, Order order = Order::relaxed) const;
  // Returns a struct of "old_value" and "exchanged", which says whether old_value was `compare`.
  Value atomic_compare_exchange(const Arg& compare, const Arg& value,
                                Order order = Order::relaxed) const;

 private:
  friend class BuilderState;
  Ref(BuilderState* state, std::uint32_t id) : state_(state), id_(id) {}
  Ref component(std::uint32_t i, Where where) const;

  BuilderState* state_;
  std::uint32_t id_;
};

// The argument of operators and functions: a value, a place (which is loaded, or passed as a
// pointer where a pointer is expected), or a C++ number. It keeps its place in the C++ source for
// errors.
struct Arg {
  using Where = std::source_location;
  // NOLINTBEGIN(google-explicit-constructor): callers write the value itself
  Arg(const Value& v, Where w = Where::current()) : what(v), where(w) {}
  Arg(const Ref& v, Where w = Where::current()) : what(v), where(w) {}
  Arg(bool v, Where w = Where::current()) : what(v), where(w) {}
  Arg(int v, Where w = Where::current()) : what(std::int64_t{v}), where(w) {}
  Arg(unsigned v, Where w = Where::current()) : what(std::uint32_t{v}), where(w) {}
  Arg(float v, Where w = Where::current()) : what(double{v}), where(w) {}
  Arg(double v, Where w = Where::current()) : what(v), where(w) {}
  // NOLINTEND(google-explicit-constructor)
  Arg(const Arg&) = default;
  Arg& operator=(const Arg&) = delete;

  std::variant<Value, Ref, bool, std::int64_t, std::uint32_t, double> what;
  std::source_location where;
};

// Arithmetic works on numbers, vectors and matrices as in WGSL; a scalar operand of a vector is
// applied to each component.
Value operator+(const Arg& a, const Arg& b);
Value operator-(const Arg& a, const Arg& b);
Value operator*(const Arg& a, const Arg& b);
Value operator/(const Arg& a, const Arg& b);
Value operator%(const Arg& a, const Arg& b);
Value operator==(const Arg& a, const Arg& b);
Value operator!=(const Arg& a, const Arg& b);
Value operator<(const Arg& a, const Arg& b);
Value operator<=(const Arg& a, const Arg& b);
Value operator>(const Arg& a, const Arg& b);
Value operator>=(const Arg& a, const Arg& b);
Value operator&&(const Arg& a, const Arg& b);  // both sides are evaluated
Value operator||(const Arg& a, const Arg& b);
Value operator&(const Arg& a, const Arg& b);
Value operator|(const Arg& a, const Arg& b);
Value operator^(const Arg& a, const Arg& b);
Value operator<<(const Arg& a, const Arg& b);
Value operator>>(const Arg& a, const Arg& b);
Value operator-(const Arg& a);
Value operator!(const Arg& a);
Value operator~(const Arg& a);

// Calls any builtin function; builder_math.h has each one by its name.
Value math(MathFn fn, std::initializer_list<Arg> arguments,
           std::source_location where = std::source_location::current());

struct Field {  // of a struct, or a parameter
  std::string name;
  TypeId type;
};

struct BindingPoint {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
};

using Body = std::function<void()>;

struct SwitchArm {
  std::vector<std::int64_t> values;
  Body body;
};

class ProgramBuilder {
 public:
  using Where = std::source_location;

  explicit ProgramBuilder(std::string name, Extent workgroup = {64, 1, 1},
                          Where where = Where::current());
  ProgramBuilder(ProgramBuilder&&) noexcept;
  ProgramBuilder& operator=(ProgramBuilder&&) noexcept;
  ~ProgramBuilder();

  // ---- Types
  TypeId none;  // the result type of a function without a result
  TypeId boolean, i32, u32, f32, f16;
  TypeId vec(TypeId scalar, std::uint32_t size);
  TypeId mat(TypeId scalar, std::uint32_t columns, std::uint32_t rows);
  TypeId array(TypeId element);  // sized at run time
  TypeId array(TypeId element, std::uint32_t count);
  // `count` is an expression of overrides; for workgroup memory.
  TypeId array(TypeId element, const Value& count);
  TypeId atomic(TypeId scalar);
  TypeId structure(std::string name, std::vector<Field> members);
  TypeId pointer(MemoryKind memory, TypeId pointee, Access access = Access::read_write);

  // ---- Memory. Buffers without a binding point get group 0 and the next free binding.
  Ref storage(std::string name, TypeId type, std::optional<BindingPoint> at = {},
              Where where = Where::current());
  Ref storage_read(std::string name, TypeId type, std::optional<BindingPoint> at = {},
                   Where where = Where::current());
  Ref uniform(std::string name, TypeId type, std::optional<BindingPoint> at = {},
              Where where = Where::current());
  Ref workgroup(std::string name, TypeId type, Where where = Where::current());
  Ref private_(std::string name, TypeId type, Where where = Where::current());
  Ref private_(std::string name, const Arg& initial);

  // ---- Overrides
  Value override_(std::string name, TypeId type, Where where = Where::current());
  Value override_(std::string name, TypeId type, const Arg& initial,
                  std::optional<std::uint16_t> id = {});
  // Sets the workgroup size along an axis (0, 1, 2) to an expression of overrides.
  void workgroup_size(std::size_t axis, const Arg& size);

  // ---- Ids
  Value global_id();
  Value local_id();
  Value local_index();
  Value workgroup_id();
  Value workgroup_count();

  // ---- Values
  Value constant(TypeId type, const Arg& number);
  Value zero(TypeId type, Where where = Where::current());
  // Makes a vector, matrix, array or struct from its parts; a single scalar fills a vector.
  Value make(TypeId type, std::initializer_list<Arg> parts, Where where = Where::current());
  Value convert(TypeId type, const Arg& value);
  Value bitcast(TypeId type, const Arg& value);
  Value select(const Arg& on_false, const Arg& on_true, const Arg& condition);

  // ---- Locals
  Value let(std::string name, const Arg& value);
  Ref var(std::string name, TypeId type, Where where = Where::current());
  Ref var(std::string name, const Arg& initial);
  Ref deref(const Value& pointer, Where where = Where::current());

  // ---- Control flow
  void if_(const Arg& condition, const Body& then, const Body& otherwise = {});
  // `break_if` is evaluated at the end of each iteration, after `continuing`.
  void loop(const Body& body, const Body& continuing = {},
            const std::function<Value()>& break_if = {}, Where where = Where::current());
  void while_(const std::function<Value()>& condition, const Body& body,
              Where where = Where::current());
  // i = begin, begin + step, ... while i < end.
  void for_(const std::string& name, const Arg& begin, const Arg& end,
            const std::function<void(Value)>& body, const Arg& step = 1);
  void switch_(const Arg& selector, const std::vector<SwitchArm>& arms, const Body& otherwise = {});
  void break_(Where where = Where::current());
  void continue_(Where where = Where::current());
  void return_(Where where = Where::current());
  void return_(const Arg& value);

  // ---- Cooperation
  void workgroup_barrier(Where where = Where::current());
  void storage_barrier(Where where = Where::current());
  Value uniform_load(const Ref& from, Where where = Where::current());
  // `lane` is a u32, for operations that take one.
  Value subgroup(SubgroupOp op, const Arg& value, Where where = Where::current());
  Value subgroup(SubgroupOp op, const Arg& value, const Arg& lane, Where where = Where::current());
  Value subgroup_elect(Where where = Where::current());

  // ---- Functions
  // The body receives the parameters. A function must be defined before it is called.
  FunctionId function(std::string name, TypeId result, const std::vector<Field>& parameters,
                      const std::function<void(std::span<const Value>)>& body,
                      Where where = Where::current());
  // Copies functions of another program with everything that they use, and returns their ids here.
  // The other program's functions must be valid.
  std::vector<FunctionId> copy_functions(const Program& from,
                                         std::span<const FunctionId> functions);
  Value call(FunctionId function, std::initializer_list<Arg> arguments,
             Where where = Where::current());

  // The validated program, or one error that lists all errors.
  Result<Program> build() &&;

 private:
  std::unique_ptr<BuilderState> state_;
};

}  // namespace vyre

// Values in the arrays that buffers have become: loads and stores of any host-shareable type,
// scalar by scalar. For this room only.
#pragma once

#include <cstdint>
#include <functional>

#include "vyre/ir/program.h"
#include "vyre/ir/writer.h"

namespace vyre {

// An element of a buffer's array: what the let `base` says, if there is one, and `offset` more.
struct ViewAddress {
  LocalId base = kNoLocal;
  std::uint32_t offset = 0;
};

// Arrays with more scalars than this are loaded and stored in a loop.
constexpr std::uint32_t kUnrolledScalars = 64;
// The number of scalars that a program may load and store one by one through views.
constexpr std::uint32_t kMostScalars = 1U << 18U;

class ViewMemory {
 public:
  // Makes one scalar out of a pointer to an array element; a load, in most cases.
  using Loader = std::function<ExprId(ExprId pointer, TypeId element)>;

  ViewMemory(Program& program, Writer& writer, std::uint32_t unit)
      : program_(program), writer_(writer), unit_(unit) {}

  // The function that statements go into, whose locals grow.
  void into(Function* function) { function_ = function; }
  std::uint32_t unit() const { return unit_; }  // bytes of an element: 2 or 4
  TypeId element() { return program_.types.scalar(unit_ == 2 ? ScalarKind::f16 : ScalarKind::u32); }

  TypeId u32() { return program_.types.scalar(ScalarKind::u32); }
  TypeId boolean() { return program_.types.scalar(ScalarKind::boolean); }
  ExprId number(std::uint32_t n) { return writer_.constant(Scalar::of(n)); }
  ExprId binary(BinaryOp op, TypeId type, ExprId left, ExprId right) {
    return writer_.expr(type, BinaryExpr{op, left, right});
  }
  ExprId add(ExprId left, ExprId right) { return binary(BinaryOp::add, u32(), left, right); }
  ExprId sub(ExprId left, ExprId right) { return binary(BinaryOp::sub, u32(), left, right); }
  ExprId choose(ExprId condition, ExprId on_true, ExprId on_false) {
    return writer_.expr(program_[on_true].type, SelectExpr{on_false, on_true, condition});
  }
  // Where an invalid pointer to a value of so many elements points: the last elements that an index
  // can name, which no buffer has.
  ExprId nowhere(std::uint32_t elements) { return number(0U - elements); }
  // A let for the value, which a use names once more each time.
  LocalId let(const char* name, ExprId value);
  ExprId use(LocalId let);
  ExprId value_of(const ViewAddress& at);

  ExprId root(GlobalId buffer);
  // Types are those of the program that is written. Statements that a load needs come before it.
  ExprId load(GlobalId buffer, const ViewAddress& at, TypeId type, const Loader& loader);
  void store(GlobalId buffer, const ViewAddress& at, TypeId type, ExprId value);

  // Whether there were more scalars than kMostScalars: what was written is no longer complete.
  bool is_full() const { return scalars_ > kMostScalars; }

  ExprId plain_load(ExprId pointer, TypeId type) { return writer_.expr(type, LoadExpr{pointer}); }

 private:
  using Part = std::function<ExprId()>;  // a new tree for the same value each time

  LocalId local(const char* name, LocalKind kind, TypeId type);
  ExprId pointer_to(LocalId variable);
  ExprId place(GlobalId buffer, const ViewAddress& at);
  // Whether it is an array that takes a loop.
  bool is_long(TypeId type) const {
    return program_.types.get_if<ArrayType>(type) != nullptr &&
           program_.types.scalar_count(type) > kUnrolledScalars;
  }
  ViewAddress later(const ViewAddress& at, std::uint64_t bytes) const {
    return {at.base, at.offset + static_cast<std::uint32_t>(bytes / unit_)};
  }
  ExprId load_scalar(GlobalId buffer, const ViewAddress& at, TypeId type, const Loader& loader);
  void store_scalar(GlobalId buffer, const ViewAddress& at, TypeId type, ExprId value);
  void store_part(GlobalId buffer, const ViewAddress& at, TypeId type, const Part& part);
  // Calls body(address of the element, let with its number) in a loop over an array.
  void each_element(const ViewAddress& at, TypeId array,
                    const std::function<void(const ViewAddress&, LocalId)>& body);

  Program& program_;
  Writer& writer_;
  std::uint32_t unit_;
  Function* function_ = nullptr;
  std::uint32_t scalars_ = 0;
};

}  // namespace vyre

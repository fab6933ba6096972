// Types are interned in a TypeTable and named by TypeId: equal types have equal ids within one
// table. Layout (size, alignment, stride, member offsets) follows WGSL for every type, including
// those that never reach a buffer (a bool takes 4 bytes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "vyre/ir/scalar.h"

namespace vyre {

enum class TypeId : std::uint32_t {};
enum class ExprId : std::uint32_t {};
constexpr ExprId kNoExpr{0xFFFFFFFFU};

// `immediate` is checked by the front end, and in no valid program.
enum class MemoryKind : std::uint8_t { storage, uniform, workgroup, private_, function, immediate };
enum class Access : std::uint8_t { read, write, read_write };
std::string_view to_string(MemoryKind kind);  // WGSL's address space names
std::string_view to_string(Access access);

struct VoidType {
  bool operator==(const VoidType&) const = default;
};
struct ScalarType {
  ScalarKind kind;
  bool operator==(const ScalarType&) const = default;
};
struct VectorType {
  ScalarKind kind;
  std::uint8_t size;  // 2, 3, 4
  bool operator==(const VectorType&) const = default;
};
struct MatrixType {
  ScalarKind kind;  // f32, f16 (abstract_float while constants are evaluated)
  std::uint8_t columns, rows;
  bool operator==(const MatrixType&) const = default;
};
// count 0 with no count_expr: sized at run time. count_expr: sized by an override expression until
// `specialise` replaces it with a count; two such types are equal only if they name the same
// ExprId.
struct ArrayType {
  TypeId element;
  std::uint32_t count = 0;
  ExprId count_expr = kNoExpr;
  bool operator==(const ArrayType&) const = default;
};
struct Member {
  std::string name;
  TypeId type;
  std::uint32_t offset = 0;  // bytes from the start of the struct
  std::uint32_t align = 0;   // as laid out, attributes included
  std::uint32_t size = 0;    // as laid out, attributes included
  bool operator==(const Member&) const = default;
};
struct StructType {
  std::string name;
  std::vector<Member> members;
  bool operator==(const StructType&) const = default;
};
// atomic<i32>, atomic<u32>, or atomic<vec2<u32>>: one number of 64 bits whose higher half is y.
struct AtomicType {
  ScalarKind kind;
  std::uint8_t size = 1;  // 2 for the vector
  bool operator==(const AtomicType&) const = default;
};
struct PointerType {
  MemoryKind memory;
  TypeId pointee;
  Access access;
  bool operator==(const PointerType&) const = default;
};
// Bytes without a type of their own, which a ViewExpr reinterprets. bytes 0 with no bytes_expr:
// sized at run time. bytes_expr: sized by an override expression until `specialise`. In no program
// that `specialise` has made.
struct BufferType {
  std::uint32_t bytes = 0;
  ExprId bytes_expr = kNoExpr;
  std::uint32_t granule = 4;  // the size is a multiple of it: 2 where f16 is enabled
  bool operator==(const BufferType&) const = default;
};
// A texture or a sampler, by its WGSL spelling: checked by the front end, in no valid program.
struct HandleType {
  std::string name;
  bool operator==(const HandleType&) const = default;
};

using Type = std::variant<VoidType, ScalarType, VectorType, MatrixType, ArrayType, StructType,
                          AtomicType, PointerType, BufferType, HandleType>;

// Bytes. A run-time sized array has size 0 here and a struct that ends in one has the offset of
// that member; an override-sized array has size 0 until specialised.
struct Layout {
  std::uint64_t size = 0;
  std::uint32_t align = 1;
};

class TypeTable {
 public:
  TypeTable();

  // A type inside `type` that this table does not hold becomes void, which validate refuses.
  TypeId intern(const Type& type);
  // The id of a type that is already in the table.
  std::optional<TypeId> find(const Type& type) const;
  const Type& operator[](TypeId id) const { return types_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return types_.size(); }

  TypeId void_type() const { return TypeId{0}; }
  TypeId scalar(ScalarKind kind) { return intern(ScalarType{kind}); }
  TypeId vector(ScalarKind kind, std::uint32_t n) {
    return intern(VectorType{kind, static_cast<std::uint8_t>(n)});
  }
  TypeId matrix(ScalarKind kind, std::uint32_t columns, std::uint32_t rows) {
    return intern(
        MatrixType{kind, static_cast<std::uint8_t>(columns), static_cast<std::uint8_t>(rows)});
  }
  TypeId array(TypeId element, std::uint32_t count) { return intern(ArrayType{element, count}); }
  TypeId runtime_array(TypeId element) { return intern(ArrayType{element, 0}); }
  TypeId atomic(ScalarKind kind, std::uint8_t size = 1) { return intern(AtomicType{kind, size}); }
  // What an atomic holds: a scalar or a vector.
  TypeId held(const AtomicType& atomic) {
    return atomic.size == 1 ? scalar(atomic.kind) : vector(atomic.kind, atomic.size);
  }
  TypeId pointer(MemoryKind memory, TypeId pointee, Access access) {
    return intern(PointerType{memory, pointee, access});
  }
  // Fills in offset, align and size of each member whose align/size are 0 (no attribute), keeping
  // explicit ones; then interns.
  TypeId structure(std::string name, std::vector<Member> members);

  template <class T>
  const T* get_if(TypeId id) const {
    return std::get_if<T>(&(*this)[id]);
  }

  const Layout& layout(TypeId id) const { return layouts_[static_cast<std::size_t>(id)]; }
  // Distance in bytes between neighbours of an array of `element`.
  std::uint64_t stride(TypeId element) const;
  // Replaces an override-sized array by a sized one, in place; layouts that contain it follow. It
  // keeps its id even when an equal sized array has another.
  void resize_array(TypeId array, std::uint32_t count);
  // The same for a buffer.
  void resize_buffer(TypeId buffer, std::uint32_t bytes);

  // The scalar kind of a scalar, vector, matrix or atomic; empty otherwise.
  std::optional<ScalarKind> scalar_kind(TypeId id) const;
  // The number of scalars of a flattened value of the type, including arrays and structs; 0 for
  // run-time and override-sized arrays.
  std::uint64_t scalar_count(TypeId id) const;
  // The type of element/member/column/component i of a composite (a vector's scalar, also in an
  // atomic; a matrix's column vector, ...). i matters for structs only. (Interning a vector or a
  // matrix interns its scalar and its column too.)
  TypeId component(TypeId composite, std::uint32_t i = 0) const;
  // The number of these components; 0 for run-time sized arrays and scalars.
  std::uint32_t component_count(TypeId composite) const;

  bool is_constructible(TypeId id) const;   // no atomics, no run-time arrays, no pointers
  bool is_host_shareable(TypeId id) const;  // may live in storage and uniform buffers
  bool contains_atomic(TypeId id) const;
  bool contains_runtime_array(TypeId id) const;
  // 0 for scalars, vectors, matrices and atomics; one more than its deepest component otherwise.
  std::uint32_t nesting(TypeId id) const;

  // WGSL spelling: "vec3<f32>", "array<u32, 4>", "ptr<storage, f32, read>", a struct's name.
  std::string spell(TypeId id) const;

 private:
  // Everything about a type that would need a walk through its components, computed once when it
  // is interned: components come before what contains them.
  struct Facts {
    std::uint64_t scalar_count = 0;
    TypeId component{};
    std::uint32_t nesting = 0;
    bool constructible = false, host_shareable = false, atomic = false, runtime_array = false;
  };

  Layout compute_layout(const Type& type) const;
  Facts compute_facts(const Type& type) const;
  TypeId append(const Type& type);
  void refresh(std::size_t index);
  void insert_slot(std::uint32_t id);
  void rebuild_slots(std::size_t slot_count);
  const Facts& facts(TypeId id) const { return facts_[static_cast<std::size_t>(id)]; }

  std::vector<Type> types_;
  std::vector<Layout> layouts_;
  std::vector<Facts> facts_;
  std::vector<std::uint32_t> slots_;  // open addressing by hash; id + 1, or 0 when free
};

}  // namespace vyre

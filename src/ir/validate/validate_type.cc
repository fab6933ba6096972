#include <fmt/format.h>

#include <bit>
#include <limits>

#include "vyre/base/overloaded.h"
#include "vyre/ir/validate/validate_internal.h"

namespace vyre {
namespace {

bool is_matrix_size(std::uint32_t n) { return n >= 2 && n <= 4; }

bool is_override_sized(const TypeTable& types, TypeId id) {
  const auto* array = types.get_if<ArrayType>(id);
  return array != nullptr && array->count_expr != kNoExpr;
}

// Whether the type may be the element of an array or the member of a struct.
bool is_storable(const TypeTable& types, TypeId id) {
  return types.get_if<VoidType>(id) == nullptr && types.get_if<PointerType>(id) == nullptr &&
         types.get_if<BufferType>(id) == nullptr;
}

}  // namespace

TypeRules::TypeRules(const Program& program) {
  // Components come before what contains them.
  issues_.reserve(program.types.size());
  for (std::size_t i = 0; i < program.types.size(); ++i) {
    issues_.push_back(look_at(program, static_cast<TypeId>(i)));
  }
}

std::string TypeRules::look_at(const Program& program, TypeId id) const {
  const TypeTable& types = program.types;
  if (types.nesting(id) > kMaxTypeNesting) {
    return fmt::format("a type is nested more than {} deep", kMaxTypeNesting);
  }
  if (types.layout(id).size > std::numeric_limits<std::uint32_t>::max()) {
    return fmt::format("type {} takes {} bytes; the most is {}", types.spell(id),
                       types.layout(id).size, std::numeric_limits<std::uint32_t>::max());
  }
  return std::visit(
      Overloaded{
          [](const VoidType&) { return std::string(); },
          [](const ScalarType& t) -> std::string {
            return is_abstract(t.kind) ? "an abstract number needs a concrete type" : "";
          },
          [](const VectorType& t) -> std::string {
            if (is_abstract(t.kind)) return "an abstract vector needs a concrete type";
            return is_matrix_size(t.size) ? "" : fmt::format("a vector has {} components", t.size);
          },
          [](const MatrixType& t) -> std::string {
            if (t.kind != ScalarKind::f32 && t.kind != ScalarKind::f16) {
              return fmt::format("a matrix of {}", to_string(t.kind));
            }
            if (is_matrix_size(t.columns) && is_matrix_size(t.rows)) return "";
            return fmt::format("a matrix has {} columns and {} rows", t.columns, t.rows);
          },
          [&](const ArrayType& t) -> std::string {
            if (!issue(t.element).empty()) return issue(t.element);
            if (!is_storable(types, t.element) || types.contains_runtime_array(t.element) ||
                is_override_sized(types, t.element)) {
              return fmt::format("{} cannot be the element of an array", types.spell(t.element));
            }
            return "";
          },
          [&](const StructType& t) { return look_at_struct(program, t); },
          [](const BufferType& t) -> std::string {
            if (t.granule != 2 && t.granule != 4) return "a buffer with no granule";
            return t.bytes % t.granule == 0 ? "" : fmt::format("a buffer of {} bytes", t.bytes);
          },
          [](const HandleType& t) -> std::string {
            return fmt::format("{} is a texture or a sampler, which no kernel has", t.name);
          },
          [](const AtomicType& t) -> std::string {
            const bool good = (t.size == 1 && t.kind == ScalarKind::i32) ||
                              (t.size <= 2 && t.size >= 1 && t.kind == ScalarKind::u32);
            return good ? "" : fmt::format("an atomic of {} {}", t.size, to_string(t.kind));
          },
          [&](const PointerType& t) -> std::string {
            if (!issue(t.pointee).empty()) return issue(t.pointee);
            return is_storable(types, t.pointee) || types.get_if<BufferType>(t.pointee) != nullptr
                       ? ""
                       : fmt::format("a pointer to {}", types.spell(t.pointee));
          },
      },
      types[id]);
}

std::string TypeRules::look_at_struct(const Program& program, const StructType& type) const {
  const TypeTable& types = program.types;
  if (type.members.empty()) return fmt::format("struct {} has no members", type.name);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    const Member& m = type.members[i];
    if (!issue(m.type).empty()) return issue(m.type);
    const bool last = i + 1 == type.members.size();
    const bool misplaced = types.contains_runtime_array(m.type) &&
                           !(last && types.get_if<ArrayType>(m.type) != nullptr);
    if (!is_storable(types, m.type) || is_override_sized(types, m.type) || misplaced) {
      return fmt::format("{} cannot be the type of member '{}' of struct {}{}", types.spell(m.type),
                         m.name, type.name,
                         misplaced ? ": a run-time sized array must come last, and directly" : "");
    }
    const Layout& layout = types.layout(m.type);
    if (m.offset < end || m.size < layout.size || !std::has_single_bit(m.align) ||
        m.align % layout.align != 0 || m.offset % m.align != 0) {
      return fmt::format("member '{}' of struct {} has offset {}, align {}, size {}", m.name,
                         type.name, m.offset, m.align, m.size);
    }
    end = std::uint64_t{m.offset} + m.size;
  }
  return "";
}

}  // namespace vyre

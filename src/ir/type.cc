#include "vyre/ir/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "vyre/base/arithmetic.h"
#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

// Spelling descends through components; deeper types than this are cut short.
constexpr std::uint32_t kSpellDepth = 256;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

template <class T>
  requires std::is_enum_v<T> || std::is_integral_v<T>
std::uint64_t word(T value) {
  return static_cast<std::uint64_t>(value);
}

std::uint64_t hash_of(const Type& type) {
  const std::uint64_t seed = mix(0x76797265, type.index());
  return std::visit(
      Overloaded{
          [&](const VoidType&) { return seed; },
          [&](const ScalarType& t) { return mix(seed, word(t.kind)); },
          [&](const VectorType& t) { return mix(mix(seed, word(t.kind)), word(t.size)); },
          [&](const MatrixType& t) {
            return mix(mix(mix(seed, word(t.kind)), word(t.columns)), word(t.rows));
          },
          [&](const ArrayType& t) {
            return mix(mix(mix(seed, word(t.element)), word(t.count)), word(t.count_expr));
          },
          [&](const StructType& t) {
            std::uint64_t hash = mix(seed, std::hash<std::string>{}(t.name));
            for (const Member& m : t.members) {
              hash = mix(mix(hash, std::hash<std::string>{}(m.name)), word(m.type));
              hash = mix(mix(mix(hash, m.offset), m.align), m.size);
            }
            return hash;
          },
          [&](const AtomicType& t) { return mix(mix(seed, word(t.kind)), word(t.size)); },
          [&](const PointerType& t) {
            return mix(mix(mix(seed, word(t.memory)), word(t.pointee)), word(t.access));
          },
          [&](const BufferType& t) {
            return mix(mix(mix(seed, t.bytes), word(t.bytes_expr)), t.granule);
          },
          [&](const HandleType& t) { return mix(seed, std::hash<std::string>{}(t.name)); },
      },
      type);
}

std::uint32_t scalar_bytes(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::f16: return 2;
    case ScalarKind::abstract_int:
    case ScalarKind::abstract_float: return 8;
    case ScalarKind::boolean:
    case ScalarKind::i32:
    case ScalarKind::u32:
    case ScalarKind::f32: break;
  }
  return 4;
}

Layout vector_layout(ScalarKind kind, std::uint32_t size) {
  const std::uint32_t bytes = scalar_bytes(kind);
  return {std::uint64_t{bytes} * size, size == 2 ? bytes * 2 : bytes * 4};
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  if (alignment <= 1) return value;
  const std::uint64_t rest = value % alignment;
  return rest == 0 ? value : saturating_add(value, alignment - rest);
}

std::uint32_t clamp_to_u32(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

bool is_concrete_number(ScalarKind kind) {
  return kind != ScalarKind::boolean && !is_abstract(kind);
}

}  // namespace

std::string_view to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::storage: return "storage";
    case MemoryKind::uniform: return "uniform";
    case MemoryKind::workgroup: return "workgroup";
    case MemoryKind::private_: return "private";
    case MemoryKind::function: return "function";
    case MemoryKind::immediate: return "immediate";
  }
  return "unknown";
}

std::string_view to_string(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::read_write: return "read_write";
  }
  return "unknown";
}

TypeTable::TypeTable() {
  slots_.assign(32, 0);
  append(VoidType{});
}

std::optional<TypeId> TypeTable::find(const Type& type) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash_of(type) & mask; slots_[i] != 0; i = (i + 1) & mask) {
    if (types_[slots_[i] - 1] == type) return static_cast<TypeId>(slots_[i] - 1);
  }
  return std::nullopt;
}

TypeId TypeTable::intern(const Type& type) {
  const auto known = [&](TypeId id) {
    return static_cast<std::size_t>(id) < types_.size() ? id : void_type();
  };
  Type checked = type;
  if (auto* array = std::get_if<ArrayType>(&checked)) array->element = known(array->element);
  if (auto* pointer = std::get_if<PointerType>(&checked))
    pointer->pointee = known(pointer->pointee);
  if (auto* structure = std::get_if<StructType>(&checked)) {
    for (Member& m : structure->members) m.type = known(m.type);
  }
  if (const auto found = find(checked)) return *found;
  if (const auto* vector = std::get_if<VectorType>(&checked)) scalar(vector->kind);
  if (const auto* atomic = std::get_if<AtomicType>(&checked)) held(*atomic);
  if (const auto* matrix = std::get_if<MatrixType>(&checked)) {
    intern(VectorType{matrix->kind, matrix->rows});
  }
  return append(checked);
}

TypeId TypeTable::append(const Type& type) {
  types_.push_back(type);
  layouts_.push_back(compute_layout(type));
  facts_.push_back(compute_facts(type));
  const auto id = static_cast<std::uint32_t>(types_.size() - 1);
  if (types_.size() * 2 > slots_.size()) {
    rebuild_slots(slots_.size() * 2);
  } else {
    insert_slot(id);
  }
  return static_cast<TypeId>(id);
}

void TypeTable::insert_slot(std::uint32_t id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of(types_[id]) & mask;
  while (slots_[i] != 0) i = (i + 1) & mask;
  slots_[i] = id + 1;
}

void TypeTable::rebuild_slots(std::size_t slot_count) {
  slots_.assign(slot_count, 0);
  for (std::uint32_t id = 0; id < types_.size(); ++id) insert_slot(id);
}

TypeId TypeTable::structure(std::string name, std::vector<Member> members) {
  std::uint64_t end = 0;
  for (Member& m : members) {
    if (static_cast<std::size_t>(m.type) >= types_.size()) m.type = void_type();
    if (m.align == 0) m.align = layout(m.type).align;
    if (m.size == 0) m.size = clamp_to_u32(layout(m.type).size);
    const std::uint64_t offset = align_up(end, m.align);
    m.offset = clamp_to_u32(offset);
    end = saturating_add<std::uint64_t>(offset, m.size);
  }
  return intern(StructType{std::move(name), std::move(members)});
}

Layout TypeTable::compute_layout(const Type& type) const {
  return std::visit(
      Overloaded{
          [](const VoidType&) { return Layout{}; },
          [](const ScalarType& t) { return Layout{scalar_bytes(t.kind), scalar_bytes(t.kind)}; },
          [](const VectorType& t) { return vector_layout(t.kind, t.size); },
          [](const MatrixType& t) {
            const Layout column = vector_layout(t.kind, t.rows);
            return Layout{align_up(column.size, column.align) * t.columns, column.align};
          },
          [&](const ArrayType& t) {
            return Layout{saturating_mul<std::uint64_t>(stride(t.element), t.count),
                          layout(t.element).align};
          },
          [&](const StructType& t) {
            Layout out;
            for (const Member& m : t.members) out.align = std::max(out.align, m.align);
            if (t.members.empty()) return out;
            const Member& last = t.members.back();
            const auto* array = get_if<ArrayType>(last.type);
            if (array != nullptr && array->count == 0) {
              out.size = last.offset;
            } else {
              out.size = align_up(std::uint64_t{last.offset} + last.size, out.align);
            }
            return out;
          },
          [](const AtomicType& t) { return Layout{std::uint64_t{t.size} * 4, t.size * 4U}; },
          [](const PointerType&) { return Layout{8, 8}; },
          [](const BufferType& t) { return Layout{t.bytes, 16}; },
          [](const HandleType&) { return Layout{}; },
      },
      type);
}

TypeTable::Facts TypeTable::compute_facts(const Type& type) const {
  return std::visit(
      Overloaded{
          [](const VoidType&) { return Facts{}; },
          [](const ScalarType& t) {
            return Facts{.scalar_count = 1,
                         .constructible = true,
                         .host_shareable = is_concrete_number(t.kind)};
          },
          [&](const VectorType& t) {
            return Facts{.scalar_count = t.size,
                         .component = find(ScalarType{t.kind}).value_or(void_type()),
                         .constructible = true,
                         .host_shareable = is_concrete_number(t.kind)};
          },
          [&](const MatrixType& t) {
            return Facts{.scalar_count = std::uint64_t{t.columns} * t.rows,
                         .component = find(VectorType{t.kind, t.rows}).value_or(void_type()),
                         .constructible = true,
                         .host_shareable = is_concrete_number(t.kind)};
          },
          [&](const ArrayType& t) {
            const Facts& element = facts(t.element);
            const bool by_override = t.count_expr != kNoExpr;
            Facts out{.component = t.element,
                      .nesting = saturating_add(element.nesting, 1U),
                      .constructible = t.count != 0 && element.constructible,
                      .host_shareable = !by_override && element.host_shareable,
                      .atomic = element.atomic,
                      .runtime_array = element.runtime_array || (t.count == 0 && !by_override)};
            out.scalar_count = saturating_mul<std::uint64_t>(element.scalar_count, t.count);
            return out;
          },
          [&](const StructType& t) {
            Facts out{.constructible = true, .host_shareable = true};
            for (const Member& m : t.members) {
              const Facts& member = facts(m.type);
              out.scalar_count = saturating_add(out.scalar_count, member.scalar_count);
              out.nesting = std::max(out.nesting, saturating_add(member.nesting, 1U));
              out.constructible = out.constructible && member.constructible;
              out.host_shareable = out.host_shareable && member.host_shareable;
              out.atomic = out.atomic || member.atomic;
              out.runtime_array = out.runtime_array || member.runtime_array;
            }
            return out;
          },
          [&](const AtomicType& t) {
            const bool scalar = t.size == 1;
            return Facts{
                .scalar_count = t.size,
                .component = scalar ? void_type() : find(ScalarType{t.kind}).value_or(void_type()),
                .host_shareable = is_concrete_number(t.kind),
                .atomic = true};
          },
          [](const BufferType& t) {
            const bool by_override = t.bytes_expr != kNoExpr;
            return Facts{.host_shareable = !by_override,
                         .runtime_array = t.bytes == 0 && !by_override};
          },
          [](const HandleType&) { return Facts{}; },
          [&](const PointerType& t) {
            return Facts{.nesting = saturating_add(facts(t.pointee).nesting, 1U)};
          },
      },
      type);
}

std::uint64_t TypeTable::stride(TypeId element) const {
  const Layout& of = layout(element);
  return align_up(of.size, of.align);
}

void TypeTable::refresh(std::size_t index) {
  if (auto* structure = std::get_if<StructType>(&types_[index])) {
    std::uint64_t end = 0;
    for (Member& m : structure->members) {
      m.size = std::max(m.size, clamp_to_u32(layout(m.type).size));
      const std::uint64_t offset = std::max<std::uint64_t>(m.offset, align_up(end, m.align));
      m.offset = clamp_to_u32(offset);
      end = saturating_add<std::uint64_t>(offset, m.size);
    }
  }
  layouts_[index] = compute_layout(types_[index]);
  facts_[index] = compute_facts(types_[index]);
}

void TypeTable::resize_array(TypeId array, std::uint32_t count) {
  const auto index = static_cast<std::size_t>(array);
  auto& type = std::get<ArrayType>(types_[index]);
  type.count = count;
  type.count_expr = kNoExpr;
  for (std::size_t i = index; i < types_.size(); ++i) refresh(i);
  rebuild_slots(slots_.size());
}

void TypeTable::resize_buffer(TypeId buffer, std::uint32_t bytes) {
  const auto index = static_cast<std::size_t>(buffer);
  auto& type = std::get<BufferType>(types_[index]);
  type.bytes = bytes;
  type.bytes_expr = kNoExpr;
  for (std::size_t i = index; i < types_.size(); ++i) refresh(i);
  rebuild_slots(slots_.size());
}

std::optional<ScalarKind> TypeTable::scalar_kind(TypeId id) const {
  const Type& type = (*this)[id];
  if (const auto* t = std::get_if<ScalarType>(&type)) return t->kind;
  if (const auto* t = std::get_if<VectorType>(&type)) return t->kind;
  if (const auto* t = std::get_if<MatrixType>(&type)) return t->kind;
  if (const auto* t = std::get_if<AtomicType>(&type)) return t->kind;
  return std::nullopt;
}

std::uint64_t TypeTable::scalar_count(TypeId id) const { return facts(id).scalar_count; }

TypeId TypeTable::component(TypeId composite, std::uint32_t i) const {
  const auto* structure = get_if<StructType>(composite);
  if (structure == nullptr) return facts(composite).component;
  return i < structure->members.size() ? structure->members[i].type : void_type();
}

std::uint32_t TypeTable::component_count(TypeId composite) const {
  const Type& type = (*this)[composite];
  if (const auto* t = std::get_if<VectorType>(&type)) return t->size;
  if (const auto* t = std::get_if<MatrixType>(&type)) return t->columns;
  if (const auto* t = std::get_if<ArrayType>(&type)) return t->count;
  if (const auto* t = std::get_if<AtomicType>(&type)) return t->size == 1 ? 0 : t->size;
  if (const auto* t = std::get_if<StructType>(&type)) {
    return static_cast<std::uint32_t>(t->members.size());
  }
  return 0;
}

bool TypeTable::is_constructible(TypeId id) const { return facts(id).constructible; }
bool TypeTable::is_host_shareable(TypeId id) const { return facts(id).host_shareable; }
bool TypeTable::contains_atomic(TypeId id) const { return facts(id).atomic; }
bool TypeTable::contains_runtime_array(TypeId id) const { return facts(id).runtime_array; }
std::uint32_t TypeTable::nesting(TypeId id) const { return facts(id).nesting; }

std::string TypeTable::spell(TypeId id) const {
  if (static_cast<std::size_t>(id) >= types_.size()) return "unknown type";
  if (facts(id).nesting > kSpellDepth) return "deeply nested type";
  return std::visit(
      Overloaded{
          [](const VoidType&) { return std::string("void"); },
          [](const ScalarType& t) { return std::string(to_string(t.kind)); },
          [](const VectorType& t) { return fmt::format("vec{}<{}>", t.size, to_string(t.kind)); },
          [](const MatrixType& t) {
            return fmt::format("mat{}x{}<{}>", t.columns, t.rows, to_string(t.kind));
          },
          [&](const ArrayType& t) {
            const std::string element = spell(t.element);
            if (t.count_expr != kNoExpr) return fmt::format("array<{}, override>", element);
            if (t.count == 0) return fmt::format("array<{}>", element);
            return fmt::format("array<{}, {}>", element, t.count);
          },
          [](const StructType& t) { return t.name; },
          [](const AtomicType& t) {
            return t.size == 1 ? fmt::format("atomic<{}>", to_string(t.kind))
                               : fmt::format("atomic<vec{}<{}>>", t.size, to_string(t.kind));
          },
          [&](const PointerType& t) {
            const std::string pointee = spell(t.pointee);
            if (t.memory != MemoryKind::storage) {
              return fmt::format("ptr<{}, {}>", to_string(t.memory), pointee);
            }
            return fmt::format("ptr<storage, {}, {}>", pointee, to_string(t.access));
          },
          [](const BufferType& t) {
            if (t.bytes_expr != kNoExpr) return std::string("buffer<override>");
            return t.bytes == 0 ? std::string("buffer") : fmt::format("buffer<{}>", t.bytes);
          },
          [](const HandleType& t) { return t.name; },
      },
      (*this)[id]);
}

}  // namespace vyre

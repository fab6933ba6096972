#include <utility>
#include <vector>

#include "vyre/ir/views/view_memory_internal.h"

namespace vyre {

LocalId ViewMemory::local(const char* name, LocalKind kind, TypeId type) {
  function_->locals.push_back({name, kind, type, writer_.pos});
  return static_cast<LocalId>(function_->locals.size() - 1);
}

LocalId ViewMemory::let(const char* name, ExprId value) {
  const LocalId made = local(name, LocalKind::let, program_[value].type);
  writer_.stmt(LetStmt{made, value});
  return made;
}

ExprId ViewMemory::use(LocalId let) {
  return writer_.expr(function_->locals[static_cast<std::size_t>(let)].type, LocalExpr{let});
}

ExprId ViewMemory::value_of(const ViewAddress& at) {
  if (at.base == kNoLocal) return number(at.offset);
  return at.offset == 0 ? use(at.base) : add(use(at.base), number(at.offset));
}

ExprId ViewMemory::pointer_to(LocalId variable) {
  const TypeId type = function_->locals[static_cast<std::size_t>(variable)].type;
  return writer_.expr(program_.types.pointer(MemoryKind::function, type, Access::read_write),
                      LocalPtrExpr{variable});
}

ExprId ViewMemory::root(GlobalId buffer) {
  const Global& g = program_[buffer];
  return writer_.expr(program_.types.pointer(g.memory, g.type, g.access), GlobalPtrExpr{buffer});
}

ExprId ViewMemory::place(GlobalId buffer, const ViewAddress& at) {
  const MemoryKind memory = program_[buffer].memory;
  const Access access = program_[buffer].access;
  const ExprId base = root(buffer);
  const ExprId index = value_of(at);
  return writer_.expr(program_.types.pointer(memory, element(), access), IndexExpr{base, index});
}

ExprId ViewMemory::load_scalar(GlobalId buffer, const ViewAddress& at, TypeId type,
                               const Loader& loader) {
  ++scalars_;
  const ExprId first = loader(place(buffer, at), element());
  if (type == element()) return first;
  if (unit_ == 4) return writer_.expr(type, BitcastExpr{first});
  const ExprId second = loader(place(buffer, later(at, unit_)), element());
  const ExprId both = writer_.expr(program_.types.vector(ScalarKind::f16, 2),
                                   ConstructExpr{writer_.list(std::vector{first, second})});
  return writer_.expr(type, BitcastExpr{both});
}

void ViewMemory::store_scalar(GlobalId buffer, const ViewAddress& at, TypeId type, ExprId value) {
  ++scalars_;
  if (unit_ == 4 || type == element()) {
    const ExprId where = place(buffer, at);
    if (type != element()) value = writer_.expr(element(), BitcastExpr{value});
    writer_.stmt(StoreStmt{where, value});
    return;
  }
  const LocalId halves =
      let("halves", writer_.expr(program_.types.vector(ScalarKind::f16, 2), BitcastExpr{value}));
  for (std::uint8_t i = 0; i < 2; ++i) {
    const ExprId where = place(buffer, later(at, std::uint64_t{i} * unit_));
    const ExprId half = writer_.expr(element(), SwizzleExpr{use(halves), 1, {i, 0, 0, 0}});
    writer_.stmt(StoreStmt{where, half});
  }
}

void ViewMemory::each_element(const ViewAddress& at, TypeId array,
                              const std::function<void(const ViewAddress&, LocalId)>& body) {
  const auto& type = std::get<ArrayType>(program_.types[array]);
  const std::uint32_t count = type.count;
  const auto stride = static_cast<std::uint32_t>(program_.types.stride(type.element) / unit_);
  const LocalId counter = local("i", LocalKind::var, u32());
  writer_.stmt(VarStmt{counter, number(0)});
  writer_.open();
  const LocalId i = let("i", plain_load(pointer_to(counter), u32()));
  const ExprId step = binary(BinaryOp::mul, u32(), use(i), number(stride));
  const ViewAddress element{let("element", add(value_of(at), step)), 0};
  body(element, i);
  const Block loop = writer_.close();
  writer_.open();
  writer_.stmt(StoreStmt{pointer_to(counter), add(use(i), number(1))});
  const Block continuing = writer_.close();
  const ExprId done = binary(BinaryOp::greater_equal, boolean(),
                             plain_load(pointer_to(counter), u32()), number(count));
  writer_.stmt(LoopStmt{loop, continuing, done});
}

ExprId ViewMemory::load(GlobalId buffer, const ViewAddress& at, TypeId type, const Loader& loader) {
  const TypeTable& types = program_.types;
  if (is_full()) return writer_.expr(type, ZeroExpr{});
  if (types.get_if<ScalarType>(type) != nullptr) return load_scalar(buffer, at, type, loader);
  if (is_long(type)) {
    const TypeId part = types.component(type);
    const LocalId whole = local("array", LocalKind::var, type);
    writer_.stmt(VarStmt{whole});
    each_element(at, type, [&](const ViewAddress& element, LocalId i) {
      const ExprId value = load(buffer, element, part, loader);
      const ExprId into =
          writer_.expr(program_.types.pointer(MemoryKind::function, part, Access::read_write),
                       IndexExpr{pointer_to(whole), use(i)});
      writer_.stmt(StoreStmt{into, value});
    });
    return plain_load(pointer_to(whole), type);
  }
  const std::uint32_t count = types.component_count(type);
  std::vector<ExprId> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TypeId part = types.component(type, i);
    const auto* structure = types.get_if<StructType>(type);
    const std::uint64_t offset =
        structure != nullptr ? structure->members[i].offset : i * types.stride(part);
    parts.push_back(load(buffer, later(at, offset), part, loader));
  }
  return writer_.expr(type, ConstructExpr{writer_.list(parts)});
}

void ViewMemory::store(GlobalId buffer, const ViewAddress& at, TypeId type, ExprId value) {
  if (program_.types.get_if<ScalarType>(type) != nullptr) {
    return store_scalar(buffer, at, type, value);
  }
  const LocalId whole = let("value", value);
  store_part(buffer, at, type, [&] { return use(whole); });
}

void ViewMemory::store_part(GlobalId buffer, const ViewAddress& at, TypeId type, const Part& part) {
  const TypeTable& types = program_.types;
  if (is_full()) return;
  if (types.get_if<ScalarType>(type) != nullptr) return store_scalar(buffer, at, type, part());
  if (is_long(type)) {
    const TypeId of = types.component(type);
    const LocalId whole = local("array", LocalKind::var, type);
    writer_.stmt(VarStmt{whole, part()});
    each_element(at, type, [&](const ViewAddress& element, LocalId i) {
      const ExprId from =
          writer_.expr(program_.types.pointer(MemoryKind::function, of, Access::read_write),
                       IndexExpr{pointer_to(whole), use(i)});
      store(buffer, element, of, plain_load(from, of));
    });
    return;
  }
  const std::uint32_t count = types.component_count(type);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TypeId of = types.component(type, i);
    const auto* structure = types.get_if<StructType>(type);
    const bool vector = types.get_if<VectorType>(type) != nullptr;
    const std::uint64_t offset =
        structure != nullptr ? structure->members[i].offset : i * types.stride(of);
    const bool member = structure != nullptr;
    store_part(buffer, later(at, offset), of, [&, i, of, vector, member] {
      const ExprId whole = part();
      if (vector) {
        return writer_.expr(of, SwizzleExpr{whole, 1, {static_cast<std::uint8_t>(i), 0, 0, 0}});
      }
      if (member) return writer_.expr(of, MemberExpr{whole, i});
      const ExprId index = number(i);
      return writer_.expr(of, IndexExpr{whole, index});
    });
  }
}

}  // namespace vyre

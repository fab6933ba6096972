// Memory: access chains, loads, stores, pointers.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vyre/ir/interpret/interpret_compiler.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxU32 = std::numeric_limits<std::uint32_t>::max();

// Copies of 4 bytes have their own instruction.
bool is_word(std::uint64_t bytes) { return bytes == 4; }

}  // namespace

FlatPlace Compiler::place(ExprId id) {
  const Expr& expr = program_[id];
  if (const auto* e = std::get_if<MemberExpr>(&expr.node)) {
    TypeId base = type_of(e->base);
    if (const auto* pointer = types_.get_if<PointerType>(base)) base = pointer->pointee;
    return member(place(e->base), base, e->member);
  }
  if (const auto* e = std::get_if<IndexExpr>(&expr.node)) {
    TypeId base = type_of(e->base);
    if (const auto* pointer = types_.get_if<PointerType>(base)) base = pointer->pointee;
    return index(place(e->base), base, e->index);
  }
  if (const auto* e = std::get_if<LoadExpr>(&expr.node)) return place(e->pointer);
  FlatPlace out;
  if (const auto* e = std::get_if<GlobalPtrExpr>(&expr.node)) {
    const auto at = static_cast<std::size_t>(e->id);
    if (program_[e->id].memory == MemoryKind::private_) {
      out.root = FlatPlace::Root::local;
      out.at = global_slots_[at];
    } else {
      out.root = FlatPlace::Root::fixed;
      out.at = reinterpret_cast<std::uintptr_t>(globals_[at].data);
      out.available = globals_[at].size;
    }
    return out;
  }
  const FunctionFrame& frame = frames_[static_cast<std::size_t>(current_)];
  if (const auto* e = std::get_if<LocalPtrExpr>(&expr.node)) {
    out.root = FlatPlace::Root::local;
    out.at = frame.locals[static_cast<std::size_t>(e->id)];
    return out;
  }
  if (types_.get_if<PointerType>(expr.type) != nullptr) {  // a let or a parameter
    out.root = FlatPlace::Root::pointer;
    out.pointer = frame.locals[static_cast<std::size_t>(std::get<LocalExpr>(expr.node).id)];
    return out;
  }
  if (const auto* e = std::get_if<ConstantExpr>(&expr.node)) {
    if (const auto large = constant_indices_[static_cast<std::size_t>(e->id)]; large >= 0) {
      out.root = FlatPlace::Root::fixed;
      out.at =
          reinterpret_cast<std::uintptr_t>(code_.constants[static_cast<std::size_t>(large)].data());
      return out;
    }
  }
  out.root = FlatPlace::Root::local;
  out.at = value(id);
  return out;
}

FlatPlace Compiler::member(FlatPlace base, TypeId composite, std::uint32_t index) const {
  const std::uint32_t offset = types_.get_if<StructType>(composite)->members[index].offset;
  base.at += offset;
  base.available -= std::min<std::uint64_t>(base.available, offset);
  return base;
}

std::optional<std::uint32_t> Compiler::constant_index(ExprId id) const {
  if (std::holds_alternative<ZeroExpr>(program_[id].node)) return 0;
  if (const auto* e = std::get_if<ConstantExpr>(&program_[id].node)) {
    return static_cast<std::uint32_t>(program_[e->id].scalars[0]);
  }
  return std::nullopt;
}

FlatPlace Compiler::index(FlatPlace base, TypeId composite, ExprId index) {
  const auto* array = types_.get_if<ArrayType>(composite);
  const std::uint64_t stride = types_.stride(types_.component(composite));
  const bool sized_at_run_time = array != nullptr && array->count == 0;
  std::uint64_t count = types_.component_count(composite);
  if (sized_at_run_time) {
    count = base.root == FlatPlace::Root::fixed && stride != 0 ? base.available / stride : kMaxU32;
  }
  // A negative i32 reads as a large u32 and must be outside.
  const bool is_signed = types_.scalar_kind(type_of(index)) == ScalarKind::i32;
  count = std::min(count, is_signed ? std::uint64_t{1} << 31 : kMaxU32);
  const bool runtime = sized_at_run_time && base.root == FlatPlace::Root::pointer;

  const auto known = constant_index(index);
  if (base.root == FlatPlace::Root::nowhere) return base;
  if (known && *known >= count) return {};
  if (known && !runtime) {
    base.at += stride * *known;
    base.available -= std::min<std::uint64_t>(base.available, stride * *known);
    return base;
  }
  if (stride > kMaxU32) {
    error_ = Error{Code::limit,
                   fmt::format("an element of {} takes {} bytes; the interpreter "
                               "indexes elements of less than 4 GiB",
                               types_.spell(composite), stride),
                   {}};
    return {};
  }
  base.steps.push_back({value(index), static_cast<std::uint32_t>(stride),
                        static_cast<std::uint32_t>(count), runtime,
                        static_cast<std::uint32_t>(base.at)});
  return base;
}

// Puts the address of the place into the register.
void Compiler::address(const FlatPlace& place) {
  Instr first{};
  const bool indexed = !place.steps.empty();
  switch (place.root) {
    case FlatPlace::Root::nowhere: emit({.op = Op::address_fixed}); return;
    case FlatPlace::Root::local:
      first.op = indexed ? Op::address_local_index : Op::address_local;
      (indexed ? first.dst : first.a) = static_cast<Slot>(place.at);
      break;
    case FlatPlace::Root::fixed:
      first.op = indexed ? Op::address_fixed_index : Op::address_fixed;
      first.wide = place.at;
      break;
    case FlatPlace::Root::pointer:
      first.op = indexed ? Op::address_pointer_index : Op::address_pointer;
      first.dst = place.pointer;
      first.wide = place.at;
      break;
  }
  if (indexed) {
    const FlatPlace::Step& step = place.steps[0];
    first.a = step.index;
    first.b = step.stride;
    first.c = step.count;
    if (step.runtime) {
      first.op = Op::address_runtime_index;
      first.n = step.array_offset;
    }
  }
  emit(first);
  for (std::size_t i = 1; i < place.steps.size(); ++i) {
    const FlatPlace::Step& step = place.steps[i];
    emit({.op = Op::address_index, .a = step.index, .b = step.stride, .c = step.count});
  }
}

Slot Compiler::load(const FlatPlace& place, TypeId type, std::optional<Slot> want) {
  if (place.root == FlatPlace::Root::nowhere) return zero(type, want);
  if (place.root == FlatPlace::Root::local && place.steps.empty())
    return static_cast<Slot>(place.at);
  const std::uint64_t bytes = bytes_of(type);
  const Slot dst = into(want, type);
  if (is_word(bytes) && place.root == FlatPlace::Root::fixed && place.steps.size() == 1) {
    const FlatPlace::Step& step = place.steps[0];
    emit({.op = Op::load4_fixed_index,
          .dst = dst,
          .a = step.index,
          .b = step.stride,
          .c = step.count,
          .wide = place.at});
    return dst;
  }
  address(place);
  emit({.op = is_word(bytes) ? Op::load4 : Op::load,
        .n = static_cast<std::uint32_t>(bytes),
        .dst = dst});
  return dst;
}

void Compiler::store(const FlatPlace& place, TypeId type, Slot from) {
  const std::uint64_t bytes = bytes_of(type);
  if (place.root == FlatPlace::Root::nowhere) return;
  if (place.root == FlatPlace::Root::local && place.steps.empty()) {
    copy(static_cast<Slot>(place.at), from, bytes);
    return;
  }
  if (is_word(bytes) && place.root == FlatPlace::Root::fixed && place.steps.size() == 1) {
    const FlatPlace::Step& step = place.steps[0];
    emit({.op = Op::store4_fixed_index,
          .dst = from,
          .a = step.index,
          .b = step.stride,
          .c = step.count,
          .wide = place.at});
    return;
  }
  address(place);
  if (const std::int64_t plan = copy_plan(type); plan >= 0) {
    emit({.op = Op::store_parts, .a = from, .wide = static_cast<std::uint64_t>(plan)});
  } else {
    emit({.op = is_word(bytes) ? Op::store4 : Op::store,
          .n = static_cast<std::uint32_t>(bytes),
          .a = from});
  }
}

void Compiler::make_pointer(const FlatPlace& place, Slot dst) {
  if (place.root == FlatPlace::Root::pointer && place.steps.empty()) {
    address(place);
    emit({.op = Op::derive_pointer, .dst = dst, .a = place.pointer, .wide = place.at});
    return;
  }
  address(place);
  emit({.op = Op::make_pointer, .dst = dst, .wide = place.available});
}

Slot Compiler::array_length(const ArrayLengthExpr& e, std::optional<Slot> want) {
  const TypeId array = types_.get_if<PointerType>(type_of(e.pointer))->pointee;
  const std::uint64_t stride = types_.stride(types_.component(array));
  const FlatPlace at = place(e.pointer);
  const Slot dst = want ? *want : temporary(4);
  if (at.root == FlatPlace::Root::pointer) {
    emit({.op = Op::array_length,
          .dst = dst,
          .a = at.pointer,
          .b = static_cast<std::uint32_t>(stride),
          .wide = at.at});
  } else {
    emit({.op = Op::set, .dst = dst, .wide = std::min(at.available / stride, kMaxU32)});
  }
  return dst;
}

// The plan of a type with padding; -1 for one without.
std::int64_t Compiler::copy_plan(TypeId type) {
  std::int64_t& known = plans_[static_cast<std::size_t>(type)];
  if (known != -2) return known;
  CopyPlan plan;
  // Joins adjacent ranges; returns whether the value is one dense range.
  const auto add = [&](std::uint64_t offset, TypeId part, std::uint64_t count,
                       std::uint64_t stride) {
    const std::int64_t inner = copy_plan(part);
    const std::uint64_t bytes = types_.layout(part).size;
    if (inner >= 0 || (count > 1 && bytes != stride)) {
      if (inner >= 0) {
        plan.parts.push_back({offset, 0, inner, count, stride});
        return;
      }
      for (std::uint64_t i = 0; count <= 4 && i < count; ++i) {  // columns of a matrix
        plan.parts.push_back({offset + i * stride, bytes, -1, 1, 0});
      }
      if (count > 4) {
        code_.plans.push_back({{{0, bytes, -1, 1, 0}}});
        plan.parts.push_back(
            {offset, 0, static_cast<std::int64_t>(code_.plans.size()) - 1, count, stride});
      }
      return;
    }
    if (!plan.parts.empty() && plan.parts.back().plan < 0 &&
        plan.parts.back().offset + plan.parts.back().bytes == offset) {
      plan.parts.back().bytes += bytes * count;
    } else {
      plan.parts.push_back({offset, bytes * count, -1, 1, 0});
    }
  };
  if (const auto* structure = types_.get_if<StructType>(type)) {
    for (const Member& m : structure->members) add(m.offset, m.type, 1, 0);
  } else if (types_.get_if<ArrayType>(type) != nullptr ||
             types_.get_if<MatrixType>(type) != nullptr) {
    const TypeId part = types_.component(type);
    add(0, part, types_.component_count(type), types_.stride(part));
  } else {
    plan.parts.push_back({0, types_.layout(type).size, -1, 1, 0});
  }
  const bool dense = plan.parts.size() == 1 && plan.parts[0].plan < 0 &&
                     plan.parts[0].bytes == types_.layout(type).size;
  std::int64_t out = -1;
  if (!dense) {
    code_.plans.push_back(std::move(plan));
    out = static_cast<std::int64_t>(code_.plans.size()) - 1;
  }
  plans_[static_cast<std::size_t>(type)] = out;
  return out;
}

}  // namespace vyre

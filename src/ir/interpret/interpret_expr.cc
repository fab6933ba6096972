// Values: one instruction for each operation, or an ApplyCall where there is none.
#include <algorithm>
#include <cassert>

#include "vyre/base/overloaded.h"
#include "vyre/ir/interpret/interpret_compiler.h"
#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

struct Quick {
  Op op;
  bool swapped = false;  // operands the other way round
};

std::optional<Quick> quick_f32(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return Quick{Op::add_f32};
    case BinaryOp::sub: return Quick{Op::sub_f32};
    case BinaryOp::mul: return Quick{Op::mul_f32};
    case BinaryOp::div: return Quick{Op::div_f32};
    case BinaryOp::equal: return Quick{Op::equal_f32};
    case BinaryOp::not_equal: return Quick{Op::not_equal_f32};
    case BinaryOp::less: return Quick{Op::less_f32};
    case BinaryOp::less_equal: return Quick{Op::less_equal_f32};
    case BinaryOp::greater: return Quick{Op::less_f32, true};
    case BinaryOp::greater_equal: return Quick{Op::less_equal_f32, true};
    default: return std::nullopt;
  }
}

// i32, u32 and bool.
std::optional<Quick> quick_word(BinaryOp op, bool is_signed) {
  switch (op) {
    case BinaryOp::add: return Quick{Op::add};
    case BinaryOp::sub: return Quick{Op::sub};
    case BinaryOp::mul: return Quick{Op::mul};
    case BinaryOp::div: return Quick{is_signed ? Op::div_i32 : Op::div_u32};
    case BinaryOp::rem: return Quick{is_signed ? Op::rem_i32 : Op::rem_u32};
    case BinaryOp::equal: return Quick{Op::equal};
    case BinaryOp::not_equal: return Quick{Op::not_equal};
    case BinaryOp::less: return Quick{is_signed ? Op::less_i32 : Op::less_u32};
    case BinaryOp::less_equal: return Quick{is_signed ? Op::less_equal_i32 : Op::less_equal_u32};
    case BinaryOp::greater: return Quick{is_signed ? Op::less_i32 : Op::less_u32, true};
    case BinaryOp::greater_equal:
      return Quick{is_signed ? Op::less_equal_i32 : Op::less_equal_u32, true};
    case BinaryOp::logical_and:
    case BinaryOp::bit_and: return Quick{Op::bit_and};
    case BinaryOp::logical_or:
    case BinaryOp::bit_or: return Quick{Op::bit_or};
    case BinaryOp::bit_xor: return Quick{Op::bit_xor};
    case BinaryOp::shift_left: return Quick{Op::shift_left};
    case BinaryOp::shift_right: return Quick{is_signed ? Op::shift_right_i32 : Op::shift_right_u32};
  }
  return std::nullopt;
}

std::optional<Op> quick_math(MathFn fn, ScalarKind kind) {
  if (kind == ScalarKind::f32) {
    switch (fn) {
      case MathFn::min: return Op::min_f32;
      case MathFn::max: return Op::max_f32;
      case MathFn::clamp: return Op::clamp_f32;
      case MathFn::abs: return Op::abs_f32;
      case MathFn::floor: return Op::floor_f32;
      case MathFn::sqrt: return Op::sqrt_f32;
      case MathFn::fma: return Op::fma_f32;
      case MathFn::dot: return Op::dot_f32;
      default: return std::nullopt;
    }
  }
  const bool is_signed = kind == ScalarKind::i32;
  if (!is_signed && kind != ScalarKind::u32) return std::nullopt;
  if (fn == MathFn::min) return is_signed ? Op::min_i32 : Op::min_u32;
  if (fn == MathFn::max) return is_signed ? Op::max_i32 : Op::max_u32;
  return std::nullopt;
}

std::uint32_t scalar_bytes(ScalarKind kind) { return kind == ScalarKind::f16 ? 2 : 4; }

}  // namespace

std::uint64_t Compiler::bytes_of(TypeId type) const {
  if (types_.get_if<PointerType>(type) != nullptr) return sizeof(MemoryPointer);
  return types_.layout(type).size;
}

Slot Compiler::temporary(std::uint64_t bytes) {
  const std::uint64_t at = memory_end_ + temporaries_;
  temporaries_ += (bytes + 15) / 16 * 16;
  temporaries_high_ = std::max(temporaries_high_, temporaries_);
  return static_cast<Slot>(at);
}

Slot Compiler::into(std::optional<Slot> want, TypeId type) {
  return want ? *want : temporary(bytes_of(type));
}

void Compiler::copy(Slot dst, Slot from, std::uint64_t bytes) {
  if (dst == from) return;
  emit({.op = bytes == 4 ? Op::copy4 : Op::copy,
        .n = static_cast<std::uint32_t>(bytes),
        .dst = dst,
        .a = from});
}

Slot Compiler::value(ExprId id, std::optional<Slot> want) {
  Known& known = known_[static_cast<std::size_t>(id)];
  if (known.statement == statement_) return known.slot;
  const Slot slot = evaluate(program_[id], want);
  known = {statement_, slot};
  return slot;
}

void Compiler::value_to(ExprId id, Slot dst) { copy(dst, value(id, dst), bytes_of(type_of(id))); }

Slot Compiler::evaluate(const Expr& expr, std::optional<Slot> want) {
  const TypeId type = expr.type;
  return std::visit(
      Overloaded{
          [&](const ConstantExpr& e) {
            const std::int64_t large = constant_indices_[static_cast<std::size_t>(e.id)];
            if (large < 0) return constant(e.id);
            FlatPlace at;
            at.root = FlatPlace::Root::fixed;
            at.at = reinterpret_cast<std::uintptr_t>(
                code_.constants[static_cast<std::size_t>(large)].data());
            return load(at, type, want);
          },
          [&](const ZeroExpr&) { return zero(type, want); },
          [&](const OverrideExpr&) { return zero(type, want); },  // none after specialise
          [&](const LocalExpr& e) {
            return frames_[static_cast<std::size_t>(current_)]
                .locals[static_cast<std::size_t>(e.id)];
          },
          // Pointers are not values of their own: `place` follows them.
          [&](const GlobalPtrExpr&) { return Slot{0}; },
          [&](const LocalPtrExpr&) { return Slot{0}; },
          [&](const MemberExpr& e) {
            return load(member(place(e.base), type_of(e.base), e.member), type, want);
          },
          [&](const IndexExpr& e) {
            return load(index(place(e.base), type_of(e.base), e.index), type, want);
          },
          [&](const LoadExpr& e) { return load(place(e.pointer), type, want); },
          [&](const SwizzleExpr& e) { return swizzle(e, type, want); },
          [&](const ConstructExpr& e) { return construct(e, type, want); },
          [&](const SplatExpr& e) { return splat(e, type, want); },
          [&](const UnaryExpr& e) { return unary(e, type, want); },
          [&](const BinaryExpr& e) { return binary(e, type, want); },
          [&](const SelectExpr& e) { return select(e, type, want); },
          [&](const ConvertExpr& e) { return convert(e, type, want); },
          // The bytes of a value are its bits, whatever the type.
          [&](const BitcastExpr& e) { return value(e.value, want); },
          [&](const MathExpr& e) { return math(e, type, want); },
          [&](const ArrayLengthExpr& e) { return array_length(e, want); },
          [](const ViewExpr&) {
            assert(false && "specialise replaces views");
            return kLocalIndexSlot;
          },
          [&](const InvocationIdExpr& e) {
            switch (e.kind) {
              case InvocationIdKind::global_invocation: return kGlobalIdSlot;
              case InvocationIdKind::local_invocation: return kLocalIdSlot;
              case InvocationIdKind::local_invocation_index: return kLocalIndexSlot;
              case InvocationIdKind::workgroup: return kWorkgroupIdSlot;
              case InvocationIdKind::workgroup_count: return kWorkgroupCountSlot;
            }
            return kLocalIndexSlot;
          },
      },
      expr.node);
}

Slot Compiler::constant(ConstantId id) { return constant_slots_[static_cast<std::size_t>(id)]; }

Slot Compiler::zero(TypeId type, std::optional<Slot> want) {
  const std::uint64_t bytes = bytes_of(type);
  if (bytes <= kZeroBytes) return 0;
  const Slot dst = into(want, type);
  emit({.op = Op::zero, .n = static_cast<std::uint32_t>(bytes), .dst = dst});
  return dst;
}

Slot Compiler::swizzle(const SwizzleExpr& e, TypeId type, std::optional<Slot> want) {
  const std::uint32_t bytes = scalar_bytes(*types_.scalar_kind(type));
  const Slot from = value(e.vector);
  if (e.size == 1) return from + e.lanes[0] * bytes;
  std::uint64_t lanes = 0;
  for (unsigned i = 0; i < e.size; ++i) lanes |= std::uint64_t{e.lanes[i]} << (8 * i);
  const Slot dst = into(want, type);
  emit({.op = bytes == 2 ? Op::swizzle_half : Op::swizzle,
        .n = e.size,
        .dst = dst,
        .a = from,
        .wide = lanes});
  return dst;
}

Slot Compiler::splat(const SplatExpr& e, TypeId type, std::optional<Slot> want) {
  const Slot from = value(e.scalar);
  const Slot dst = into(want, type);
  const bool half = *types_.scalar_kind(type) == ScalarKind::f16;
  emit({.op = half ? Op::splat_half : Op::splat,
        .n = static_cast<std::uint32_t>(types_.scalar_count(type)),
        .dst = dst,
        .a = from});
  return dst;
}

// `want` may be a variable that the parts still read, so the parts meet in a temporary.
Slot Compiler::construct(const ConstructExpr& e, TypeId type, std::optional<Slot>) {
  const Slot dst = temporary(bytes_of(type));
  const auto parts = program_.list(e.parts);
  const auto* structure = types_.get_if<StructType>(type);
  const auto* matrix = types_.get_if<MatrixType>(type);
  const bool by_scalars = matrix != nullptr && !parts.empty() &&
                          types_.get_if<ScalarType>(type_of(parts[0])) != nullptr;
  const bool is_vector = types_.get_if<VectorType>(type) != nullptr;
  const std::uint64_t stride = structure != nullptr ? 0 : types_.stride(types_.component(type));
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    if (structure != nullptr) {
      offset = structure->members[i].offset;
    } else if (by_scalars) {
      offset =
          i / matrix->rows * stride + std::uint64_t{i % matrix->rows} * scalar_bytes(matrix->kind);
    } else if (!is_vector) {
      offset = i * stride;
    }
    value_to(parts[i], static_cast<Slot>(dst + offset));
    if (is_vector) offset += bytes_of(type_of(parts[i]));
  }
  return dst;
}

Slot Compiler::unary(const UnaryExpr& e, TypeId type, std::optional<Slot> want) {
  const Shape shape = shape_of(types_, type);
  if (shape.columns != 0 || shape.kind == ScalarKind::f16) {
    return apply(ApplyCall::Form::unary, static_cast<std::uint8_t>(e.op), type, {&e.operand, 1},
                 want);
  }
  Op op = Op::logical_not;
  if (e.op == UnaryOp::bit_not) op = Op::bit_not;
  if (e.op == UnaryOp::negate) op = shape.kind == ScalarKind::f32 ? Op::negate_f32 : Op::negate;
  const Slot a = value(e.operand);
  const Slot dst = into(want, type);
  emit({.op = op, .n = shape.count(), .dst = dst, .a = a});
  return dst;
}

Slot Compiler::binary(const BinaryExpr& e, TypeId type, std::optional<Slot> want) {
  const Shape left = shape_of(types_, type_of(e.left)), right = shape_of(types_, type_of(e.right));
  std::optional<Quick> quick;
  if (left.count() == right.count() && left.columns == 0 && right.columns == 0) {
    if (left.kind == ScalarKind::f32) {
      quick = quick_f32(e.op);
    } else if (left.kind != ScalarKind::f16) {
      quick = quick_word(e.op, left.kind == ScalarKind::i32);
    }
  }
  if (!quick) {
    const std::array operands{e.left, e.right};
    return apply(ApplyCall::Form::binary, static_cast<std::uint8_t>(e.op), type, operands, want);
  }
  Slot a = value(e.left), b = value(e.right);
  if (quick->swapped) std::swap(a, b);
  const Slot dst = into(want, type);
  emit({.op = quick->op, .n = left.count(), .dst = dst, .a = a, .b = b});
  return dst;
}

Slot Compiler::select(const SelectExpr& e, TypeId type, std::optional<Slot> want) {
  const Slot a = value(e.on_false), b = value(e.on_true), c = value(e.condition);
  const Slot dst = into(want, type);
  Instr instr{.op = Op::select,
              .n = static_cast<std::uint32_t>(bytes_of(type)),
              .dst = dst,
              .a = a,
              .b = b,
              .c = c};
  if (types_.get_if<VectorType>(type_of(e.condition)) != nullptr) {
    instr.op = *types_.scalar_kind(type) == ScalarKind::f16 ? Op::select_half : Op::select_each;
    instr.n = types_.component_count(type);
  }
  emit(instr);
  return dst;
}

Slot Compiler::convert(const ConvertExpr& e, TypeId type, std::optional<Slot> want) {
  const Shape from = shape_of(types_, type_of(e.value)), to = shape_of(types_, type);
  const auto is_word = [](ScalarKind kind) {
    return kind == ScalarKind::boolean || kind == ScalarKind::i32 || kind == ScalarKind::u32;
  };
  if (from.kind == to.kind) return value(e.value, want);
  if (from.kind == ScalarKind::f16 || to.kind == ScalarKind::f16 || from.columns != 0) {
    return apply(ApplyCall::Form::convert, 0, type, {&e.value, 1}, want);
  }
  if (is_word(from.kind) && is_word(to.kind) && to.kind != ScalarKind::boolean) {
    return value(e.value, want);
  }
  const Slot a = value(e.value);
  const Slot dst = into(want, type);
  Op op = Op::u32_to_f32;  // of bool too
  if (to.kind == ScalarKind::boolean) {
    op = from.kind == ScalarKind::f32 ? Op::not_equal_f32 : Op::not_equal;
  } else if (from.kind == ScalarKind::i32) {
    op = Op::i32_to_f32;
  } else if (from.kind == ScalarKind::f32) {
    op = to.kind == ScalarKind::i32 ? Op::f32_to_i32 : Op::f32_to_u32;
  }
  emit({.op = op, .n = to.count(), .dst = dst, .a = a, .b = 0});  // slot 0 holds zeros
  return dst;
}

Slot Compiler::math(const MathExpr& e, TypeId type, std::optional<Slot> want) {
  const auto arguments = program_.list(e.arguments);
  const Shape shape = shape_of(types_, type_of(arguments[0]));
  const bool alike = std::ranges::all_of(
      arguments, [&](ExprId id) { return type_of(id) == type_of(arguments[0]); });
  const auto op = alike && shape.columns == 0 ? quick_math(e.fn, shape.kind) : std::nullopt;
  if (!op) {
    return apply(ApplyCall::Form::math, static_cast<std::uint8_t>(e.fn), type, arguments, want);
  }
  std::array<Slot, 3> in{};
  for (std::size_t i = 0; i < arguments.size() && i < in.size(); ++i) in[i] = value(arguments[i]);
  const Slot dst = into(want, type);
  emit({.op = *op, .n = shape.count(), .dst = dst, .a = in[0], .b = in[1], .c = in[2]});
  return dst;
}

Slot Compiler::apply(ApplyCall::Form form, std::uint8_t operation, TypeId type,
                     std::span<const ExprId> arguments, std::optional<Slot> want) {
  ApplyCall call;
  call.form = form;
  call.operation = operation;
  for (const ExprId id : arguments) {
    call.arguments.push_back({type_of(id), value(id), scalar_places(types_, type_of(id))});
  }
  const Slot dst = into(want, type);
  call.result = {type, dst, scalar_places(types_, type)};
  code_.applies.push_back(std::move(call));
  emit({.op = Op::apply, .dst = dst, .wide = code_.applies.size() - 1});
  return dst;
}

}  // namespace vyre

#include <algorithm>
#include <cstring>

#include "vyre/ir/access/evaluator_internal.h"
#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostSteps =
    300'000;  // statements and expressions, at each call that leads there
constexpr std::size_t kMostFacts = 256;     // that hold at one place
constexpr std::uint64_t kMostScalars = 64;  // of a value that is looked into

}  // namespace

// ---- Values

ScalarKind Evaluator::scalar_at(TypeId type, std::uint64_t i) const {
  if (const auto kind = types_.scalar_kind(type)) return *kind;
  const auto* s = types_.get_if<StructType>(type);
  const std::uint32_t count = types_.component_count(type);
  for (std::uint32_t c = 0; c < count; ++c) {
    const TypeId part = types_.component(type, s != nullptr ? c : 0);
    const std::uint64_t size = types_.scalar_count(part);
    if (i < size) return scalar_at(part, i);
    i -= size;
  }
  return ScalarKind::u32;
}

std::uint64_t Evaluator::scalars(TypeId type) const {
  const std::uint64_t count = types_.scalar_count(type);
  return count > kMostScalars ? 0 : count;
}

Abstract Evaluator::unknown(TypeId type) {
  Abstract out;
  for (std::uint64_t i = 0; i < scalars(type); ++i) {
    out.parts.push_back(numbers_.unknown(scalar_at(type, i)));
  }
  return out;
}

// A pure function of everything in `operands`; values too large to look into are unknown.
Abstract Evaluator::pure(ValueKind kind, std::int64_t what, TypeId type,
                         const std::vector<ValueNumber>& operands, bool complete) {
  if (!complete) return unknown(type);
  Abstract out;
  for (std::uint64_t i = 0; i < scalars(type); ++i) {
    std::vector<ValueNumber> all = operands;
    all.push_back(numbers_.constant(static_cast<std::int64_t>(i)));
    all.push_back(numbers_.constant(static_cast<std::int64_t>(scalars(type))));
    out.parts.push_back(numbers_.operation(kind, what, scalar_at(type, i), all));
  }
  return out;
}

bool Evaluator::has_budget() {
  if (++steps_ > kMostSteps || numbers_.holding().size() > kMostFacts) out_.complete = false;
  return out_.complete;
}

Abstract Evaluator::eval(ExprId id) {
  const Expr& expr = program_[id];
  if (!has_budget()) return unknown(expr.type);
  return std::visit([&](const auto& node) { return eval_node(expr, node); }, expr.node);
}

// ---- Leaves

Abstract Evaluator::eval_node(const Expr& expr, const ConstantExpr& e) {
  Abstract out;
  const Constant& c = program_[e.id];
  if (scalars(expr.type) == 0) return out;
  for (std::size_t i = 0; i < c.scalars.size(); ++i) {
    out.parts.push_back(numbers_.scalar({scalar_at(expr.type, i), c.scalars[i]}));
  }
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const ZeroExpr&) { return zero(expr.type); }

Abstract Evaluator::zero(TypeId type) {
  Abstract out;
  for (std::uint64_t i = 0; i < scalars(type); ++i) {
    out.parts.push_back(numbers_.scalar({scalar_at(type, i), 0}));
  }
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const OverrideExpr&) { return unknown(expr.type); }

Abstract Evaluator::eval_node(const Expr& expr, const LocalExpr& e) {
  const auto known = values_.find({frame_, static_cast<std::uint32_t>(e.id)});
  return known != values_.end() ? known->second : unknown(expr.type);
}

Abstract Evaluator::eval_node(const Expr&, const GlobalPtrExpr& e) {
  return {.parts = {},
          .place = Place{.global = true, .root = static_cast<std::uint32_t>(e.id), .path = {}}};
}

Abstract Evaluator::eval_node(const Expr&, const LocalPtrExpr& e) {
  return {
      .parts = {},
      .place = Place{
          .global = false, .root = static_cast<std::uint32_t>(e.id), .frame = frame_, .path = {}}};
}

Abstract Evaluator::eval_node(const Expr&, const InvocationIdExpr& e) {
  const Extent& x = facts_.extent;
  const Extent& w = facts_.workgroup;
  Abstract out;
  if (e.kind == InvocationIdKind::local_invocation_index) {
    std::int64_t factor = 1;
    ValueNumber sum = numbers_.constant(0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum = numbers_.plus(sum, factor, numbers_.local_id(axis, x, w));
      factor *= w[axis];
    }
    return {.parts = {sum}, .place = {}};
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    switch (e.kind) {
      case InvocationIdKind::global_invocation:
        out.parts.push_back(numbers_.global_id(axis, x, w));
        break;
      case InvocationIdKind::local_invocation:
        out.parts.push_back(numbers_.local_id(axis, x, w));
        break;
      case InvocationIdKind::workgroup:
        out.parts.push_back(numbers_.workgroup_id(axis, x, w));
        break;
      default:
        out.parts.push_back(numbers_.constant((std::int64_t{x[axis]} + w[axis] - 1) / w[axis]));
    }
  }
  return out;
}

// ---- Paths

Abstract Evaluator::eval_node(const Expr&, const MemberExpr& e) {
  Abstract base = eval(e.base);
  const TypeId of = pointee(program_[e.base].type);
  if (base.place) {
    base.place->path.push_back(numbers_.constant(e.member));
    const auto* s = types_.get_if<StructType>(of);
    if (base.place->offset && s != nullptr) *base.place->offset += s->members[e.member].offset;
    return base;
  }
  std::uint64_t first = 0;
  for (std::uint32_t m = 0; m < e.member; ++m) {
    first += types_.scalar_count(types_.component(of, m));
  }
  return slice(base, first, types_.component(of, e.member));
}

Abstract Evaluator::slice(const Abstract& of, std::uint64_t first, TypeId type) {
  const std::uint64_t count = scalars(type);
  if (of.parts.size() < first + count || of.parts.empty()) return unknown(type);
  Abstract out;
  const auto begin = of.parts.begin() + static_cast<std::ptrdiff_t>(first);
  out.parts.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return out;
}

TypeId Evaluator::pointee(TypeId type) const {
  const auto* pointer = types_.get_if<PointerType>(type);
  return pointer != nullptr ? pointer->pointee : type;
}

Abstract Evaluator::eval_node(const Expr& expr, const IndexExpr& e) {
  Abstract base = eval(e.base);
  const Abstract at = eval(e.index);
  const TypeId of = pointee(program_[e.base].type);
  if (at.parts.empty()) return unknown(expr.type);
  const auto known = numbers_.known(at.parts[0]);
  if (base.place) {
    Place& place = *base.place;
    place.path.push_back(at.parts[0]);
    const auto* array = types_.get_if<ArrayType>(of);
    if (array != nullptr && place.element == 0) {
      place.element = static_cast<std::uint32_t>(place.path.size());
    }
    const std::uint64_t stride =
        array != nullptr ? types_.stride(array->element) : types_.layout(types_.component(of)).size;
    const bool vec3_columns = types_.get_if<MatrixType>(of) != nullptr;
    if (!known || *known < 0 || vec3_columns ||
        (types_.component_count(of) != 0 && *known >= types_.component_count(of))) {
      place.offset.reset();
    } else if (place.offset) {
      *place.offset += stride * static_cast<std::uint64_t>(*known);
    }
    return base;
  }
  if (base.parts.empty()) return unknown(expr.type);
  const std::uint64_t size = scalars(expr.type);
  if (known && *known >= 0 && *known < types_.component_count(of)) {
    return slice(base, size * static_cast<std::uint64_t>(*known), expr.type);
  }
  std::vector<ValueNumber> operands = base.parts;
  operands.push_back(at.parts[0]);
  return pure(ValueKind::other, 1, expr.type, operands);
}

// ---- Memory

const BufferFacts& Evaluator::buffer(std::uint32_t global) const { return facts_.buffers[global]; }

bool Evaluator::is_buffer(std::uint32_t global) const {
  const MemoryKind memory = program_.globals[global].memory;
  return memory == MemoryKind::storage || memory == MemoryKind::uniform;
}

MemoryAccess Evaluator::access(AccessKind kind, const Place& place, ExprId pointer) {
  MemoryAccess a;
  a.kind = kind;
  a.global = GlobalId{place.root};
  a.pointer = pointer;
  a.stmt = stmt_;
  a.in_entry = calls_ == 0;
  a.path = place.path;
  a.element = place.element;
  if (a.element != 0) {
    a.key = numbers_.key_parts(a.index(), facts_.extent, facts_.workgroup);
    a.index_range = numbers_.range(a.index());
    a.along_slowest = numbers_.bounds_along(a.index(), slowest_axis(facts_.extent), facts_.extent,
                                            facts_.workgroup);
  }
  a.guard = numbers_.holding();
  a.times = times_;
  return a;
}

Abstract Evaluator::eval_node(const Expr& expr, const LoadExpr& e) {
  const Abstract pointer = eval(e.pointer);
  if (!pointer.place) {
    out_.complete = false;
    return unknown(expr.type);
  }
  const Place& place = *pointer.place;
  if (!place.global) {
    const auto known = values_.find({place.frame, place.root});
    if (known == values_.end() || known->second.parts.empty()) return unknown(expr.type);
    return inside(known->second, place, expr.type);
  }
  if (!is_buffer(place.root)) return unknown(expr.type);
  if (program_.globals[place.root].memory == MemoryKind::storage) {
    out_.all.push_back(access(AccessKind::load, place, e.pointer));
  }
  const BufferFacts& facts = buffer(place.root);
  if (facts.written) return unknown(expr.type);
  if (!facts.contents.empty() && place.offset) {
    if (auto read = contents(facts.contents, *place.offset, expr.type)) return *read;
  }
  std::vector<ValueNumber> operands = place.path;
  return pure(ValueKind::load, facts.identity, expr.type, operands);
}

// Of a variable: the part that the path, if it is constant, leads to.
Abstract Evaluator::inside(const Abstract& value, const Place& place, TypeId type) {
  if (place.path.empty()) return value;
  const Local& local = local_of(place);
  std::uint64_t first = 0;
  TypeId at = local.type;
  for (const ValueNumber step : place.path) {
    const auto known = numbers_.known(step);
    if (!known || *known < 0 || *known >= types_.component_count(at)) return unknown(type);
    const bool structure = types_.get_if<StructType>(at) != nullptr;
    const auto number = static_cast<std::uint32_t>(*known);
    for (std::uint32_t c = 0; c < number; ++c) {
      first += types_.scalar_count(types_.component(at, structure ? c : 0));
    }
    at = types_.component(at, structure ? number : 0);
  }
  return slice(value, first, type);
}

const Local& Evaluator::local_of(const Place& place) const {
  return frames_[place.frame]->locals[place.root];
}

std::optional<Abstract> Evaluator::contents(std::span<const std::byte> bytes, std::uint64_t offset,
                                            TypeId type) {
  Abstract out;
  if (!flatten(bytes, offset, type, out) || out.parts.size() != scalars(type)) {
    return std::nullopt;
  }
  return out;
}

bool Evaluator::flatten(std::span<const std::byte> bytes, std::uint64_t offset, TypeId type,
                        Abstract& out) {
  if (const auto* s = types_.get_if<ScalarType>(type)) {
    const std::size_t size = s->kind == ScalarKind::f16 ? 2 : 4;
    if (offset > bytes.size() || bytes.size() - offset < size) return false;
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + offset, size);
    out.parts.push_back(numbers_.scalar({s->kind, bits}));
    return true;
  }
  if (const auto* v = types_.get_if<VectorType>(type)) {
    const TypeId part = types_.component(type);
    for (std::uint32_t i = 0; i < v->size; ++i) {
      if (!flatten(bytes, offset + i * types_.layout(part).size, part, out)) return false;
    }
    return true;
  }
  if (const auto* s = types_.get_if<StructType>(type)) {
    for (const Member& m : s->members) {
      if (!flatten(bytes, offset + m.offset, m.type, out)) return false;
    }
    return true;
  }
  const auto* array = types_.get_if<ArrayType>(type);
  if (array == nullptr || array->count == 0 || array->count > kMostScalars) return false;
  for (std::uint32_t i = 0; i < array->count; ++i) {
    if (!flatten(bytes, offset + i * types_.stride(array->element), array->element, out)) {
      return false;
    }
  }
  return true;
}

Abstract Evaluator::eval_node(const Expr& expr, const ArrayLengthExpr& e) {
  const Abstract pointer = eval(e.pointer);
  if (!pointer.place || !pointer.place->global) return unknown(expr.type);
  const std::uint32_t global = pointer.place->root;
  const BufferFacts& facts = buffer(global);
  const BufferLayout layout = buffer_layout(types_, program_.globals[global].type);
  if (facts.bytes) {
    const auto count = static_cast<std::int64_t>(layout.elements_in(*facts.bytes));
    return {.parts = {numbers_.constant(count)}, .place = {}};
  }
  const ValueNumber stride = numbers_.constant(static_cast<std::int64_t>(layout.stride));
  return pure(ValueKind::length, facts.identity, expr.type, {stride});
}

// ---- Operations

Abstract Evaluator::eval_node(const Expr& expr, const SwizzleExpr& e) {
  const Abstract vector = eval(e.vector);
  Abstract out;
  for (std::uint8_t i = 0; i < e.size; ++i) {
    if (e.lanes[i] >= vector.parts.size()) return unknown(expr.type);
    out.parts.push_back(vector.parts[e.lanes[i]]);
  }
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const ConstructExpr& e) {
  Abstract out;
  for (const ExprId part : program_.list(e.parts)) {
    const Abstract value = eval(part);
    out.parts.insert(out.parts.end(), value.parts.begin(), value.parts.end());
  }
  if (out.parts.size() != scalars(expr.type)) return unknown(expr.type);
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const SplatExpr& e) {
  const Abstract scalar = eval(e.scalar);
  if (scalar.parts.size() != 1) return unknown(expr.type);
  return {.parts = std::vector(scalars(expr.type), scalar.parts[0]), .place = {}};
}

Abstract Evaluator::eval_node(const Expr& expr, const UnaryExpr& e) {
  const Abstract a = eval(e.operand);
  if (a.parts.empty()) return unknown(expr.type);
  Abstract out;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    out.parts.push_back(numbers_.unary(e.op, scalar_at(expr.type, i), a.parts[i]));
  }
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const BinaryExpr& e) {
  const Abstract a = eval(e.left);
  const Abstract b = eval(e.right);
  const TypeId left = program_[e.left].type;
  const bool matrix = types_.get_if<MatrixType>(left) != nullptr ||
                      types_.get_if<MatrixType>(program_[e.right].type) != nullptr;
  if (a.parts.empty() || b.parts.empty()) return unknown(expr.type);
  if (matrix || a.parts.size() != b.parts.size()) {
    std::vector<ValueNumber> operands = a.parts;
    operands.insert(operands.end(), b.parts.begin(), b.parts.end());
    // Tells a matrix times a vector from a vector times a matrix of as many numbers together.
    operands.push_back(numbers_.constant(static_cast<std::int64_t>(a.parts.size())));
    return pure(ValueKind::other, 64 + static_cast<std::int64_t>(e.op), expr.type, operands);
  }
  Abstract out;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    out.parts.push_back(numbers_.binary(e.op, scalar_at(left, i), a.parts[i], b.parts[i]));
  }
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const SelectExpr& e) {
  const Abstract no = eval(e.on_false);
  const Abstract yes = eval(e.on_true);
  const Abstract condition = eval(e.condition);
  if (no.parts.size() != yes.parts.size() || no.parts.empty() || condition.parts.empty()) {
    return unknown(expr.type);
  }
  Abstract out;
  for (std::size_t i = 0; i < no.parts.size(); ++i) {
    const ValueNumber c = condition.parts[condition.parts.size() == 1 ? 0 : i];
    out.parts.push_back(numbers_.select(scalar_at(expr.type, i), no.parts[i], yes.parts[i], c));
  }
  return out;
}

Abstract Evaluator::converted(ExprId value, TypeId type) {
  const Abstract a = eval(value);
  if (a.parts.empty() || a.parts.size() != scalars(type)) return unknown(type);
  Abstract out;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    out.parts.push_back(
        numbers_.convert(scalar_at(program_[value].type, i), scalar_at(type, i), a.parts[i]));
  }
  return out;
}

Abstract Evaluator::eval_node(const Expr& expr, const ConvertExpr& e) {
  return converted(e.value, expr.type);
}

Abstract Evaluator::eval_node(const Expr& expr, const BitcastExpr& e) {
  const auto from = types_.scalar_kind(program_[e.value].type);
  const auto to = types_.scalar_kind(expr.type);
  if (from && to && is_integer(*from) && is_integer(*to)) return converted(e.value, expr.type);
  const Abstract a = eval(e.value);
  return pure(ValueKind::other, 2, expr.type, a.parts, !a.parts.empty());
}

Abstract Evaluator::eval_node(const Expr& expr, const MathExpr& e) {
  std::vector<ValueNumber> operands;
  bool complete = true;
  bool scalars_only = types_.get_if<ScalarType>(expr.type) != nullptr;
  const bool by_component = e.fn == MathFn::min || e.fn == MathFn::max || e.fn == MathFn::clamp;
  std::vector<Abstract> all;
  for (const ExprId argument : program_.list(e.arguments)) {
    all.push_back(eval(argument));
    complete = complete && !all.back().parts.empty();
    scalars_only = scalars_only && all.back().parts.size() == 1;
    operands.insert(operands.end(), all.back().parts.begin(), all.back().parts.end());
  }
  if (!complete) return unknown(expr.type);
  if (scalars_only) {
    return {.parts = {numbers_.math(e.fn, scalar_at(expr.type, 0), operands)}, .place = {}};
  }
  const std::size_t size = scalars(expr.type);
  if (by_component &&
      std::ranges::all_of(all, [&](const Abstract& a) { return a.parts.size() == size; })) {
    Abstract out;
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<ValueNumber> one;
      for (const Abstract& a : all) one.push_back(a.parts[i]);
      out.parts.push_back(numbers_.math(e.fn, scalar_at(expr.type, i), one));
    }
    return out;
  }
  return pure(ValueKind::other, 128 + static_cast<std::int64_t>(e.fn), expr.type, operands);
}

}  // namespace vyre

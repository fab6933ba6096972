#include "vyre/ir/access/accesses.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostSteps =
    300'000;  // statements and expressions, at each call that leads there
constexpr std::size_t kMostFacts = 256;     // that hold at one place
constexpr std::uint64_t kMostScalars = 64;  // of a value that is looked into
constexpr double kGuessedRounds = 16;       // of a loop that is not understood

// A place in memory: a global, or a variable of one call.
struct Place {
  bool global = false;
  std::uint32_t root = 0;  // GlobalId or LocalId
  std::uint32_t frame = 0;
  std::vector<ValueNumber> path;
  std::uint32_t element = 0;
  std::optional<std::uint64_t> offset = 0;  // bytes, where every index is known
};

// A pointer has a place; other values have their scalars, flattened, unless there are too many.
struct Abstract {
  std::vector<ValueNumber> parts;
  std::optional<Place> place;
};

class Walk {
 public:
  Walk(const Program& program, const LaunchFacts& facts, ValueNumbers& numbers)
      : program_(program), types_(program.types), facts_(facts), numbers_(numbers) {}

  Accesses run() {
    frame_ = 0;
    const Function& entry = program_[program_.entry];
    const std::size_t mark = numbers_.mark();
    block(entry.body);
    numbers_.forget(mark);
    return std::move(out_);
  }

 private:
  // What an execution of a block ends with, as far as it is certain.
  enum class End : std::uint8_t { falls_through, leaves, may_leave };
  using VarKey = std::pair<std::uint32_t, std::uint32_t>;  // frame, local

  // ---- Values

  ScalarKind scalar_at(TypeId type, std::uint64_t i) const {
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
  std::uint64_t scalars(TypeId type) const {
    const std::uint64_t count = types_.scalar_count(type);
    return count > kMostScalars ? 0 : count;
  }

  Abstract unknown(TypeId type) {
    Abstract out;
    for (std::uint64_t i = 0; i < scalars(type); ++i) {
      out.parts.push_back(numbers_.unknown(scalar_at(type, i)));
    }
    return out;
  }

  // A pure function of everything in `operands`; values too large to look into are unknown.
  Abstract pure(ValueKind kind, std::int64_t what, TypeId type,
                const std::vector<ValueNumber>& operands, bool complete = true) {
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

  bool has_budget() {
    if (++steps_ > kMostSteps || numbers_.holding().size() > kMostFacts) out_.complete = false;
    return out_.complete;
  }

  Abstract eval(ExprId id) {
    const Expr& expr = program_[id];
    if (!has_budget()) return unknown(expr.type);
    Abstract value =
        std::visit([&](const auto& node) { return eval_node(id, expr, node); }, expr.node);
    if (value.parts.size() == 1 && calls_ == 0) {
      out_.values[static_cast<std::uint32_t>(id)] = value.parts[0];
    }
    return value;
  }

  // ---- Leaves

  Abstract eval_node(ExprId, const Expr& expr, const ConstantExpr& e) {
    Abstract out;
    const Constant& c = program_[e.id];
    if (scalars(expr.type) == 0) return out;
    for (std::size_t i = 0; i < c.scalars.size(); ++i) {
      out.parts.push_back(numbers_.scalar({scalar_at(expr.type, i), c.scalars[i]}));
    }
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const ZeroExpr&) { return zero(expr.type); }
  Abstract zero(TypeId type) {
    Abstract out;
    for (std::uint64_t i = 0; i < scalars(type); ++i) {
      out.parts.push_back(numbers_.scalar({scalar_at(type, i), 0}));
    }
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const OverrideExpr&) { return unknown(expr.type); }
  Abstract eval_node(ExprId, const Expr& expr, const LocalExpr& e) {
    const auto known = values_.find({frame_, static_cast<std::uint32_t>(e.id)});
    return known != values_.end() ? known->second : unknown(expr.type);
  }
  Abstract eval_node(ExprId, const Expr&, const GlobalPtrExpr& e) {
    return {.parts = {},
            .place = Place{.global = true, .root = static_cast<std::uint32_t>(e.id), .path = {}}};
  }
  Abstract eval_node(ExprId, const Expr&, const LocalPtrExpr& e) {
    return {.parts = {},
            .place = Place{.global = false,
                           .root = static_cast<std::uint32_t>(e.id),
                           .frame = frame_,
                           .path = {}}};
  }
  Abstract eval_node(ExprId, const Expr&, const InvocationIdExpr& e) {
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

  Abstract eval_node(ExprId, const Expr&, const MemberExpr& e) {
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

  Abstract slice(const Abstract& of, std::uint64_t first, TypeId type) {
    const std::uint64_t count = scalars(type);
    if (of.parts.size() < first + count || of.parts.empty()) return unknown(type);
    Abstract out;
    const auto begin = of.parts.begin() + static_cast<std::ptrdiff_t>(first);
    out.parts.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return out;
  }

  TypeId pointee(TypeId type) const {
    const auto* pointer = types_.get_if<PointerType>(type);
    return pointer != nullptr ? pointer->pointee : type;
  }

  Abstract eval_node(ExprId, const Expr& expr, const IndexExpr& e) {
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
      const std::uint64_t stride = array != nullptr ? types_.stride(array->element)
                                                    : types_.layout(types_.component(of)).size;
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

  const BufferFacts& buffer(std::uint32_t global) const { return facts_.buffers[global]; }
  bool is_buffer(std::uint32_t global) const {
    const MemoryKind memory = program_.globals[global].memory;
    return memory == MemoryKind::storage || memory == MemoryKind::uniform;
  }

  MemoryAccess access(AccessKind kind, const Place& place, ExprId pointer) {
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
    }
    a.guard = numbers_.holding();
    a.times = times_;
    return a;
  }

  Abstract eval_node(ExprId, const Expr& expr, const LoadExpr& e) {
    const Abstract pointer = eval(e.pointer);
    if (!pointer.place) return unknown(expr.type);
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
  Abstract inside(const Abstract& value, const Place& place, TypeId type) {
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
  const Local& local_of(const Place& place) const {
    return frames_[place.frame]->locals[place.root];
  }

  std::optional<Abstract> contents(std::span<const std::byte> bytes, std::uint64_t offset,
                                   TypeId type) {
    Abstract out;
    if (!flatten(bytes, offset, type, out) || out.parts.size() != scalars(type)) {
      return std::nullopt;
    }
    return out;
  }
  bool flatten(std::span<const std::byte> bytes, std::uint64_t offset, TypeId type, Abstract& out) {
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

  Abstract eval_node(ExprId, const Expr& expr, const ArrayLengthExpr& e) {
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

  Abstract eval_node(ExprId, const Expr& expr, const SwizzleExpr& e) {
    const Abstract vector = eval(e.vector);
    Abstract out;
    for (std::uint8_t i = 0; i < e.size; ++i) {
      if (e.lanes[i] >= vector.parts.size()) return unknown(expr.type);
      out.parts.push_back(vector.parts[e.lanes[i]]);
    }
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const ConstructExpr& e) {
    Abstract out;
    for (const ExprId part : program_.list(e.parts)) {
      const Abstract value = eval(part);
      out.parts.insert(out.parts.end(), value.parts.begin(), value.parts.end());
    }
    if (out.parts.size() != scalars(expr.type)) return unknown(expr.type);
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const SplatExpr& e) {
    const Abstract scalar = eval(e.scalar);
    if (scalar.parts.size() != 1) return unknown(expr.type);
    return {.parts = std::vector(scalars(expr.type), scalar.parts[0]), .place = {}};
  }
  Abstract eval_node(ExprId, const Expr& expr, const UnaryExpr& e) {
    const Abstract a = eval(e.operand);
    if (a.parts.empty()) return unknown(expr.type);
    Abstract out;
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
      out.parts.push_back(numbers_.unary(e.op, scalar_at(expr.type, i), a.parts[i]));
    }
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const BinaryExpr& e) {
    const Abstract a = eval(e.left);
    const Abstract b = eval(e.right);
    const TypeId left = program_[e.left].type;
    const bool matrix = types_.get_if<MatrixType>(left) != nullptr ||
                        types_.get_if<MatrixType>(program_[e.right].type) != nullptr;
    if (a.parts.empty() || b.parts.empty()) return unknown(expr.type);
    if (matrix || a.parts.size() != b.parts.size()) {
      std::vector<ValueNumber> operands = a.parts;
      operands.insert(operands.end(), b.parts.begin(), b.parts.end());
      return pure(ValueKind::other, 64 + static_cast<std::int64_t>(e.op), expr.type, operands);
    }
    Abstract out;
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
      out.parts.push_back(numbers_.binary(e.op, scalar_at(left, i), a.parts[i], b.parts[i]));
    }
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const SelectExpr& e) {
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
  Abstract converted(ExprId value, TypeId type) {
    const Abstract a = eval(value);
    if (a.parts.empty() || a.parts.size() != scalars(type)) return unknown(type);
    Abstract out;
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
      out.parts.push_back(
          numbers_.convert(scalar_at(program_[value].type, i), scalar_at(type, i), a.parts[i]));
    }
    return out;
  }
  Abstract eval_node(ExprId, const Expr& expr, const ConvertExpr& e) {
    return converted(e.value, expr.type);
  }
  Abstract eval_node(ExprId, const Expr& expr, const BitcastExpr& e) {
    const auto from = types_.scalar_kind(program_[e.value].type);
    const auto to = types_.scalar_kind(expr.type);
    if (from && to && is_integer(*from) && is_integer(*to)) return converted(e.value, expr.type);
    const Abstract a = eval(e.value);
    return pure(ValueKind::other, 2, expr.type, a.parts, !a.parts.empty());
  }
  Abstract eval_node(ExprId, const Expr& expr, const MathExpr& e) {
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

  // ---- Statements

  // Facts that a block learns end with it; those about what leaves it early last to the end of the
  // block around it.
  End block(Block b) {
    bool may_leave = false;
    for (const StmtId id : program_.block(b)) {
      if (!has_budget()) return End::may_leave;
      stmt_ = id;
      const End end = std::visit([&](const auto& s) { return stmt(id, s); }, program_[id].node);
      if (end == End::leaves) return End::leaves;
      if (end == End::may_leave) may_leave = true;
    }
    return may_leave ? End::may_leave : End::falls_through;
  }

  void bind(LocalId local, Abstract value) {
    values_[{frame_, static_cast<std::uint32_t>(local)}] = std::move(value);
  }
  TypeId local_type(LocalId local) const {
    return frames_[frame_]->locals[static_cast<std::size_t>(local)].type;
  }

  End stmt(StmtId, const LetStmt& s) {
    bind(s.local, eval(s.value));
    return End::falls_through;
  }
  End stmt(StmtId, const VarStmt& s) {
    bind(s.local, s.initial != kNoExpr ? eval(s.initial) : zero(local_type(s.local)));
    return End::falls_through;
  }
  End stmt(StmtId, const StoreStmt& s) {
    const Abstract pointer = eval(s.pointer);
    Abstract value = eval(s.value);
    if (!pointer.place) return forget_variables();
    const Place& place = *pointer.place;
    if (place.global) {
      if (program_.globals[place.root].memory == MemoryKind::storage) {
        out_.all.push_back(access(AccessKind::store, place, s.pointer));
      }
      return End::falls_through;
    }
    Abstract& variable = values_[{place.frame, place.root}];
    variable = place.path.empty() ? std::move(value) : unknown(local_of(place).type);
    return End::falls_through;
  }
  // A store through a pointer of which nothing is known.
  End forget_variables() {
    for (auto& [key, value] : values_) {
      const Local& local = frames_[key.first]->locals[key.second];
      if (local.kind == LocalKind::var) value = unknown(local.type);
    }
    return End::falls_through;
  }

  // Variables that a block stores to, in this call or through pointers.
  void stored_in(Block b, std::vector<VarKey>& out, bool& anything) const {
    for_each_stmt(program_, b, [&](StmtId id) {
      const StmtNode& node = program_[id].node;
      if (const auto* s = std::get_if<StoreStmt>(&node)) {
        ExprId at = s->pointer;
        while (true) {
          if (const auto* e = std::get_if<MemberExpr>(&program_[at].node)) {
            at = e->base;
          } else if (const auto* e = std::get_if<IndexExpr>(&program_[at].node)) {
            at = e->base;
          } else {
            break;
          }
        }
        if (const auto* e = std::get_if<LocalPtrExpr>(&program_[at].node)) {
          out.emplace_back(frame_, static_cast<std::uint32_t>(e->id));
        } else if (std::holds_alternative<LocalExpr>(program_[at].node)) {
          anything = true;
        }
      } else if (const auto* s = std::get_if<CallStmt>(&node)) {
        for (const ExprId argument : program_.list(s->arguments)) {
          anything = anything || types_.get_if<PointerType>(program_[argument].type) != nullptr;
        }
      }
    });
  }
  // The variables that the blocks may store to, with their values now.
  using Variables = std::vector<std::pair<VarKey, Abstract>>;
  Variables stored_variables(std::initializer_list<Block> blocks) const {
    std::vector<VarKey> stored;
    bool anything = false;
    for (const Block b : blocks) stored_in(b, stored, anything);
    Variables out;
    if (anything) {
      for (const auto& [key, value] : values_) {
        if (frames_[key.first]->locals[key.second].kind == LocalKind::var) {
          out.emplace_back(key, value);
        }
      }
    }
    for (const VarKey& key : stored) {
      const auto known = values_.find(key);
      if (known != values_.end()) out.emplace_back(key, known->second);
    }
    return out;
  }
  void restore(const Variables& variables) {
    for (const auto& [key, value] : variables) values_[key] = value;
  }
  void forget(const Variables& variables) {
    for (const auto& [key, value] : variables) {
      values_[key] = unknown(frames_[key.first]->locals[key.second].type);
    }
  }
  void forget_stored(std::initializer_list<Block> blocks) { forget(stored_variables(blocks)); }

  // What follows runs only sometimes, and nothing says when.
  void assume_something() { numbers_.assume(numbers_.unknown(ScalarKind::boolean), true); }

  End stmt(StmtId id, const IfStmt& s) {
    const Abstract condition = eval(s.condition);
    const ValueNumber c = condition.parts.empty() ? ValueNumber{} : condition.parts[0];
    if (calls_ == 0 && depth_ == 0) out_.conditions[static_cast<std::uint32_t>(id)] = c;
    if (condition.parts.empty()) return End::may_leave;  // the budget is spent
    ++depth_;
    const auto branch = [&](Block b, bool truth) {
      const std::size_t mark = numbers_.mark();
      numbers_.assume(c, truth);
      const End end = block(b);
      numbers_.forget(mark);
      return end;
    };
    const Variables before = stored_variables({s.then});
    const End then = branch(s.then, true);
    restore(before);
    const End otherwise = branch(s.otherwise, false);
    forget_stored({s.then, s.otherwise});
    --depth_;
    if (then == End::leaves && otherwise == End::leaves) return End::leaves;
    if (then == End::falls_through && otherwise == End::falls_through) return End::falls_through;
    if (then == End::leaves && otherwise == End::falls_through) {
      numbers_.assume(c, false);
    } else if (then == End::falls_through && otherwise == End::leaves) {
      numbers_.assume(c, true);
    } else {
      assume_something();
    }
    return End::may_leave;
  }

  End stmt(StmtId, const LoopStmt& s) {
    ++depth_;
    const double times = times_;
    const std::size_t mark = numbers_.mark();
    const double rounds = enter_loop(s);
    times_ = times * rounds;
    const std::size_t entered = numbers_.mark();
    block(s.body);
    forget_stored({s.body});
    if (contains<ContinueStmt>(s.body)) {  // what the end of the body knows does not hold then
      numbers_.forget(entered);
      assume_something();
    }
    block(s.continuing);
    if (s.break_if != kNoExpr) eval(s.break_if);
    numbers_.forget(mark);
    forget_stored({s.body, s.continuing});
    times_ = times;
    --depth_;
    if (!contains<ReturnStmt>(s.body)) return End::falls_through;
    assume_something();
    return End::may_leave;
  }
  template <class S>
  bool contains(Block b) const {
    bool found = false;
    for_each_stmt(program_, b, [&](StmtId id) {
      found = found || std::holds_alternative<S>(program_[id].node);
    });
    return found;
  }

  // Variables that the loop changes are unknown in it, except a counter: one that only `continuing`
  // changes, by adding a constant, and that the loop compares before anything else. Gives an
  // estimate of the number of rounds.
  double enter_loop(const LoopStmt& s) {
    const Variables before = stored_variables({s.body, s.continuing});
    forget(before);
    const auto body = program_.block(s.body);
    if (body.empty()) return kGuessedRounds;
    const auto* test = std::get_if<IfStmt>(&program_[body[0]].node);
    if (test == nullptr) return kGuessedRounds;
    for (const StmtId id : program_.block(s.continuing)) {
      const auto* store = std::get_if<StoreStmt>(&program_[id].node);
      if (store == nullptr) continue;
      const auto* variable = std::get_if<LocalPtrExpr>(&program_[store->pointer].node);
      if (variable == nullptr || stores_to(s, variable->id) != 1) continue;
      const VarKey key{frame_, static_cast<std::uint32_t>(variable->id)};
      const auto first =
          std::ranges::find(before, key, [](const auto& variable) { return variable.first; });
      if (first == before.end() || first->second.parts.size() != 1) continue;
      if (const auto rounds = count(*test, *store, key, first->second.parts[0])) return *rounds;
    }
    return kGuessedRounds;
  }
  int stores_to(const LoopStmt& s, LocalId id) const {
    std::vector<VarKey> stored;
    bool anything = false;
    stored_in(s.body, stored, anything);
    stored_in(s.continuing, stored, anything);
    if (anything) return 2;
    return static_cast<int>(
        std::ranges::count(stored, VarKey{frame_, static_cast<std::uint32_t>(id)}));
  }
  bool only_breaks(Block b) const {
    const auto stmts = program_.block(b);
    return stmts.size() == 1 && std::holds_alternative<BreakStmt>(program_[stmts[0]].node);
  }
  // The counter becomes first + step * round.
  std::optional<double> count(const IfStmt& test, const StoreStmt& store, const VarKey& key,
                              ValueNumber first) {
    const auto kind = types_.scalar_kind(frames_[frame_]->locals[key.second].type);
    if (!kind || !is_integer(*kind)) return std::nullopt;
    if (values_[key].parts.empty()) return std::nullopt;
    const ValueNumber now = values_[key].parts[0];
    // Evaluated on a copy of what was found: these are no accesses of their own.
    const std::size_t found = out_.all.size();
    const Abstract next = eval(store.value);
    const Abstract condition = eval(test.condition);
    out_.all.resize(found);
    // The next value as now + step, if nothing wraps.
    const auto step = step_of(store.value, key);
    if (!step || *step <= 0 || next.parts.empty() || condition.parts.empty()) return std::nullopt;
    const bool leaves_when_true = only_breaks(test.then) && program_.block(test.otherwise).empty();
    const bool leaves_when_false = only_breaks(test.otherwise) && program_.block(test.then).empty();
    if (!leaves_when_true && !leaves_when_false) return std::nullopt;
    const std::size_t mark = numbers_.mark();
    numbers_.assume(condition.parts[0], leaves_when_false);
    const ValueRange inside = numbers_.range(now);
    numbers_.forget(mark);
    const ValueRange start = numbers_.range(first);
    if (inside.high > range_of(*kind).high - *step) return std::nullopt;
    const ValueNumber round = numbers_.loop_round();
    const ValueNumber counter = numbers_.plus(first, *step, round);
    values_[key].parts = {counter};
    // In the test itself the counter may have passed the end by one step.
    const std::int64_t most = std::max<std::int64_t>(0, (inside.high - start.low) / *step + 1);
    numbers_.assume(
        numbers_.binary(BinaryOp::less_equal, ScalarKind::u32, round, numbers_.constant(most)),
        true);
    return std::max<double>(
        1, static_cast<double>(most) - (start.high - start.low) / static_cast<double>(*step) / 2);
  }
  // The constant c of `variable + c`.
  std::optional<std::int64_t> step_of(ExprId value, const VarKey& key) {
    const auto* sum = std::get_if<BinaryExpr>(&program_[value].node);
    if (sum == nullptr || sum->op != BinaryOp::add) return std::nullopt;
    const auto is_variable = [&](ExprId id) {
      const auto* load = std::get_if<LoadExpr>(&program_[id].node);
      if (load == nullptr) return false;
      const auto* at = std::get_if<LocalPtrExpr>(&program_[load->pointer].node);
      return at != nullptr && static_cast<std::uint32_t>(at->id) == key.second;
    };
    const ExprId other = is_variable(sum->left) ? sum->right : sum->left;
    if (!is_variable(sum->left) && !is_variable(sum->right)) return std::nullopt;
    const Abstract step = eval(other);
    return step.parts.empty() ? std::nullopt : numbers_.known(step.parts[0]);
  }

  End stmt(StmtId, const SwitchStmt& s) {
    ++depth_;
    eval(s.selector);
    bool returns = false;
    Variables before;
    for (const SwitchCase& c : program_.cases(s)) {
      const Variables here = stored_variables({c.body});
      const std::size_t mark = numbers_.mark();
      assume_something();
      block(c.body);
      numbers_.forget(mark);
      restore(here);
      before.insert(before.end(), here.begin(), here.end());
      // These go beyond the switch.
      returns = returns || contains<ReturnStmt>(c.body) || contains<ContinueStmt>(c.body);
    }
    forget(before);
    --depth_;
    if (!returns) return End::falls_through;
    assume_something();
    return End::may_leave;
  }
  End stmt(StmtId, const BreakStmt&) { return End::leaves; }
  End stmt(StmtId, const ContinueStmt&) { return End::leaves; }
  End stmt(StmtId, const ReturnStmt& s) {
    if (s.value != kNoExpr) {
      Abstract value = eval(s.value);
      if (returned_ != nullptr) returned_->push_back(std::move(value));
    }
    return End::leaves;
  }
  End stmt(StmtId, const BarrierStmt&) { return End::falls_through; }
  End stmt(StmtId, const UniformLoadStmt& s) {
    eval(s.pointer);
    bind(s.result, unknown(local_type(s.result)));
    return End::falls_through;
  }
  End stmt(StmtId id, const AtomicStmt& s) {
    const Abstract pointer = eval(s.pointer);
    if (s.compare != kNoExpr) eval(s.compare);
    if (s.value != kNoExpr) eval(s.value);
    if (pointer.place && pointer.place->global &&
        program_.globals[pointer.place->root].memory == MemoryKind::storage) {
      MemoryAccess a = access(AccessKind::atomic, *pointer.place, s.pointer);
      a.stmt = id;
      a.atomic = s.op;
      a.result_used = s.result != kNoLocal && is_used(s.result);
      out_.all.push_back(std::move(a));
    }
    if (s.result != kNoLocal) bind(s.result, unknown(local_type(s.result)));
    return End::falls_through;
  }
  bool is_used(LocalId local) const {
    bool used = false;
    for_each_stmt(program_, frames_[frame_]->body, [&](StmtId id) {
      for_each_expr(program_, program_[id].node, [&](ExprId root) {
        for_each_subexpr(program_, root, [&](ExprId expr) {
          const auto* e = std::get_if<LocalExpr>(&program_[expr].node);
          used = used || (e != nullptr && e->id == local);
        });
      });
    });
    return used;
  }
  End stmt(StmtId, const SubgroupStmt& s) {
    if (s.value != kNoExpr) eval(s.value);
    if (s.lane != kNoExpr) eval(s.lane);
    bind(s.result, unknown(local_type(s.result)));
    return End::falls_through;
  }
  End stmt(StmtId id, const CallStmt& s) {
    std::vector<Abstract> arguments;
    for (const ExprId argument : program_.list(s.arguments)) arguments.push_back(eval(argument));
    const std::uint32_t caller = frame_;
    frame_ = static_cast<std::uint32_t>(frames_.size());
    frames_.push_back(&program_[s.callee]);
    for (std::uint32_t i = 0; i < arguments.size(); ++i) bind(LocalId{i}, std::move(arguments[i]));
    std::vector<Abstract> returned;
    std::vector<Abstract>* const outer = std::exchange(returned_, &returned);
    const std::size_t mark = numbers_.mark();
    ++calls_;
    const End end = block(program_[s.callee].body);
    --calls_;
    numbers_.forget(mark);
    returned_ = outer;
    const std::uint32_t callee = frame_;
    std::erase_if(values_, [&](const auto& entry) { return entry.first.first == callee; });
    frame_ = caller;
    stmt_ = id;
    if (s.result != kNoLocal) {
      const bool one = end == End::leaves && returned.size() == 1;
      bind(s.result, one ? returned[0] : unknown(local_type(s.result)));
    }
    return End::falls_through;
  }

  const Program& program_;
  const TypeTable& types_;
  const LaunchFacts& facts_;
  ValueNumbers& numbers_;
  Accesses out_;
  std::map<VarKey, Abstract> values_;  // of lets, parameters and variables
  std::vector<const Function*> frames_{&program_[program_.entry]};
  std::uint32_t frame_ = 0;
  std::uint32_t calls_ = 0;  // that lead to where the walk is
  std::uint32_t depth_ = 0;  // of blocks
  double times_ = 1;
  StmtId stmt_{};
  std::vector<Abstract>* returned_ = nullptr;
  std::uint64_t steps_ = 0;
};

}  // namespace

Accesses find_accesses(const Program& program, const LaunchFacts& facts, ValueNumbers& numbers) {
  return Walk(program, facts, numbers).run();
}

std::vector<bool> functions_reached(const Program& program) {
  std::vector<bool> reached(program.functions.size(), false);
  reached[static_cast<std::size_t>(program.entry)] = true;
  for (std::size_t i = reached.size(); i-- > 0;) {
    if (!reached[i]) continue;
    for_each_stmt(program, program.functions[i].body, [&](StmtId id) {
      const auto* call = std::get_if<CallStmt>(&program[id].node);
      if (call != nullptr) reached[static_cast<std::size_t>(call->callee)] = true;
    });
  }
  return reached;
}

bool is_pointwise(const Program& program) {
  if (program.workgroup[1] != 1 || program.workgroup[2] != 1) return false;
  const std::vector<bool> reached = functions_reached(program);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) continue;
    bool subgroups = false;  // by which invocations see each other's elements
    for_each_stmt(program, program.functions[i].body, [&](StmtId id) {
      subgroups = subgroups || std::holds_alternative<SubgroupStmt>(program[id].node);
    });
    if (subgroups) return false;
  }
  LaunchFacts facts;
  facts.workgroup = program.workgroup;
  facts.buffers.resize(program.globals.size());
  ValueNumbers numbers;
  const ValueNumber own = numbers.global_id(0, facts.extent, facts.workgroup);
  const Accesses accesses = find_accesses(program, facts, numbers);
  return accesses.complete && !accesses.all.empty() &&
         std::ranges::all_of(accesses.all, [&](const MemoryAccess& a) {
           return a.element != 0 && a.index() == own;
         });
}

}  // namespace vyre

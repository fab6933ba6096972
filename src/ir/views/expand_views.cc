#include "vyre/ir/views/expand_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/copy_program.h"
#include "vyre/ir/fold_constants.h"
#include "vyre/ir/views/view_memory_internal.h"
#include "vyre/ir/views/view_rules.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

constexpr std::size_t kMostFunctions = 4096;

bool holds_f16(const TypeTable& types, TypeId type) {
  if (types.scalar_kind(type) == ScalarKind::f16) return true;
  const std::uint32_t parts = types.get_if<StructType>(type) != nullptr
                                  ? types.component_count(type)
                              : types.get_if<ArrayType>(type) != nullptr ? 1
                                                                         : 0;
  for (std::uint32_t i = 0; i < parts; ++i) {
    if (holds_f16(types, types.component(type, i))) return true;
  }
  return false;
}

bool needs_halves(const Program& program) {
  const TypeTable& types = program.types;
  for (const Global& g : program.globals) {
    const auto* buffer = types.get_if<BufferType>(g.type);
    if (buffer != nullptr && buffer->bytes % 4 != 0) return true;
  }
  return std::ranges::any_of(program.exprs, [&](const Expr& e) {
    return std::holds_alternative<ViewExpr>(e.node) &&
           holds_f16(types, types.get_if<PointerType>(e.type)->pointee);
  });
}

// What a pointer into a buffer points to.
struct View {
  GlobalId buffer;  // of the program that is read
  std::uint64_t bytes =
      0;               // of the buffer, as far as functions may use it; 0 if only the run knows
  bool whole = false;  // a pointer to the buffer itself
  ViewAddress at = {};
  LocalId tail =
      kNoLocal;  // the elements of the run-time sized array in the pointee, if it has one
};

// What a copy of a function is made for: for each parameter the buffer that it points into.
struct Parameter {
  enum class Kind : std::uint8_t { other, whole, view };
  Kind kind = Kind::other;
  GlobalId buffer{};
  std::uint64_t bytes = 0;
  auto operator<=>(const Parameter&) const = default;
};
using Instance = std::pair<FunctionId, std::vector<Parameter>>;

class Expansion : public ProgramCopy {
 public:
  Expansion(const Program& from, Program& to)
      : ProgramCopy(from, to), memory_(to, writer_, needs_halves(from) ? 2 : 4) {}

  Result<void> run() {
    to_.name = from_.name;
    to_.source_name = from_.source_name;
    to_.workgroup = from_.workgroup;
    for (std::uint32_t g = 0; g < from_.globals.size(); ++g) make_global(GlobalId{g});
    to_.entry = instance({from_.entry, {}});
    if (memory_.is_full()) {
      wrong(from_[from_.entry].pos,
            fmt::format("views load and store more than {} numbers one by one", kMostScalars));
    }
    if (error_) return std::unexpected(std::move(*error_));
    return {};
  }

 protected:
  LocalId local(LocalId id) override {
    const auto known = frame_->locals.find(id);
    if (known != frame_->locals.end()) return known->second;
    const Local& original = frame_->from->locals[index(id)];
    return add_local(id, original.name, original.kind, type(original.type));
  }

 public:
  ExprId expr(ExprId id) override {
    const Expr& original = from_[id];
    if (const auto* e = std::get_if<LoadExpr>(&original.node)) {
      if (const auto at = view(e->pointer)) {
        const SourcePos pos = std::exchange(writer_.pos, original.pos);
        const ExprId value =
            memory_.load(global(at->buffer), at->at, type(original.type), plain_load());
        writer_.pos = pos;
        return value;
      }
    }
    if (const auto* e = std::get_if<ArrayLengthExpr>(&original.node)) {
      if (const auto of = view(e->pointer)) {
        return of->whole ? length(*of) : memory_.use(of->tail);
      }
    }
    return ProgramCopy::expr(id);
  }

 private:
  struct Frame {
    const Function* from;
    Function to = {};
    std::map<LocalId, LocalId> locals = {};
    std::map<LocalId, View> views = {};
  };

  template <class Id>
  static std::size_t index(Id id) {
    return static_cast<std::size_t>(id);
  }
  const BufferType* buffer_type(TypeId pointer) const {
    const auto* p = from_.types.get_if<PointerType>(pointer);
    return p == nullptr ? nullptr : from_.types.get_if<BufferType>(p->pointee);
  }
  ViewMemory::Loader plain_load() {
    return [this](ExprId pointer, TypeId element) { return memory_.plain_load(pointer, element); };
  }
  void wrong(SourcePos pos, const std::string& what) {
    if (!error_) error_ = fail(Code::invalid_input, locate(from_, pos, what)).error();
  }

  void make_global(GlobalId id) {
    const Global& original = from_[id];
    const auto* buffer = from_.types.get_if<BufferType>(original.type);
    if (buffer == nullptr) {
      global(id);
      return;
    }
    Global copy = original;
    const std::uint32_t elements = buffer->bytes / memory_.unit();
    copy.type = to_.types.intern(ArrayType{memory_.element(), elements});
    use_global(id, static_cast<GlobalId>(to_.globals.size()));
    to_.globals.push_back(std::move(copy));
  }

  // ---- Functions

  LocalId add_local(LocalId original, const std::string& name, LocalKind kind, TypeId type) {
    frame_->to.locals.push_back({name, kind, type, frame_->from->locals[index(original)].pos});
    const auto made = static_cast<LocalId>(frame_->to.locals.size() - 1);
    frame_->locals.emplace(original, made);
    return made;
  }

  FunctionId instance(const Instance& wanted) {
    const auto known = instances_.find(wanted);
    if (known != instances_.end()) return known->second;
    const Function& original = from_[wanted.first];
    if (instances_.size() == kMostFunctions) {
      wrong(original.pos, fmt::format("functions are called with more than {} different sets of "
                                      "buffers",
                                      kMostFunctions));
    }
    if (error_) return FunctionId{0};
    Frame frame{.from = &original};
    Frame* const caller = std::exchange(frame_, &frame);
    memory_.into(&frame.to);
    frame.to.name = original.name;
    frame.to.result = type(original.result);
    frame.to.pos = original.pos;
    for (std::uint32_t i = 0; i < original.parameters; ++i) {
      add_parameter(LocalId{i}, wanted.second[i]);
    }
    frame.to.parameters = static_cast<std::uint32_t>(frame.to.locals.size());
    frame.to.body = block(original.body);
    const auto made = static_cast<FunctionId>(to_.functions.size());
    to_.functions.push_back(std::move(frame.to));
    frame_ = caller;
    if (caller != nullptr) memory_.into(&caller->to);
    instances_.emplace(wanted, made);
    return made;
  }

  void add_parameter(LocalId id, const Parameter& parameter) {
    const Local& original = frame_->from->locals[index(id)];
    if (parameter.kind == Parameter::Kind::other) {
      add_local(id, original.name, LocalKind::parameter, type(original.type));
      return;
    }
    View view{.buffer = parameter.buffer, .bytes = parameter.bytes};
    if (parameter.kind == Parameter::Kind::whole) {
      view.whole = true;
      const BufferType& declared = *buffer_type(original.type);
      if (declared.bytes != 0 && (view.bytes == 0 || declared.bytes < view.bytes)) {
        view.bytes = declared.bytes;
      }
    } else {
      view.at.base = add_local(id, original.name, LocalKind::parameter, memory_.u32());
      const TypeId pointee = from_.types.get_if<PointerType>(original.type)->pointee;
      if (from_.types.contains_runtime_array(pointee)) {
        frame_->to.locals.push_back(
            {original.name + "_length", LocalKind::parameter, memory_.u32(), original.pos});
        view.tail = static_cast<LocalId>(frame_->to.locals.size() - 1);
      }
    }
    frame_->views.emplace(id, view);
  }

  void call(const CallStmt& s, SourcePos pos) {
    Instance wanted{s.callee, {}};
    std::vector<ExprId> arguments;
    for (const ExprId id : from_.list(s.arguments)) {
      const auto at = view(id);
      if (!at) {
        arguments.push_back(expr(id));
        wanted.second.push_back({});
        continue;
      }
      const auto kind = at->whole ? Parameter::Kind::whole : Parameter::Kind::view;
      wanted.second.push_back({kind, at->buffer, at->whole ? at->bytes : 0});
      if (at->whole) continue;
      arguments.push_back(memory_.value_of(at->at));
      if (at->tail != kNoLocal) arguments.push_back(memory_.use(at->tail));
    }
    const FunctionId callee = instance(wanted);
    const LocalId result = s.result == kNoLocal ? kNoLocal : local(s.result);
    writer_.pos = pos;
    writer_.stmt(CallStmt{callee, writer_.list(arguments), result});
  }

  // ---- Statements

  void stmt(const Stmt& original) override {
    if (error_ || memory_.is_full()) return;
    writer_.pos = original.pos;
    if (const auto* s = std::get_if<CallStmt>(&original.node)) return call(*s, original.pos);
    if (const auto* s = std::get_if<StoreStmt>(&original.node)) {
      if (const auto at = view(s->pointer)) {
        const ExprId value = expr(s->value);
        writer_.pos = original.pos;
        return memory_.store(global(at->buffer), at->at, type(from_[s->value].type), value);
      }
    }
    if (const auto* s = std::get_if<UniformLoadStmt>(&original.node)) {
      if (const auto at = view(s->pointer)) return uniform_load(*s, *at);
    }
    if (const auto* s = std::get_if<LetStmt>(&original.node)) {
      if (const auto at = view(s->value)) {
        frame_->views.emplace(s->local, *at);
        return;
      }
    }
    if (const auto* s = std::get_if<LoopStmt>(&original.node)) {
      LoopStmt copy = *s;
      copy.body = block(s->body);
      writer_.open();
      statements(s->continuing);
      if (s->break_if != kNoExpr) copy.break_if = expr(s->break_if);
      copy.continuing = writer_.close();
      writer_.pos = original.pos;
      writer_.stmt(copy);
      return;
    }
    ProgramCopy::stmt(original);
  }

  void uniform_load(const UniformLoadStmt& s, const View& at) {
    const TypeId of = type(from_.types.get_if<PointerType>(from_[s.pointer].type)->pointee);
    const auto loader = [this](ExprId pointer, TypeId element) {
      frame_->to.locals.push_back({"uniform", LocalKind::let, element, writer_.pos});
      const auto loaded = static_cast<LocalId>(frame_->to.locals.size() - 1);
      writer_.stmt(UniformLoadStmt{loaded, pointer});
      return memory_.use(loaded);
    };
    const ExprId value = memory_.load(global(at.buffer), at.at, of, loader);
    writer_.stmt(LetStmt{local(s.result), value});
  }

  // ---- Pointers

  // Empty for pointers into other memory, and for values.
  std::optional<View> view(ExprId id) {
    const Expr& e = from_[id];
    if (from_.types.get_if<PointerType>(e.type) == nullptr) return std::nullopt;
    if (const auto* n = std::get_if<GlobalPtrExpr>(&e.node)) {
      const auto* buffer = buffer_type(e.type);
      if (buffer == nullptr) return std::nullopt;
      return View{.buffer = n->id, .bytes = buffer->bytes, .whole = true};
    }
    if (const auto* n = std::get_if<LocalExpr>(&e.node)) {
      const auto known = frame_->views.find(n->id);
      return known == frame_->views.end() ? std::nullopt : std::optional(known->second);
    }
    if (const auto* n = std::get_if<ViewExpr>(&e.node)) return view_of(e, *n);
    if (const auto* n = std::get_if<MemberExpr>(&e.node)) {
      auto base = view(n->base);
      if (!base) return std::nullopt;
      const auto* p = from_.types.get_if<PointerType>(from_[n->base].type);
      const Member& member = from_.types.get_if<StructType>(p->pointee)->members[n->member];
      base->at.offset += member.offset / memory_.unit();
      if (!from_.types.contains_runtime_array(member.type)) base->tail = kNoLocal;
      return base;
    }
    if (const auto* n = std::get_if<IndexExpr>(&e.node)) {
      const auto base = view(n->base);
      return base ? std::optional(element_of(*base, *n)) : std::nullopt;
    }
    return std::nullopt;
  }

  // The number as u32; a negative one is larger than what any buffer holds.
  ExprId unsigned_value(ExprId id) {
    const ExprId value = expr(id);
    if (to_[value].type == memory_.u32()) return value;
    return writer_.expr(memory_.u32(), BitcastExpr{value});
  }
  std::optional<std::uint32_t> constant(ExprId id) const {
    if (id == kNoExpr) return std::nullopt;
    if (std::holds_alternative<ZeroExpr>(from_[id].node)) return 0;
    const auto* e = std::get_if<ConstantExpr>(&from_[id].node);
    if (e == nullptr) return std::nullopt;
    return static_cast<std::uint32_t>(from_[e->id].scalars[0]);
  }

  View element_of(const View& base, const IndexExpr& n) {
    const auto* p = from_.types.get_if<PointerType>(from_[n.base].type);
    const auto stride = static_cast<std::uint32_t>(
        from_.types.stride(from_.types.component(p->pointee)) / memory_.unit());
    const std::uint32_t count = from_.types.component_count(p->pointee);
    View out{.buffer = base.buffer, .bytes = base.bytes, .at = base.at};
    const auto known = constant(n.index);
    if (known && *known < count) {
      out.at.offset += *known * stride;
      return out;
    }
    const LocalId i = memory_.let("index", unsigned_value(n.index));
    const ExprId limit = base.tail != kNoLocal ? memory_.use(base.tail) : memory_.number(count);
    const ExprId inside = memory_.binary(BinaryOp::less, memory_.boolean(), memory_.use(i), limit);
    const ExprId step =
        memory_.binary(BinaryOp::mul, memory_.u32(), memory_.use(i), memory_.number(stride));
    const ExprId place = memory_.add(memory_.value_of(base.at), step);
    out.at = {memory_.let("place", memory_.choose(inside, place, memory_.nowhere(stride))), 0};
    return out;
  }

  // The bytes of the buffer, or the largest number of whole elements that a u32 can tell in bytes.
  ExprId length(const View& of) {
    ViewMemory& m = memory_;
    if (of.bytes != 0) return m.number(static_cast<std::uint32_t>(of.bytes));
    const ExprId root = m.root(global(of.buffer));
    const LocalId elements = m.let("elements", writer_.expr(m.u32(), ArrayLengthExpr{root}));
    const std::uint32_t most = std::numeric_limits<std::uint32_t>::max() / m.unit();
    const ExprId fits =
        m.binary(BinaryOp::less_equal, m.boolean(), m.use(elements), m.number(most));
    const ExprId held = m.choose(fits, m.use(elements), m.number(most));
    return m.binary(BinaryOp::mul, m.u32(), held, m.number(m.unit()));
  }

  View view_of(const Expr& e, const ViewExpr& n) {
    const View of = *view(n.buffer);
    View out{.buffer = of.buffer, .bytes = of.bytes};
    const TypeId pointee = from_.types.get_if<PointerType>(e.type)->pointee;
    const ViewShape shape = view_shape(from_.types, pointee);
    const std::string issue = view_issue(
        shape,
        {.buffer_bytes = of.bytes, .offset = known_number(n.offset), .size = known_number(n.size)});
    if (!issue.empty()) {
      wrong(e.pos, issue);
      return out;
    }
    writer_.pos = e.pos;
    place_view(out, shape, n, of, constant(n.offset));
    return out;
  }
  std::optional<std::int64_t> known_number(ExprId id) const {
    const auto bits = constant(id);
    if (!bits) return std::nullopt;
    return Scalar{*from_.types.scalar_kind(from_[id].type), *bits}.as_int();
  }

  // Fills in where the view begins, and how many elements its run-time sized array has.
  void place_view(View& out, const ViewShape& shape, const ViewExpr& n, const View& of,
                  std::optional<std::uint32_t> known) {
    ViewMemory& m = memory_;
    const auto size = constant(n.size);
    if (known && of.bytes != 0 && (size || n.size == kNoExpr)) {
      out.at.offset = *known / m.unit();
      if (!shape.stride) return;
      const auto room = size.value_or(static_cast<std::uint32_t>(of.bytes) - *known);
      out.tail = m.let("length", m.number((room - shape.array_offset) / *shape.stride));
      return;
    }
    const TypeId u32 = m.u32(), boolean = m.boolean();
    ExprId start = unsigned_value(n.offset);
    if (!known) start = m.binary(BinaryOp::bit_and, u32, start, m.number(~(shape.align - 1)));
    const LocalId offset = m.let("offset", start);
    const LocalId bytes = m.let("bytes", length(of));
    // The bytes that the view may take, and the elements among them.
    const ExprId inside = m.binary(BinaryOp::less_equal, boolean, m.use(offset), m.use(bytes));
    const LocalId rest =
        m.let("rest", m.choose(inside, m.sub(m.use(bytes), m.use(offset)), m.number(0)));
    const LocalId room = n.size == kNoExpr ? rest : m.let("size", unsigned_value(n.size));
    ExprId valid = m.binary(BinaryOp::less_equal, boolean, m.number(shape.least), m.use(rest));
    LocalId elements = kNoLocal;
    if (shape.stride) {
      const ExprId enough =
          m.binary(BinaryOp::greater_equal, boolean, m.use(room), m.number(shape.array_offset));
      const ExprId after = m.sub(m.use(room), m.number(shape.array_offset));
      elements =
          m.let("elements", m.binary(BinaryOp::div, u32, m.choose(enough, after, m.number(0)),
                                     m.number(*shape.stride)));
      const ExprId one = m.binary(BinaryOp::greater, boolean, m.use(elements), m.number(0));
      const ExprId taken =
          m.add(m.number(shape.array_offset),
                m.binary(BinaryOp::mul, u32, m.use(elements), m.number(*shape.stride)));
      const ExprId fits = m.binary(BinaryOp::less_equal, boolean, taken, m.use(rest));
      valid = m.binary(BinaryOp::logical_and, boolean, one, fits);
    }
    const LocalId fine = m.let("valid", valid);
    const ExprId first = m.binary(BinaryOp::div, u32, m.use(offset), m.number(m.unit()));
    out.at.base = m.let("place", m.choose(m.use(fine), first, m.nowhere(shape.least / m.unit())));
    if (elements == kNoLocal) return;
    out.tail = m.let("length", m.choose(m.use(fine), m.use(elements), m.number(0)));
  }

  ViewMemory memory_;
  Frame* frame_ = nullptr;
  std::map<Instance, FunctionId> instances_;
  std::optional<Error> error_;
};

}  // namespace

bool has_buffers(const Program& program) {
  for (std::size_t i = 0; i < program.types.size(); ++i) {
    if (program.types.get_if<BufferType>(static_cast<TypeId>(i)) != nullptr) return true;
  }
  return false;
}

Result<Program> expand_views(const Program& program) {
  Program out;
  VYRE_CHECK(Expansion(program, out).run());
  return out;
}

}  // namespace vyre

// Kernels written by hand, for tests: a thin layer over Writer that knows result types.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/validate/validate.h"
#include "vyre/ir/writer.h"

namespace vyre {

class KernelWriter {
 public:
  Program program;
  Writer writer{program};

  TypeId boolean = program.types.scalar(ScalarKind::boolean);
  TypeId i32 = program.types.scalar(ScalarKind::i32);
  TypeId u32 = program.types.scalar(ScalarKind::u32);
  TypeId f32 = program.types.scalar(ScalarKind::f32);
  TypeId f16 = program.types.scalar(ScalarKind::f16);
  TypeId vec(ScalarKind kind, std::uint32_t n) { return program.types.vector(kind, n); }
  TypeId array(TypeId element, std::uint32_t count) { return program.types.array(element, count); }
  TypeId runtime_array(TypeId element) { return program.types.runtime_array(element); }
  TypeId mat(ScalarKind kind, std::uint32_t columns, std::uint32_t rows) {
    return program.types.matrix(kind, columns, rows);
  }
  TypeId structure(std::string name, const std::vector<std::pair<std::string, TypeId>>& members) {
    std::vector<Member> out;
    for (const auto& [member, type] : members) out.push_back({.name = member, .type = type});
    return program.types.structure(std::move(name), std::move(out));
  }
  TypeId pointer_type(MemoryKind memory, TypeId pointee, Access access = Access::read_write) {
    return program.types.pointer(memory, pointee, access);
  }
  TypeId type_of(ExprId id) const { return program[id].type; }

  // Globals. Buffers get group 0 and bindings in order of declaration. Each returns the pointer.
  ExprId buffer(std::string name, TypeId type, Access access = Access::read_write,
                MemoryKind memory = MemoryKind::storage) {
    const std::uint32_t binding = bindings_++;
    return global({.name = std::move(name),
                   .memory = memory,
                   .access = access,
                   .type = type,
                   .binding = binding,
                   .pos = {}});
  }
  ExprId workgroup(std::string name, TypeId type) {
    return global({.name = std::move(name),
                   .memory = MemoryKind::workgroup,
                   .access = Access::read_write,
                   .type = type,
                   .pos = {}});
  }
  ExprId private_(std::string name, TypeId type, ExprId initial = kNoExpr) {
    return global({.name = std::move(name),
                   .memory = MemoryKind::private_,
                   .access = Access::read_write,
                   .type = type,
                   .initial = initial,
                   .pos = {}});
  }

  // Functions: callees first, the entry last. Between `begin` and `end`.
  FunctionId begin(std::string name, const std::vector<TypeId>& parameters = {},
                   TypeId result = {}) {
    Function function{.name = std::move(name),
                      .result = result,
                      .parameters = static_cast<std::uint32_t>(parameters.size()),
                      .locals = {},
                      .body = {},
                      .pos = {}};
    for (const TypeId type : parameters) {
      function.locals.push_back(
          {"p" + std::to_string(function.locals.size()), LocalKind::parameter, type, {}});
    }
    program.functions.push_back(std::move(function));
    writer.open();
    return static_cast<FunctionId>(program.functions.size() - 1);
  }
  void end() { current().body = writer.close(); }
  ExprId parameter(std::uint32_t i) {
    return writer.expr(current().locals[i].type, LocalExpr{LocalId{i}});
  }

  // Values.
  ExprId u(std::uint32_t v) { return writer.constant(Scalar::of(v)); }
  ExprId i(std::int32_t v) { return writer.constant(Scalar::of(v)); }
  ExprId f(float v) { return writer.constant(Scalar::of(v)); }
  ExprId h(float v) { return writer.constant(Scalar::of_f16(v)); }
  ExprId b(bool v) { return writer.constant(Scalar::of(v)); }
  ExprId zero(TypeId type) { return writer.expr(type, ZeroExpr{}); }
  ExprId id(InvocationIdKind kind) {
    return writer.expr(
        kind == InvocationIdKind::local_invocation_index ? u32 : vec(ScalarKind::u32, 3),
        InvocationIdExpr{kind});
  }
  ExprId global_x() { return lane(id(InvocationIdKind::global_invocation), 0); }
  ExprId local_index() { return id(InvocationIdKind::local_invocation_index); }
  ExprId lane(ExprId vector, std::uint8_t i) { return swizzle(vector, {i}); }
  ExprId swizzle(ExprId vector, std::initializer_list<std::uint8_t> lanes) {
    SwizzleExpr e{.vector = vector, .size = static_cast<std::uint8_t>(lanes.size()), .lanes = {}};
    std::size_t at = 0;
    for (const std::uint8_t l : lanes) e.lanes[at++] = l;
    const ScalarKind kind = *program.types.scalar_kind(type_of(vector));
    return writer.expr(lanes.size() == 1 ? program.types.scalar(kind) : vec(kind, e.size), e);
  }
  ExprId construct(TypeId type, std::vector<ExprId> parts) {
    return writer.expr(type, ConstructExpr{writer.list(parts)});
  }
  ExprId splat(TypeId type, ExprId scalar) { return writer.expr(type, SplatExpr{scalar}); }
  ExprId unary(UnaryOp op, ExprId a) { return writer.expr(type_of(a), UnaryExpr{op, a}); }
  ExprId binary(BinaryOp op, ExprId a, ExprId b) {
    return binary_as(binary_type(op, type_of(a)), op, a, b);
  }
  ExprId binary_as(TypeId type, BinaryOp op, ExprId a, ExprId b) {
    return writer.expr(type, BinaryExpr{op, a, b});
  }
  ExprId add(ExprId a, ExprId b) { return binary(BinaryOp::add, a, b); }
  ExprId sub(ExprId a, ExprId b) { return binary(BinaryOp::sub, a, b); }
  ExprId mul(ExprId a, ExprId b) { return binary(BinaryOp::mul, a, b); }
  ExprId div(ExprId a, ExprId b) { return binary(BinaryOp::div, a, b); }
  ExprId rem(ExprId a, ExprId b) { return binary(BinaryOp::rem, a, b); }
  ExprId equal(ExprId a, ExprId b) { return binary(BinaryOp::equal, a, b); }
  ExprId less(ExprId a, ExprId b) { return binary(BinaryOp::less, a, b); }
  ExprId greater_equal(ExprId a, ExprId b) { return binary(BinaryOp::greater_equal, a, b); }
  ExprId select(ExprId on_false, ExprId on_true, ExprId condition) {
    return writer.expr(type_of(on_false), SelectExpr{on_false, on_true, condition});
  }
  ExprId convert(TypeId type, ExprId v) { return writer.expr(type, ConvertExpr{v}); }
  ExprId bitcast(TypeId type, ExprId v) { return writer.expr(type, BitcastExpr{v}); }
  ExprId math(TypeId type, MathFn fn, std::vector<ExprId> arguments) {
    return writer.expr(type, MathExpr{fn, writer.list(arguments)});
  }

  // Memory: of pointers and of values alike.
  ExprId at(ExprId base, ExprId index) {
    return part(base, IndexExpr{base, index}, [&](TypeId t) { return program.types.component(t); });
  }
  ExprId at(ExprId base, std::uint32_t index) { return at(base, u(index)); }
  ExprId member(ExprId base, std::uint32_t index) {
    return part(base, MemberExpr{base, index},
                [&](TypeId t) { return program.types.component(t, index); });
  }
  ExprId load(ExprId pointer) { return writer.expr(pointee(pointer), LoadExpr{pointer}); }
  ExprId array_length(ExprId pointer) { return writer.expr(u32, ArrayLengthExpr{pointer}); }

  // Statements.
  ExprId let(ExprId value) {
    const LocalId local = add_local(LocalKind::let, type_of(value));
    writer.stmt(LetStmt{local, value});
    return writer.expr(type_of(value), LocalExpr{local});
  }
  ExprId var(TypeId type, ExprId initial = kNoExpr) {
    const LocalId local = add_local(LocalKind::var, type);
    writer.stmt(VarStmt{local, initial});
    return writer.expr(pointer_type(MemoryKind::function, type), LocalPtrExpr{local});
  }
  ExprId var(ExprId initial) { return var(type_of(initial), initial); }
  void store(ExprId pointer, ExprId value) { writer.stmt(StoreStmt{pointer, value}); }
  void add_to(ExprId pointer, ExprId value) { store(pointer, add(load(pointer), value)); }
  template <class Then>
  void if_(ExprId condition, Then&& then) {
    if_(condition, then, [] {});
  }
  template <class Then, class Else>
  void if_(ExprId condition, Then&& then, Else&& otherwise) {
    const Block a = block(then), b = block(otherwise);
    writer.stmt(IfStmt{condition, a, b});
  }
  template <class Body>
  void loop(Body&& body) {
    const Block a = block(body);
    writer.stmt(LoopStmt{.body = a, .continuing = {}});
  }
  template <class Body, class Continuing>
  void loop(Body&& body, Continuing&& continuing, ExprId break_if = kNoExpr) {
    const Block a = block(body), b = block(continuing);
    writer.stmt(LoopStmt{a, b, break_if});
  }
  // for (var k = first; k < last; k += 1), u32; the body gets the value of k.
  template <class Body>
  void count(ExprId first, ExprId last, Body&& body) {
    const ExprId k = var(first);
    loop(
        [&] {
          if_(greater_equal(load(k), last), [&] { break_(); });
          body(let(load(k)));
        },
        [&] { add_to(k, u(1)); });
  }
  void break_() { writer.stmt(BreakStmt{}); }
  void continue_() { writer.stmt(ContinueStmt{}); }
  void return_(ExprId value = kNoExpr) { writer.stmt(ReturnStmt{value}); }
  void barrier() { writer.stmt(BarrierStmt{true, true}); }
  ExprId uniform_load(ExprId pointer) {
    const LocalId local = add_local(LocalKind::let, scalar_of_atomic(pointee(pointer)));
    writer.stmt(UniformLoadStmt{local, pointer});
    return writer.expr(current().locals[static_cast<std::size_t>(local)].type, LocalExpr{local});
  }
  ExprId atomic(AtomicOp op, ExprId pointer, ExprId value = kNoExpr, ExprId compare = kNoExpr,
                TypeId result = {}) {
    const TypeId type = result == TypeId{} ? scalar_of_atomic(pointee(pointer)) : result;
    const LocalId local = op == AtomicOp::store ? kNoLocal : add_local(LocalKind::let, type);
    writer.stmt(AtomicStmt{op, Scope::device, Order::relaxed, pointer, compare, value, local});
    return local == kNoLocal ? kNoExpr : writer.expr(type, LocalExpr{local});
  }
  // Where control flow is not uniform too. `value` and `lane` are absent for some operations.
  ExprId subgroup(SubgroupOp op, TypeId result, ExprId value, ExprId lane = kNoExpr) {
    const LocalId local = add_local(LocalKind::let, result);
    writer.stmt(SubgroupStmt{op, value, lane, local, UniformityCheck::none});
    return writer.expr(result, LocalExpr{local});
  }
  ExprId call(FunctionId callee, std::vector<ExprId> arguments = {}) {
    const TypeId type = program[callee].result;
    const bool returns = type != program.types.void_type();
    const LocalId local = returns ? add_local(LocalKind::let, type) : kNoLocal;
    writer.stmt(CallStmt{callee, writer.list(arguments), local});
    return returns ? writer.expr(type, LocalExpr{local}) : kNoExpr;
  }
  template <class Body>
  Block block(Body&& body) {
    writer.open();
    body();
    return writer.close();
  }

  TypeId pointee(ExprId pointer) const {
    return program.types.get_if<PointerType>(type_of(pointer))->pointee;
  }

  // The kernel as it stands: the last function is the entry. Not contracted, so that operations
  // run as they are written. An invalid program ends the test, unless it is meant to be one.
  Kernel finish(Extent workgroup = {1, 1, 1}, bool check = true) {
    program.name = program.functions.back().name;
    program.workgroup = workgroup;
    program.entry = static_cast<FunctionId>(program.functions.size() - 1);
    bool broken = false;
    for (const ProgramIssue& issue : check ? validate(program) : std::vector<ProgramIssue>{}) {
      fmt::print(stderr, "kernel `{}` is not valid: {}\n", program.name, issue.what);
      broken = true;
    }
    if (broken) std::abort();
    return Kernel{std::make_shared<const Program>(program), {}, {}};
  }

 private:
  Function& current() { return program.functions.back(); }
  LocalId add_local(LocalKind kind, TypeId type) {
    auto& locals = current().locals;
    locals.push_back({"v" + std::to_string(locals.size()), kind, type, {}});
    return static_cast<LocalId>(locals.size() - 1);
  }
  ExprId global(const Global& g) {
    const auto id = static_cast<GlobalId>(program.globals.size());
    program.globals.push_back(g);
    return writer.expr(pointer_type(g.memory, g.type, g.access), GlobalPtrExpr{id});
  }
  TypeId scalar_of_atomic(TypeId type) {
    const auto* atomic = program.types.get_if<AtomicType>(type);
    return atomic == nullptr ? type : program.types.scalar(atomic->kind);
  }
  TypeId binary_type(BinaryOp op, TypeId operand) {
    if (op < BinaryOp::equal || op > BinaryOp::logical_or) return operand;
    const auto* vector = program.types.get_if<VectorType>(operand);
    return vector == nullptr ? boolean : vec(ScalarKind::boolean, vector->size);
  }
  template <class Component>
  ExprId part(ExprId base, ExprNode node, Component&& component) {
    if (const auto* p = program.types.get_if<PointerType>(type_of(base))) {
      const PointerType pointer = *p;
      return writer.expr(pointer_type(pointer.memory, component(pointer.pointee), pointer.access),
                         node);
    }
    return writer.expr(component(type_of(base)), node);
  }

  std::uint32_t bindings_ = 0;
};

// Runs with `buffers[i]` at group 0, binding i.
template <class... Vectors>
Result<InterpretReport> run_with(const Kernel& kernel, const LaunchShape& shape,
                                 const InterpretOptions& options, Vectors&... buffers) {
  std::vector<BoundBuffer> bound;
  (bound.push_back({.group = 0,
                    .binding = static_cast<std::uint32_t>(bound.size()),
                    .bytes = std::as_writable_bytes(std::span(buffers))}),
   ...);
  return interpret(kernel, bound, shape, options);
}
template <class... Vectors>
Result<InterpretReport> run_with(const Kernel& kernel, Extent grid, Vectors&... buffers) {
  return run_with(kernel, LaunchShape{.grid = grid}, InterpretOptions{}, buffers...);
}

}  // namespace vyre

// Programs that are wrong on purpose, for the tests of validate.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vyre/ir/validate/validate.h"
#include "vyre/ir/writer.h"

namespace vyre {

// A program written directly, so that it can be wrong in any way.
class Validate : public testing::Test {
 protected:
  Validate() {
    program.name = "main";
    program.functions.resize(1);
    main().name = "main";
    main().result = program.types.void_type();
    add_global("data", MemoryKind::storage, Access::read_write, program.types.runtime_array(f32));
    add_global("fixed", MemoryKind::storage, Access::read, program.types.array(u32, 4));
    add_global("tile", MemoryKind::workgroup, Access::read_write, program.types.array(f32, 8));
    add_global("counter", MemoryKind::storage, Access::read_write,
               program.types.atomic(ScalarKind::u32));
    writer.open();
  }

  Function& main() { return program.functions.back(); }

  GlobalId add_global(const std::string& name, MemoryKind memory, Access access, TypeId type) {
    Global g{.name = name, .memory = memory, .access = access, .type = type};
    g.binding = static_cast<std::uint32_t>(program.globals.size());
    program.globals.push_back(g);
    return static_cast<GlobalId>(program.globals.size() - 1);
  }

  LocalId local(LocalKind kind, TypeId type, const std::string& name = "v") {
    main().locals.push_back({name, kind, type});
    return static_cast<LocalId>(main().locals.size() - 1);
  }

  ExprId constant(std::uint32_t v) { return writer.constant(Scalar::of(v)); }
  ExprId constant(float v) { return writer.constant(Scalar::of(v)); }
  ExprId constant(bool v) { return writer.constant(Scalar::of(v)); }
  ExprId global(std::uint32_t i) {
    const Global& g = program.globals[i];
    return writer.expr(program.types.pointer(g.memory, g.type, g.access),
                       GlobalPtrExpr{static_cast<GlobalId>(i)});
  }
  ExprId element(std::uint32_t global_index, ExprId index) {
    const ExprId base = global(global_index);
    const auto pointer = *program.types.get_if<PointerType>(program[base].type);
    const TypeId type = program.types.pointer(
        pointer.memory, program.types.component(pointer.pointee), pointer.access);
    return writer.expr(type, IndexExpr{base, index});
  }
  ExprId load(ExprId pointer) {
    return writer.expr(program.types.get_if<PointerType>(program[pointer].type)->pointee,
                       LoadExpr{pointer});
  }

  std::vector<std::string> issues() {
    if (!closed) main().body = writer.close();
    closed = true;
    std::vector<std::string> out;
    for (const ProgramIssue& i : validate(program)) out.push_back(i.what);
    return out;
  }
  // Exactly one issue, with this text in it.
  void expect_issue(const std::string& text) {
    const auto found = issues();
    ASSERT_EQ(found.size(), 1U) << testing::PrintToString(found);
    EXPECT_NE(found[0].find(text), std::string::npos) << found[0];
  }
  void expect_valid() { EXPECT_EQ(issues(), std::vector<std::string>{}); }
  // An expression of a type, in a let.
  void keep(TypeId type, ExprNode node) {
    writer.stmt(LetStmt{local(LocalKind::let, type), writer.expr(type, node)});
  }

  Program program;
  Writer writer{program};
  TypeId boolean = program.types.scalar(ScalarKind::boolean);
  TypeId i32 = program.types.scalar(ScalarKind::i32);
  TypeId u32 = program.types.scalar(ScalarKind::u32);
  TypeId f32 = program.types.scalar(ScalarKind::f32);
  TypeId f16 = program.types.scalar(ScalarKind::f16);
  TypeId vec3 = program.types.vector(ScalarKind::f32, 3);
  TypeId vec2 = program.types.vector(ScalarKind::f32, 2);
  TypeId bool3 = program.types.vector(ScalarKind::boolean, 3);
  TypeId mat2x3 = program.types.matrix(ScalarKind::f32, 2, 3);
  bool closed = false;
};

}  // namespace vyre

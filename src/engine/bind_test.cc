#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vyre/engine/bind_internal.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText =
    "struct S { a: vec3<f32>, b: array<u32> }\n"
    "@group(1) @binding(0) var<storage, read_write> out: S;\n"
    "@group(0) @binding(3) var<uniform> u: vec4<f32>;\n"
    "@group(0) @binding(1) var<storage, read> x: array<f32>;\n"
    "@compute @workgroup_size(1) fn main() { out.b[0] = u32(u.x + x[0]); }\n";

class Bind : public testing::Test {
 protected:
  Program program = parse_wgsl(kText).module->programs.front();
  Session session = *Session::open("null", {});
  Buffer out = *session.buffer(64), u = *session.buffer(16), x = *session.buffer(40);
  Binding at_out{1, 0, out}, at_u{0, 3, u}, at_x{0, 1, x};

  std::string error(std::vector<Binding> bindings, std::uint64_t alignment = 4) {
    const auto bound = bind_slots(program, bindings, alignment);
    return bound ? "" : bound.error().what;
  }
};

TEST_F(Bind, SlotsAreOrderedByGroupAndBinding) {
  const std::vector<Binding> bindings{at_out, at_u, at_x};
  const auto bound = bind_slots(program, bindings, 4);
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->size(), 3U);
  EXPECT_EQ((*bound)[0].address, x.address());
  EXPECT_EQ((*bound)[1].address, u.address());
  EXPECT_EQ((*bound)[2].address, out.address());
  EXPECT_EQ((*bound)[0].bytes, 40U);
}

TEST_F(Bind, TakesPartsOfBuffers) {
  at_x.offset = 8;
  at_x.bytes = 12;
  at_out.offset = 16;
  const std::vector<Binding> bindings{at_out, at_u, at_x};
  const auto bound = bind_slots(program, bindings, 4);
  ASSERT_TRUE(bound);
  EXPECT_EQ((*bound)[0].address, x.address() + 8);
  EXPECT_EQ((*bound)[0].bytes, 12U);
  EXPECT_EQ((*bound)[2].bytes, 48U);
}

TEST_F(Bind, IgnoresWhatTheProgramDoesNotUse) {
  EXPECT_EQ(error({at_out, at_u, at_x, Binding{7, 7, out}}), "");
}

TEST_F(Bind, EveryVariableIsBoundOnce) {
  EXPECT_EQ(error({at_out, at_x}), "'u' (group 0, binding 3) is not bound");
  EXPECT_EQ(error({at_out, at_u, at_x, at_u}), "'u' (group 0, binding 3) is bound twice");
}

TEST_F(Bind, PartsLieInsideTheirBuffers) {
  at_x.offset = 41;
  EXPECT_EQ(error({at_out, at_u, at_x}), "'x' is bound at byte 41 of a buffer of 40 bytes");
  at_x.offset = 36;
  at_x.bytes = 8;
  EXPECT_EQ(error({at_out, at_u, at_x}),
            "'x' is bound to 8 bytes at byte 36 of a buffer of 40 bytes");
  at_x.bytes = ~std::uint64_t{0};
  EXPECT_NE(error({at_out, at_u, at_x}), "");
}

TEST_F(Bind, PartsHoldTheirType) {
  at_x.bytes = 3;
  EXPECT_EQ(error({at_out, at_u, at_x}), "'x' is bound to 3 bytes; array<f32> needs 4");
  at_x.bytes = 4;
  at_u.bytes = 12;
  EXPECT_EQ(error({at_out, at_u, at_x}), "'u' is bound to 12 bytes; vec4<f32> needs 16");
  at_u.bytes = 16;
  at_out.bytes = 15;  // b begins at byte 12, right behind the vec3
  EXPECT_EQ(error({at_out, at_u, at_x}), "'out' is bound to 15 bytes; S needs 16");
}

TEST_F(Bind, AddressesAreAligned) {
  at_x.offset = 8;
  EXPECT_EQ(error({at_out, at_u, at_x}, 8), "");
  EXPECT_EQ(error({at_out, at_u, at_x}, 16),
            "'x' is bound at byte 8, where its address is not a multiple of 16");
}

TEST_F(Bind, WhatIsWrittenOverlapsNothing) {
  at_out.bytes = 32;
  at_x = Binding{0, 1, out, 32, 8};
  EXPECT_EQ(error({at_out, at_u, at_x}), "");
  at_x.offset = 28;
  EXPECT_EQ(error({at_out, at_u, at_x}),
            "'x' and 'out' are bound to the same memory, and one is written");
}

TEST_F(Bind, WhatIsOnlyReadMayOverlap) { EXPECT_EQ(error({at_out, at_u, Binding{0, 1, u}}), ""); }

}  // namespace
}  // namespace vyre

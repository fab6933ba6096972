// A session that makes many kernels, each of which is used once, keeps few of them.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "vyre/device/null/null_device.h"
#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

// The bytes of memory in use; constant if a sanitizer replaces the allocator.
std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(ManyKernels, SearchesThatNobodyHoldsAreForgotten) {
  SessionOptions options;
  options.tuning.emplace();
  options.tuning->mode = TunerMode::natural_gradient;
  const Session session = *Session::open(NullDevice::make(), std::move(options));
  const Buffer x = *session.buffer(4096);
  const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = x}};
  const auto prepare = [&](int number) {
    const ParsedModule parsed = parse_wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
        "@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  x[id.x] += " +
        std::to_string(number) + "u;\n}\n");
    auto dispatch = session.prepare(*make_kernel(parsed.module->programs.front()), bindings,
                                    DispatchSize::extent({1024, 1, 1}));
    EXPECT_TRUE(dispatch) << describe(dispatch.error());
    return dispatch ? *std::move(dispatch) : Dispatch{};
  };
  const Dispatch held = prepare(0);
  for (int i = 1; i < 1000; ++i) (void)prepare(i);
  const std::size_t before = heap_bytes();
  for (int i = 1000; i < 3000; ++i) (void)prepare(i);
  EXPECT_LT(heap_bytes(), before + (std::size_t{4} << 20));
  // A dispatch that is held still works, and a forgotten kernel is compiled again.
  EXPECT_TRUE(session.run(held));
  EXPECT_TRUE(session.run(prepare(1)));
}

}  // namespace
}  // namespace vyre

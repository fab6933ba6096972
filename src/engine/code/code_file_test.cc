#include <gtest/gtest.h>

#include <string>

#include "vyre/engine/code/code_file_internal.h"

namespace vyre {
namespace {

HostObject some_object() {
  return {.object = {std::byte{1}, std::byte{0}, std::byte{255}},
          .scratch_bytes = 1U << 20U,
          .stack_bytes = 4711};
}

GpuCode some_gpu_code() {
  GpuCode code;
  code.ptx = "text\n";
  code.cubin = {std::byte{7}};
  code.entry = "kernel";
  code.parameters = {{GpuParameterKind::address, 3, {}},
                     {GpuParameterKind::value, 0, {std::byte{1}, std::byte{2}}}};
  code.dynamic_shared_bytes = 48;
  return code;
}

TEST(CodeFile, HostCodeComesBack) {
  const auto code = decode_code(encode_code(some_object()));
  ASSERT_TRUE(code);
  const auto& object = std::get<HostObject>(*code);
  EXPECT_EQ(object.object, some_object().object);
  EXPECT_EQ(object.scratch_bytes, 1U << 20U);
  EXPECT_EQ(object.stack_bytes, 4711U);
}

TEST(CodeFile, GpuCodeComesBack) {
  const auto code = decode_code(encode_code(some_gpu_code()));
  ASSERT_TRUE(code);
  const auto& gpu = std::get<GpuCode>(*code);
  EXPECT_EQ(gpu.ptx, "text\n");
  EXPECT_EQ(gpu.cubin, some_gpu_code().cubin);
  EXPECT_EQ(gpu.entry, "kernel");
  ASSERT_EQ(gpu.parameters.size(), 2U);
  EXPECT_EQ(gpu.parameters[0].kind, GpuParameterKind::address);
  EXPECT_EQ(gpu.parameters[0].slot, 3U);
  EXPECT_EQ(gpu.parameters[1].value, some_gpu_code().parameters[1].value);
  EXPECT_EQ(gpu.dynamic_shared_bytes, 48U);
}

TEST(CodeFile, AnyOtherTextIsNone) {
  EXPECT_FALSE(decode_code(""));
  EXPECT_FALSE(decode_code("vyre-code-5\n"));
  for (const std::string& good : {encode_code(some_object()), encode_code(some_gpu_code())}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      EXPECT_FALSE(decode_code(good.substr(0, i))) << i;
      std::string changed = good;
      changed[i] = static_cast<char>(changed[i] ^ 0x20);
      EXPECT_FALSE(decode_code(changed)) << i;
    }
    EXPECT_FALSE(decode_code(good + "x"));
    EXPECT_FALSE(decode_code("x" + good));
  }
}

}  // namespace
}  // namespace vyre

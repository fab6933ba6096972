#include "vyre/engine/code/code_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/log.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/device/null/null_device.h"
#include "vyre/lower/host_compile.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

Kernel kernel_of(const char* statement) {
  const std::string text =
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
      "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { " +
      std::string(statement) + " }\n";
  return *make_kernel(parse_wgsl(text).module->programs.front());
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return {};
  return {std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()};
}

class CodeStoreTest : public testing::Test {
 protected:
  TemporaryFolder temporary;
  std::filesystem::path folder = temporary.path() / "code";
  std::shared_ptr<Device> device = CpuDevice::make({.threads = 1});
  Kernel kernel = kernel_of("x[id.x] = id.x;");
  Variant variant{.workgroup = kernel.program->workgroup, .gang_width = host_default_gang(kernel)};

  CodeSource source(CodeStore& store, const Kernel& k, const Variant& v, bool wide = false) {
    const auto found = store.find_or_make(k, v, {.wide_offsets = wide});
    EXPECT_TRUE(found) << describe(found.error());
    return found->source;
  }
};

TEST_F(CodeStoreTest, CompilesOnceAndRemembers) {
  CodeStore store(device, std::nullopt);
  const auto first = store.find_or_make(kernel, variant, {});
  const auto second = store.find_or_make(kernel, variant, {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->source, CodeSource::compiled);
  EXPECT_EQ(second->source, CodeSource::memory);
  EXPECT_EQ(first->code, second->code);
}

TEST_F(CodeStoreTest, AnotherStoreFindsItOnDisk) {
  CodeStore one(device, folder), two(device, folder);
  EXPECT_EQ(source(one, kernel, variant), CodeSource::compiled);
  EXPECT_EQ(files_in(folder).size(), 1U);
  EXPECT_EQ(source(two, kernel, variant), CodeSource::disk);
  EXPECT_EQ(source(two, kernel, variant), CodeSource::memory);
}

TEST_F(CodeStoreTest, WhatDecidesTheCodeTellsItApart) {
  CodeStore store(device, folder);
  EXPECT_EQ(source(store, kernel, variant), CodeSource::compiled);
  EXPECT_EQ(source(store, kernel, variant, true), CodeSource::compiled);
  Variant scalar = variant;
  scalar.gang_width = 1;
  EXPECT_EQ(source(store, kernel, scalar), CodeSource::compiled);
  EXPECT_EQ(source(store, kernel_of("x[id.x] = id.x + 1u;"), variant), CodeSource::compiled);
  EXPECT_EQ(files_in(folder).size(), 4U);
  // Another text with the same meaning has the same code.
  EXPECT_EQ(source(store, kernel_of("  x[id.x]=id.x ;"), variant), CodeSource::memory);
}

TEST_F(CodeStoreTest, AFileThatIsDamagedIsReplaced) {
  {
    CodeStore store(device, folder);
    EXPECT_EQ(source(store, kernel, variant), CodeSource::compiled);
  }
  const auto path = files_in(folder).at(0);
  std::string good;
  {
    std::ifstream file(path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (std::string bad : {std::string(), good.substr(0, good.size() / 2), "x" + good,
                          std::string(good).replace(good.size() - 9, 1, "?")}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    CodeStore store(device, folder);
    EXPECT_EQ(source(store, kernel, variant), CodeSource::compiled);
    CodeStore again(device, folder);
    EXPECT_EQ(source(again, kernel, variant), CodeSource::disk);
  }
}

TEST_F(CodeStoreTest, AFolderThatCannotBeMadeIsNotNeeded) {
  const auto blocked = temporary.path() / "file";
  std::ofstream(blocked) << "in the way";
  const LogLevel level = log_level();
  set_log_level(LogLevel::off);
  CodeStore store(device, blocked / "code");
  EXPECT_EQ(source(store, kernel, variant), CodeSource::compiled);
  EXPECT_EQ(source(store, kernel, variant), CodeSource::memory);
  set_log_level(level);
}

TEST_F(CodeStoreTest, ADeadlineThatIsOverIsNotTheFaultOfTheDisk) {
  std::string messages;
  set_log_sink([&](LogLevel, std::string_view message) { messages += message; });
  CodeStore store(device, folder);
  EXPECT_FALSE(
      store.find_or_make(kernel, variant, {}, {.deadline = std::chrono::steady_clock::now()}));
  EXPECT_EQ(source(store, kernel, variant), CodeSource::compiled);
  EXPECT_EQ(files_in(folder).size(), 1U) << "it is kept at once";
  set_log_sink({});
  EXPECT_EQ(messages, "");
}

// The number of mappings of this process, which the system limits.
std::size_t mappings() {
  std::ifstream file("/proc/self/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
}

Kernel numbered(int number) {
  return kernel_of(("x[0] = " + std::to_string(number) + "u;").c_str());
}

TEST_F(CodeStoreTest, ForgetsCodeThatNobodyHolds) {
  CodeStore store(device, std::nullopt, {.count = 8});
  const Kernel kept = numbered(1000);
  EXPECT_EQ(source(store, kept, variant), CodeSource::compiled);
  const std::size_t before = mappings();
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(source(store, numbered(i), variant), CodeSource::compiled);
    EXPECT_EQ(source(store, kept, variant), CodeSource::memory) << "it was used a moment ago";
    EXPECT_LE(store.loaded(), 10U);
  }
  EXPECT_LT(mappings(), before + 40) << "of two for each code";
  EXPECT_EQ(source(store, numbered(0), variant), CodeSource::compiled) << "it was forgotten";
  EXPECT_EQ(source(store, numbered(59), variant), CodeSource::memory);
}

TEST_F(CodeStoreTest, KeepsCodeThatSomebodyHolds) {
  CodeStore store(device, std::nullopt, {.count = 4});
  std::vector<std::shared_ptr<const LoadedCode>> held;
  for (int i = 0; i < 20; ++i) held.push_back(store.find_or_make(numbered(i), variant, {})->code);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto found = store.find_or_make(numbered(static_cast<int>(i)), variant, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, held[i]);
  }
}

TEST_F(CodeStoreTest, CountsTheBytesOfCode) {
  CodeStore store(device, std::nullopt, {.bytes = 1});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(source(store, numbered(i), variant), CodeSource::compiled);
    EXPECT_LE(store.loaded(), 1U);
  }
}

TEST_F(CodeStoreTest, ManyThreadsGetTheSameCode) {
  CodeStore store(device, folder);
  std::vector<std::shared_ptr<const LoadedCode>> codes(6);
  std::vector<std::thread> threads;
  for (auto& code : codes) {
    threads.emplace_back([&] { code = store.find_or_make(kernel, variant, {})->code; });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& code : codes) EXPECT_EQ(code, codes[0]);
}

TEST_F(CodeStoreTest, TheNullDeviceNeedsNoCompiler) {
  CodeStore store(NullDevice::make(), folder);
  EXPECT_EQ(source(store, kernel, variant), CodeSource::compiled);
  EXPECT_TRUE(files_in(folder).empty());
}

}  // namespace
}  // namespace vyre

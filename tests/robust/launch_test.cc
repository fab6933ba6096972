// Launches that are large, endless, many at once; and a code cache that others use or damage.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

Kernel kernel_of(const std::string& text) {
  const auto parsed = parse_wgsl(text, "case.wgsl");
  EXPECT_TRUE(parsed.module.has_value()) << parsed.message();
  if (!parsed.module) return {};
  auto kernel = make_kernel(parsed.module->programs.at(0));
  EXPECT_TRUE(kernel.has_value());
  return kernel ? *std::move(kernel) : Kernel{};
}

Session open(unsigned threads, std::optional<std::filesystem::path> folder = {}) {
  auto session = Session::open("cpu", {.cpu = {.threads = threads}, .code_folder = folder});
  EXPECT_TRUE(session.has_value()) << describe(session.error());
  return *std::move(session);
}

std::vector<std::uint32_t> words_of(const Session& session, const Buffer& buffer,
                                    std::uint64_t offset, std::size_t count) {
  std::vector<std::uint32_t> out(count);
  const auto read = session.read(buffer, offset, std::as_writable_bytes(std::span(out)));
  EXPECT_TRUE(read.has_value());
  return out;
}

Buffer buffer_of(const Session& session, const std::vector<std::uint32_t>& words) {
  auto buffer = session.buffer(words.size() * 4);
  EXPECT_TRUE(buffer.has_value());
  EXPECT_TRUE(session.write(*buffer, 0, std::as_bytes(std::span(words))).has_value());
  return *std::move(buffer);
}

// What the system can still give; 0 when it does not say.
std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu", &kib) == 1) return kib * 1024;
  }
  return 0;
}

TEST(LargeBuffers, AreReachedBeyondTheirFirstFourGigabytes) {
  constexpr std::uint64_t kBytes = (std::uint64_t{9} << 29) + 64;  // 4.5 GiB
  if (free_memory() < kBytes + (std::uint64_t{2} << 30)) {
    GTEST_SKIP() << "needs 6.5 GiB of free memory";
  }
  const Session session = open(1);
  auto large = session.buffer(kBytes);
  if (!large) GTEST_SKIP() << describe(large.error());
  const Kernel kernel = kernel_of(R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@group(0) @binding(3) var<uniform> start: u32;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  x[start + id.x] = id.x + 1u;
  x[at[id.x]] = id.x + 100u;
  seen[id.x] = x[at[id.x]] + x[start + id.x] + select(0u, 7u, arrayLength(&x) == 1207959568u);
})");
  constexpr std::uint32_t kLast = static_cast<std::uint32_t>(kBytes / 4) - 1;
  const std::vector<std::uint32_t> at{0,           1U << 29,    (1U << 29) + 3, 1U << 30,
                                      kLast,       kLast + 1,   0xFFFFFFFFU,    0x20000100U,
                                      0x1FFFFFFFU, 0x3FFFFFFFU, kLast - 1};
  constexpr std::uint32_t kFrom = (1U << 30) + 1000;
  for (const std::uint32_t width : {1U, 8U, 16U}) {
    SCOPED_TRACE(width);
    Buffer where = buffer_of(session, at);
    Buffer seen = buffer_of(session, std::vector<std::uint32_t>(at.size()));
    Buffer from = buffer_of(session, {kFrom});
    const std::vector<Binding> bindings{{0, 0, *large}, {0, 1, where}, {0, 2, seen}, {0, 3, from}};
    Variant v;
    v.workgroup = {8, 1, 1};
    v.gang_width = width;
    const Extent extent{static_cast<std::uint32_t>(at.size()), 1, 1};
    const auto dispatch = session.prepare(kernel, bindings, DispatchSize::extent(extent), v);
    ASSERT_TRUE(dispatch.has_value()) << describe(dispatch.error());
    ASSERT_TRUE(session.run(*dispatch).has_value());
    const auto got = words_of(session, seen, 0, at.size());
    for (std::uint32_t i = 0; i < at.size(); ++i) {
      const bool inside = at[i] <= kLast;
      EXPECT_EQ(got[i], (inside ? i + 100 : 0) + i + 1 + 7) << "index " << at[i];
      if (inside) {
        EXPECT_EQ(words_of(session, *large, std::uint64_t{at[i]} * 4, 1)[0], i + 100);
      }
      EXPECT_EQ(words_of(session, *large, (std::uint64_t{kFrom} + i) * 4, 1)[0], i + 1);
    }
  }
}

// Sparse memory: it costs only the pages that are written.
TEST(LargeBuffers, HoldMoreElementsThanAreCounted) {
  constexpr std::size_t kBytes = (std::size_t{1} << 34U) + 64;  // 2^32 + 16 words
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space for 16 GiB";
  const std::span large(static_cast<std::byte*>(memory), kBytes);
  large[std::size_t{40} * 4] = std::byte{9};
  const Session session = open(1);
  const Kernel kernel = kernel_of(R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = at[id.x];
  seen[id.x] = select(x[i], arrayLength(&x), id.x == 0);
  x[i] += id.x;
})");
  const std::vector<std::uint32_t> at{0, 40, 0xFFFFFFFEU, 0xFFFFFFFFU};
  auto words = session.adopt(large);
  ASSERT_TRUE(words) << describe(words.error());
  Buffer seen = buffer_of(session, std::vector<std::uint32_t>(at.size()));
  const std::vector<Binding> bindings{{0, 0, *words}, {0, 1, buffer_of(session, at)}, {0, 2, seen}};
  const auto dispatch = session.prepare(kernel, bindings, DispatchSize::extent({4, 1, 1}));
  ASSERT_TRUE(dispatch) << describe(dispatch.error());
  ASSERT_TRUE(session.run(*dispatch));
  EXPECT_EQ(words_of(session, seen, 0, 4), (std::vector<std::uint32_t>{0xFFFFFFFF, 9, 0, 0}));
  EXPECT_EQ(large[std::size_t{0xFFFFFFFE} * 4], std::byte{2});
  EXPECT_EQ(large[std::size_t{0xFFFFFFFF} * 4], std::byte{0});
  munmap(memory, kBytes);
}

// ---- Deadlines ----------------------------------------------------------------------------------

constexpr const char* kEndless[] = {
    // Every lane of its own.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>) {
  var n = x[id.x];
  loop {
    n = n * 1664525u + 1013904223u;
    if (n == 0u && x[0] == 77u) { break; }
  }
  x[id.x] = n;
})",
    // A condition that never becomes false, the same for all lanes.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<uniform> u: u32;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>) {
  while (u == 0u) { x[id.x] += 1u; }
})",
    // Waiting for each other in every round.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<uniform> u: u32;
var<workgroup> w: array<u32, 64>;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  while (u == 0u) {
    w[l] += 1u;
    workgroupBarrier();
    x[id.x] = w[63u - l];
    workgroupBarrier();
  }
})",
    // As the compiler sees at once.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>) {
  var n = 0u;
  while (true) { n += 2u; }
  x[id.x] = n;
})",
    // Some lanes end, others do not.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>) {
  for (var i = id.x; i != 7u; i += 3u) { if (id.x % 3u != 1u && x[id.x] == 9u) { continue; } }
  for (var i = 0u; i < 10u; i += x[id.x]) { x[0] = i; }
})",
    // In a function, within a loop that ends, between barriers.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
var<workgroup> w: array<u32, 64>;
fn spin(start: u32) -> u32 {
  var n = start;
  loop {
    n += 2u;
    continuing { break if n == 1u; }
  }
  return n;
}
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  for (var i = 0u; i < 3u; i++) {
    w[l] = spin(x[id.x] * 2u);
    workgroupBarrier();
    x[id.x] = w[63u - l];
    workgroupBarrier();
  }
})",
    // An end that is known, and hours away.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>) {
  var n = x[id.x];
  for (var i = 0u; i < 4000000000u; i++) { n = (n ^ i) * 1664525u; }
  x[id.x] = n;
})",
    // Few rounds of few rounds of few rounds.
    R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn endless(@builtin(global_invocation_id) id: vec3<u32>) {
  var n = x[id.x];
  for (var i = 0u; i < 5000u; i++) {
    for (var j = 0u; j < 5000u; j++) {
      for (var k = 0u; k < 5000u; k++) { n = (n ^ (i + j + k)) * 1664525u; }
    }
  }
  x[id.x] = n;
})",
};

class Deadline : public testing::TestWithParam<std::tuple<std::size_t, unsigned>> {};

TEST_P(Deadline, EndsALoopThatNeverEnds) {
  const auto [which, threads] = GetParam();
  const Session session = open(threads);
  const Kernel endless = kernel_of(kEndless[which]);
  ASSERT_NE(endless.program, nullptr);
  const Kernel after = kernel_of(R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn after(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] = id.x; })");
  constexpr std::uint32_t kCount = 1000;
  Buffer x = buffer_of(session, std::vector<std::uint32_t>(kCount));
  Buffer u = buffer_of(session, {0});
  for (const std::uint32_t width : {1U, 16U}) {
    SCOPED_TRACE(width);
    Variant v;
    v.workgroup = {64, 1, 1};
    v.gang_width = width;
    const std::vector<Binding> bindings{{0, 0, x}, {0, 1, u}};
    const bool both = std::string_view(kEndless[which]).contains("var<uniform>");
    const auto size = DispatchSize::extent({kCount, 1, 1});
    const auto dispatch =
        session.prepare(endless, std::span(bindings).first(both ? 2 : 1), size, v);
    ASSERT_TRUE(dispatch.has_value()) << describe(dispatch.error());
    const auto begin = std::chrono::steady_clock::now();
    const auto ran = session.run(*dispatch, {.deadline = 60ms});
    const auto took = std::chrono::steady_clock::now() - begin;
    ASSERT_FALSE(ran.has_value());
    EXPECT_NE(describe(ran.error()).find("endless"), std::string::npos) << describe(ran.error());
    EXPECT_LT(took, 10s);

    const auto next = session.prepare(after, std::span(bindings).first(1), size, v);
    ASSERT_TRUE(next.has_value()) << describe(next.error());
    ASSERT_TRUE(session.run(*next, {.deadline = 10s}).has_value());
    const auto got = words_of(session, x, 0, kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(got[i], i);
    EXPECT_TRUE(session.clear(x).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, Deadline,
                         testing::Combine(testing::Range(std::size_t{0}, std::size(kEndless)),
                                          testing::Values(1U, 4U)));

// ---- Many at once -------------------------------------------------------------------------------

std::string adding(std::uint32_t n) {
  return fmt::format(R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ x[id.x] += id.x * {}u; }})",
                     n);
}

void add_and_check(const Session& session, std::uint32_t factor, int rounds) {
  const Kernel kernel = kernel_of(adding(factor));
  constexpr std::uint32_t kCount = 777;
  Buffer x = buffer_of(session, std::vector<std::uint32_t>(kCount));
  const std::vector<Binding> bindings{{0, 0, x}};
  for (int i = 0; i < rounds; ++i) {
    const auto dispatch = session.prepare(kernel, bindings, DispatchSize::extent({kCount, 1, 1}));
    ASSERT_TRUE(dispatch.has_value()) << describe(dispatch.error());
    ASSERT_TRUE(session.run(*dispatch, {.deadline = 60s}).has_value());
  }
  const auto got = words_of(session, x, 0, kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(got[i], i * factor * static_cast<std::uint32_t>(rounds));
  }
}

TEST(OneSession, ServesManyThreads) {
  const Session session = open(3);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 8; ++t) {
    // Two threads each ask for the same kernel.
    threads.emplace_back([&, t] { add_and_check(session, t / 2 + 1, 50); });
  }
  for (std::thread& t : threads) t.join();
}

// ---- The code cache -----------------------------------------------------------------------------

struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "vyre-robust-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    for (const auto& e : std::filesystem::recursive_directory_iterator(path)) {
      if (e.is_regular_file()) out.push_back(e.path());
    }
    return out;
  }
  std::filesystem::path path;
};

CodeSource source_of(const Session& session, std::uint32_t factor) {
  const Kernel kernel = kernel_of(adding(factor));
  Buffer x = buffer_of(session, std::vector<std::uint32_t>(10));
  const std::vector<Binding> bindings{{0, 0, x}};
  const auto dispatch = session.prepare(kernel, bindings, DispatchSize::extent({10, 1, 1}));
  EXPECT_TRUE(dispatch.has_value()) << describe(dispatch.error());
  return dispatch ? dispatch->code_source() : CodeSource::memory;
}

TEST(CodeCache, IsSharedByProcesses) {
  const Folder folder;
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    const pid_t child = fork();
    if (child == 0) {
      const Session session = open(1, folder.path);
      for (std::uint32_t factor = 1; factor <= 6; ++factor) add_and_check(session, factor, 2);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Session session = open(1, folder.path);
  for (std::uint32_t factor = 1; factor <= 6; ++factor) {
    EXPECT_EQ(source_of(session, factor), CodeSource::disk);
    add_and_check(session, factor, 2);
  }
}

TEST(CodeCache, ReplacesWhatIsDamaged) {
  const Folder folder;
  add_and_check(open(1, folder.path), 5, 1);
  ASSERT_EQ(source_of(open(1, folder.path), 5), CodeSource::disk);
  const auto damage = [&](const std::function<void(std::string&)>& change) {
    bool any = false;
    for (const auto& path : folder.files()) {
      std::string text;
      {
        std::ifstream in(path, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
      }
      if (text.size() < 100) continue;
      change(text);
      any = true;
      std::filesystem::permissions(path, std::filesystem::perms::owner_all);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    }
    EXPECT_TRUE(any);
    const Session session = open(1, folder.path);
    EXPECT_EQ(source_of(session, 5), CodeSource::compiled);
    add_and_check(session, 5, 1);
    EXPECT_EQ(source_of(open(1, folder.path), 5), CodeSource::disk);
  };
  damage([](std::string& t) { t.clear(); });
  damage([](std::string& t) { t.resize(t.size() / 2); });
  damage([](std::string& t) { t += "more"; });
  damage([](std::string& t) { t[t.size() / 2] = static_cast<char>(t[t.size() / 2] ^ 0x10); });
  damage([](std::string& t) { t[t.size() - 1] = static_cast<char>(t[t.size() - 1] ^ 1); });
  damage([](std::string& t) { t[0] = '?'; });
  damage([](std::string& t) { std::ranges::fill(t, '\xff'); });
}

}  // namespace
}  // namespace vyre

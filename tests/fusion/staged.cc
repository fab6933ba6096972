#include "staged.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/print.h"
#include "vyre/wgsl/module.h"

namespace vyre {

Result<void> run_in_interpreter(const Kernel& kernel, const std::vector<BoundBytes>& bound,
                                const Extent& extent) {
  std::vector<BoundBuffer> buffers;
  for (const BoundBytes& b : bound) buffers.push_back({b.group, b.binding, *b.bytes});
  LaunchShape shape{.extent = extent};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t size = kernel.program->workgroup[axis];
    shape.grid[axis] = (extent[axis] + size - 1) / size;
  }
  InterpretOptions options;
  options.step_budget = 20'000'000;
  VYRE_CHECK(interpret(kernel, buffers, shape, options));
  return {};
}

void Staged::buffer(const std::string& name, Bytes bytes) {
  contents_.push_back(std::move(bytes));
  buffers_.push_back({.name = name, .bytes = contents_.back().size()});
}

void Staged::floats(const std::string& name, std::size_t count) {
  Bytes bytes(count * 4);
  std::uint32_t state = static_cast<std::uint32_t>(std::hash<std::string>()(name)) | 1U;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    const float value = static_cast<float>(static_cast<std::int32_t>(state) / 65536) * 0.37F;
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  buffer(name, std::move(bytes));
}

void Staged::words(const std::string& name, const std::vector<std::uint32_t>& values) {
  Bytes bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  buffer(name, std::move(bytes));
}

void Staged::temporary(const std::string& name, std::size_t bytes) {
  buffer(name, Bytes(bytes));
  buffers_.back().reads_as_zero = true;
  buffers_.back().needed_after = false;
}

void Staged::uniform(const std::string& name, const std::vector<std::uint32_t>& values) {
  words(name, values);
  buffers_.back().contents = contents_.back();
  buffers_.back().needed_after = false;
}

std::size_t Staged::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].name == name) return i;
  }
  ADD_FAILURE() << "no buffer " << name;
  return 0;
}

void Staged::stage(const std::string& wgsl, Extent extent,
                   const std::map<std::string, std::string>& rename) {
  const ParsedModule parsed = parse_wgsl(wgsl, "stage.wgsl");
  const auto kernel = parsed.kernel("");
  ASSERT_TRUE(kernel) << kernel.error().what << "\n" << wgsl;
  stage(*kernel, wgsl, extent, rename);
}

void Staged::stage(const Kernel& kernel, const std::string& text, Extent extent,
                   const std::map<std::string, std::string>& rename) {
  kernels_.push_back(kernel);
  texts_.push_back(text);
  KernelStage& stage = stages_.emplace_back();
  stage.name = fmt::format("{}{}", kernel.program->name, stages_.size());
  stage.kernel = &kernels_.back();
  stage.extent = extent;
  for (const Global& g : kernel.program->globals) {
    if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
    const auto other = rename.find(g.name);
    const std::string& name = other != rename.end() ? other->second : g.name;
    stage.bindings.push_back({g.group, g.binding, index_of(name)});
  }
}

std::expected<FusedKernel, FusionRefusal> Staged::fuse(const FusionLimits& limits) const {
  return fuse_kernels(stages_, buffers_, limits);
}

std::string Staged::describe(const FusionRefusal& refusal) const {
  return vyre::describe(refusal, stages_, buffers_);
}

BufferFate Staged::fate(const FusedKernel& fused, const std::string& name) const {
  return fused.fates[index_of(name)];
}

std::string Staged::text() const {
  std::string out;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const Extent& e = stages_[s].extent;
    out += fmt::format("// extent {},{},{}\n{}\n", e[0], e[1], e[2], texts_[s]);
  }
  for (const FusedBuffer& b : buffers_) {
    out += fmt::format("// {}: {} bytes{}{}\n", b.name, b.bytes,
                       b.reads_as_zero ? ", reads as zero" : "",
                       b.needed_after ? "" : ", not needed after");
  }
  return out;
}

std::string Staged::run_stages(std::vector<Bytes>& contents, const RunKernel& run) const {
  for (const KernelStage& stage : stages_) {
    std::vector<BoundBytes> bound;
    for (const StageBinding& b : stage.bindings) {
      bound.push_back({b.group, b.binding, &contents[b.buffer]});
    }
    if (auto r = run(*stage.kernel, bound, stage.extent); !r) return r.error().what;
  }
  return {};
}

std::string Staged::difference(const std::vector<Bytes>& want,
                               const std::vector<Bytes>& got) const {
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    if (!buffers_[b].needed_after) continue;
    for (std::size_t at = 0; at + 4 <= want[b].size(); at += 4) {
      float x = 0;
      float y = 0;
      std::memcpy(&x, want[b].data() + at, 4);
      std::memcpy(&y, got[b].data() + at, 4);
      if (std::memcmp(&x, &y, 4) == 0 || (std::isnan(x) && std::isnan(y))) continue;
      std::uint32_t bits[2];
      std::memcpy(&bits[0], &x, 4);
      std::memcpy(&bits[1], &y, 4);
      return fmt::format("{} at byte {}: {} ({:#x}) wanted, {} ({:#x}) found\n{}", buffers_[b].name,
                         at, x, bits[0], y, bits[1], text());
    }
  }
  return {};
}

std::string Staged::compare_stages(const RunKernel& run) const {
  std::vector<Bytes> want(contents_.begin(), contents_.end());
  std::vector<Bytes> got = want;
  std::string failed = run_stages(want, run_in_interpreter);
  if (failed.empty()) failed = run_stages(got, run);
  return failed.empty() ? difference(want, got) : failed;
}

std::string Staged::compare(const FusedKernel& fused, const RunKernel& run) const {
  std::vector<Bytes> apart(contents_.begin(), contents_.end());
  std::vector<Bytes> together = apart;
  const std::string failed = run_stages(apart, run_in_interpreter);
  if (!failed.empty()) return failed;
  std::vector<BoundBytes> bound;
  for (std::uint32_t i = 0; i < fused.bindings.size(); ++i) {
    bound.push_back({0, i, &together[fused.bindings[i]]});
  }
  if (auto r = run(fused.kernel, bound, fused.extent); !r) return r.error().what;
  const std::string differs = difference(apart, together);
  return differs.empty() ? "" : differs + "\n" + print(*fused.kernel.program);
}

}  // namespace vyre

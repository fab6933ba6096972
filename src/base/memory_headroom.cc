#include "vyre/base/memory_headroom.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace vyre {
namespace {

// Files of the kernel have no size that could be asked for beforehand.
std::optional<std::string> text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The number behind a word at the start of a line; without a word the first one of the text.
std::optional<std::uint64_t> number_in(std::string_view text, std::string_view word = {}) {
  while (!text.empty()) {
    if (text.starts_with(word)) {
      text.remove_prefix(word.size());
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc()) return std::nullopt;
      return value;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return std::nullopt;
}

void take(MemoryHeadroom& least, const char* name, std::uint64_t most, std::uint64_t used) {
  const std::uint64_t left = most > used ? most - used : 0;
  if (left < least.bytes) least = {left, name};
}

void take_resource_limits(MemoryHeadroom& least) {
  rlimit space{}, data{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0) return;
  if (space.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return;
  const auto status = text_of("/proc/self/status");
  if (!status) return;
  if (const auto kib = number_in(*status, "VmSize:"); kib && space.rlim_cur != RLIM_INFINITY) {
    take(least, "RLIMIT_AS", space.rlim_cur, *kib * 1024);
  }
  if (const auto kib = number_in(*status, "VmData:"); kib && data.rlim_cur != RLIM_INFINITY) {
    take(least, "RLIMIT_DATA", data.rlim_cur, *kib * 1024);
  }
}

void take_control_groups(MemoryHeadroom& least) {
  const auto groups = text_of("/proc/self/cgroup");
  if (!groups || !groups->starts_with("0::/")) return;
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::filesystem::path below = groups->substr(4, groups->find('\n') - 4);
  while (true) {
    const std::filesystem::path folder = root / below;
    const auto most = text_of(folder / "memory.max");
    const auto used = text_of(folder / "memory.current");
    const auto kinds = text_of(folder / "memory.stat");
    if (most && used && kinds && number_in(*most) && number_in(*used)) {
      const std::uint64_t files = number_in(*kinds, "file ").value_or(0);
      const std::uint64_t all = *number_in(*used);
      take(least, "the control group's memory.max", *number_in(*most), all - std::min(all, files));
    }
    if (below.empty()) return;
    below = below.parent_path();
  }
}

}  // namespace

MemoryHeadroom memory_headroom() {
  MemoryHeadroom least;
  take_resource_limits(least);
  take_control_groups(least);
  return least;
}

}  // namespace vyre

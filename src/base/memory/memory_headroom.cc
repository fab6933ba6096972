#include "vyre/base/memory/memory_headroom.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "vyre/base/files/file_handle.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// The number behind a word that begins a line; without a word, the number that begins the text.
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

void take(MemoryHeadroom& least, std::string name, std::uint64_t most, std::uint64_t used) {
  const std::uint64_t left = most > used ? most - used : 0;
  if (left < least.bytes) least = {left, std::move(name)};
}

void take_resource_limits(MemoryHeadroom& least, const fs::path& system) {
  rlimit space{}, data{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0) return;
  if (space.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return;
  const std::string status = system_text(system / "proc/self/status");
  if (const auto kib = number_in(status, "VmSize:"); kib && space.rlim_cur != RLIM_INFINITY) {
    take(least, "RLIMIT_AS", space.rlim_cur, *kib * 1024);
  }
  if (const auto kib = number_in(status, "VmData:"); kib && data.rlim_cur != RLIM_INFINITY) {
    take(least, "RLIMIT_DATA", data.rlim_cur, *kib * 1024);
  }
}

// The names of one version's files. Pages of files count as free: the kernel gives them up first.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* idle_pages;
  const char* recent_pages;
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file ", "total_active_file "};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file ", "active_file "};

// Every group limits those below it. A container may see its own group as the root alone.
void take_control_group(MemoryHeadroom& least, const fs::path& root, fs::path below,
                        const GroupFiles& files) {
  while (true) {
    const fs::path folder = root / below;
    const auto most = number_in(system_text(folder / files.limit));
    const auto used = number_in(system_text(folder / files.used));
    if (most && used) {
      const std::string kinds = system_text(folder / "memory.stat");
      const std::uint64_t of_files = number_in(kinds, files.idle_pages).value_or(0) +
                                     number_in(kinds, files.recent_pages).value_or(0);
      take(least, fmt::format("the control group's {}", files.limit), *most,
           *used - std::min(*used, of_files));
    }
    if (below.empty()) return;
    below = below.parent_path();
  }
}

// Lines such as "0::/a/b" (version 2) and "4:cpu,memory:/a/b" (version 1).
void take_control_groups(MemoryHeadroom& least, const fs::path& system) {
  const std::string text = system_text(system / "proc/self/cgroup");
  for (const auto part : std::views::split(text, '\n')) {
    const std::string line(part.begin(), part.end());
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos || second + 1 >= line.size()) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path below = line.substr(second + 2);
    if (controllers == ",,") {
      take_control_group(least, system / "sys/fs/cgroup", below, kVersion2);
      take_control_group(least, system / "sys/fs/cgroup/unified", below, kVersion2);
    } else if (controllers.contains(",memory,")) {
      take_control_group(least, system / "sys/fs/cgroup/memory", below, kVersion1);
    }
  }
}

void take_machine(MemoryHeadroom& least, const fs::path& system) {
  const std::string kinds = system_text(system / "proc/meminfo");
  if (const auto kib = number_in(kinds, "MemAvailable:")) {
    const std::uint64_t swap_kib = number_in(kinds, "SwapFree:").value_or(0);
    take(least, "the machine's memory", (*kib + swap_kib) * 1024, 0);
  }
}

}  // namespace

MemoryHeadroom memory_headroom(const fs::path& system) {
  MemoryHeadroom least;
  take_resource_limits(least, system);
  take_control_groups(least, system);
  take_machine(least, system);
  return least;
}

}  // namespace vyre

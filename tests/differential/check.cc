#include "check.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "generator.h"
#include "support/random.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr std::uint64_t kStepBudget = 3'000'000;

struct Sizes {
  Extent extent{1, 1, 1};
  std::uint32_t elements = 1;
};

Sizes sizes_of(const std::string& text) {
  Sizes out;
  std::sscanf(text.c_str(), "// size: %u,%u,%u\n// elements: %u", &out.extent[0], &out.extent[1],
              &out.extent[2], &out.elements);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return out;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& l : lines) out += l + "\n";
  return out;
}

// One past the line that closes the block opened at `first`.
std::size_t block_end(const std::vector<std::string>& lines, std::size_t first) {
  int depth = 0;
  for (std::size_t i = first; i < lines.size(); ++i) {
    for (char c : lines[i]) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth <= 0) return i + 1;
  }
  return lines.size();
}

// Exit status of the check in another process: 0 the program is fine or invalid, else it fails.
bool fails(const std::string& device, const Subject& subject, unsigned variants) {
  const pid_t child = fork();
  if (child == 0) {
    const auto runner = Runner::open(device, 1);
    const bool bad = runner && check(*runner, subject, variants).verdict == CheckVerdict::differs;
    _exit(bad ? 1 : 0);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

}  // namespace

namespace {

CheckOutcome check_one(const Runner& runner, const Subject& subject, unsigned variants) {
  CheckOutcome out;
  const auto parsed = parse_wgsl(subject.text, "generated.wgsl");
  if (!parsed.module || parsed.module->programs.empty()) {
    return {CheckVerdict::rejected, parsed.message(), 0};
  }
  auto kernel = make_kernel(parsed.module->programs[0]);
  if (!kernel) return {CheckVerdict::rejected, describe(kernel.error()), 0};
  const auto sizes = sizes_of(subject.text);
  const Program& p = *kernel->program;
  const Data before = random_data(p, sizes.elements, subject.data_seed);
  const auto want = run_interpreter(*kernel, before, sizes.extent, kStepBudget);
  if (!want) return {CheckVerdict::too_long, describe(want.error()), 0};

  auto all = all_variants(runner, *kernel);
  Random random(subject.data_seed + 1);
  if (variants != 0 && random.below(4) != 0) {  // many items make much code: not every time
    std::erase_if(all, [](const Variant& v) { return v.items_per_lane >= 8; });
  }
  while (variants != 0 && all.size() > variants) {
    all.erase(all.begin() + random.below(all.size()));
  }
  for (const Variant& v : all) {
    Data got = before;
    ++out.variants;
    const auto ran = runner.run(*kernel, got, sizes.extent, v);
    std::string difference;
    if (!ran) {
      difference = describe(ran.error());
    } else {
      difference = first_difference(p, want->data, got);
    }
    if (!difference.empty()) {
      out.verdict = CheckVerdict::differs;
      out.message = fmt::format("{} {}: {}", runner.device(), to_string(v), difference);
      return out;
    }
  }
  return out;
}

}  // namespace

CheckOutcome check(const Runner& runner, const Subject& subject, unsigned variants) {
  CheckOutcome out = check_one(runner, subject, variants);
  auto lines = lines_of(subject.text);
  const auto left_out =
      std::erase_if(lines, [](const std::string& l) { return l.ends_with(kNotInTheTwin); });
  if (left_out == 0 || out.verdict != CheckVerdict::same) return out;
  CheckOutcome twin = check_one(runner, {joined_lines(lines), subject.data_seed}, variants);
  twin.variants += out.variants;
  return twin;
}

std::string shrink(const std::string& device, const Subject& subject, unsigned variants,
                   unsigned attempts) {
  auto lines = lines_of(subject.text);
  const auto attempt = [&](const std::vector<std::string>& candidate) {
    if (attempts == 0) return false;
    --attempts;
    if (!fails(device, {joined_lines(candidate), subject.data_seed}, variants)) return false;
    lines = candidate;
    return true;
  };
  bool again = true;
  while (again && attempts != 0) {
    again = false;
    for (std::size_t i = lines.size(); i-- > 2;) {
      if (i >= lines.size()) continue;
      const std::string& l = lines[i];
      const bool opens = !l.empty() && l.back() == '{';
      // Without its barrier a program may race.
      if (!opens && l.find("Barrier") != std::string::npos) continue;
      const auto end = opens ? block_end(lines, i) : i + 1;
      auto shorter = lines;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i),
                    shorter.begin() + static_cast<std::ptrdiff_t>(end));
      if (attempt(shorter)) {
        again = true;
        continue;
      }
      if (!opens || end - i < 3) continue;
      auto unwrapped = lines;  // the block's statements without the block
      unwrapped.erase(unwrapped.begin() + static_cast<std::ptrdiff_t>(end - 1));
      unwrapped.erase(unwrapped.begin() + static_cast<std::ptrdiff_t>(i));
      if (attempt(unwrapped)) again = true;
    }
  }
  return joined_lines(lines);
}

}  // namespace vyre

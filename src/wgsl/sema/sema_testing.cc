#include "vyre/wgsl/sema/sema_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/print.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr std::string_view kHead = "@compute @workgroup_size(1)\nfn main() {\n";

std::string with_body(std::string_view body, std::string_view module) {
  return fmt::format("{}{}\n}}\n{}", kHead, body, module);
}

// Lines above the text of interest, and bytes before it on its first line.
struct Offset {
  std::uint32_t lines = 0;
  std::uint32_t columns = 0;
};

std::string errors_of(std::string_view module, Offset offset) {
  const ParsedModule parsed = parse_wgsl(std::string(module), "test.wgsl");
  std::multimap<std::uint32_t, Diagnostic> all;  // keeps the order of equal keys
  for (const Diagnostic& d : parsed.diagnostics.all()) all.emplace(d.span.begin, d);
  std::string out;
  for (const auto& [begin, d] : all) {
    const LineColumn at = parsed.source->position(begin);
    out += fmt::format("{}:{}: {}{}", at.line - offset.lines, at.column - offset.columns,
                       d.severity == Severity::warning ? "warning: " : "", d.message);
    if (!d.fix.empty()) out += fmt::format(" [{}]", d.fix);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string program_text(std::string_view module) {
  const ParsedModule parsed = parse_wgsl(std::string(module), "test.wgsl");
  if (!parsed.module) return parsed.message();
  if (parsed.module->programs.size() != 1) return "not one program";
  return print(parsed.module->programs[0]);
}

std::string body_text(std::string_view body, std::string_view module) {
  const std::string text = program_text(with_body(body, module));
  constexpr std::string_view kEntry = "entry fn main() {\n";
  const auto start = text.find(kEntry);
  if (start == std::string::npos) return text;
  std::string out;
  std::string_view rest = std::string_view(text).substr(start + kEntry.size());
  while (rest.starts_with("  ")) {
    const auto end = rest.find('\n');
    out += rest.substr(2, end - 1);
    rest = rest.substr(end + 1);
  }
  return out;
}

std::string error_text(std::string_view module) { return errors_of(module, {}); }

std::string body_errors(std::string_view body, std::string_view module) {
  const auto lines = static_cast<std::uint32_t>(std::ranges::count(kHead, '\n'));
  return errors_of(with_body(body, module), {.lines = lines});
}

std::string constant_errors(std::string_view expression) {
  constexpr std::string_view kBefore = "const x = ";
  return errors_of(fmt::format("{}{};\n", kBefore, expression),
                   {.columns = static_cast<std::uint32_t>(kBefore.size())});
}

std::vector<std::uint32_t> run_module(std::string_view module, std::size_t count,
                                      std::vector<OverrideValue> overrides) {
  std::vector<std::uint32_t> out(count);
  const ParsedModule parsed = parse_wgsl(std::string(module), "test.wgsl");
  if (!parsed.module) {
    ADD_FAILURE() << parsed.message();
    return out;
  }
  const Program* program = parsed.module->find("main");
  if (program == nullptr) {
    ADD_FAILURE() << "no entry point 'main'";
    return out;
  }
  const Result<Kernel> kernel = make_kernel(*program, overrides);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().what;
    return out;
  }
  const BoundBuffer buffer{.bytes = std::as_writable_bytes(std::span(out))};
  InterpretOptions options;
  options.step_budget = 1'000'000;
  const auto report = interpret(*kernel, {&buffer, 1}, LaunchShape{}, options);
  if (!report) ADD_FAILURE() << report.error().what;
  return out;
}

std::vector<std::uint32_t> run_body(std::string_view body, std::size_t count,
                                    std::string_view module, std::string_view element) {
  return run_module(fmt::format("@group(0) @binding(0) var<storage, read_write> out: array<{}>;\n"
                                "{}\n{}",
                                element, module, with_body(body, "")),
                    count);
}

std::vector<std::int32_t> run_body_i32(std::string_view body, std::size_t count,
                                       std::string_view module) {
  std::vector<std::int32_t> out;
  for (const std::uint32_t word : run_body(body, count, module, "i32")) {
    out.push_back(static_cast<std::int32_t>(word));
  }
  return out;
}

std::vector<float> run_body_f32(std::string_view body, std::size_t count, std::string_view module) {
  std::vector<float> out;
  for (const std::uint32_t word : run_body(body, count, module, "f32")) {
    out.push_back(std::bit_cast<float>(word));
  }
  return out;
}

}  // namespace vyre

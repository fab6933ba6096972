// WGSL text to programs. This is the only header of `wgsl` that other rooms need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/program.h"
#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/source.h"

namespace vyre {

struct ModuleOverride {
  std::string name;
  std::optional<std::uint16_t> id;  // @id

  // Whether an OverrideValue with that name refers to this override.
  bool is_called(std::string_view name_or_id) const;
};

// An entry point that is valid but that vyre does not run: a vertex or fragment shader, or a
// compute shader with textures.
struct NotRun {
  std::string entry;
  std::string why;  // the whole message: "'shade' uses the texture_2d<f32> 'image', ..."
};

// A function of the text, whether or not an entry point uses it.
struct ModuleFunction {
  std::string name;
  FunctionId id{};  // in Module::library
  bool entry = false;
  std::string not_run;  // what it uses that vyre checks and does not run; empty: nothing
};

// A valid module: one valid Program for each @compute entry point that vyre runs, in the order of
// the text. A program holds only the variables, functions and overrides that its entry point uses.
// Its overrides are not set yet.
struct Module {
  std::vector<Program> programs;  // Program::name is the entry point's name
  // All overrides of the text, including those that no entry point uses.
  std::vector<ModuleOverride> overrides;
  std::vector<NotRun> not_run;
  // All functions of the text, and the program that holds them with everything that they use. It
  // has no entry point: ProgramCopy takes functions from it. Both are empty unless
  // ParseOptions::functions asks for them.
  std::vector<ModuleFunction> functions;
  std::shared_ptr<const Program> library;

  // The program of that entry point; null if there is none.
  const Program* find(std::string_view entry) const;
  // Why vyre does not run the entry point; empty if it does, or if there is none.
  std::string_view why_not_run(std::string_view entry) const;
  // The function of that name; null if there is none, or if nobody asked for functions.
  const ModuleFunction* find_function(std::string_view name) const;
};

struct ParsedModule {
  std::shared_ptr<const Source> source;
  std::optional<Module> module;  // absent if and only if there are errors
  Diagnostics diagnostics;       // errors and warnings; only warnings if there is a module

  // The kernel of an entry point. An empty name means the only entry point of the module. The error
  // is message() if the text is wrong; for an unknown name it lists the entry points.
  Result<Kernel> kernel(std::string_view entry,
                        std::span<const OverrideValue> overrides = {}) const;

  // All diagnostics with their source lines; empty if there are none.
  std::string message() const;
};

struct ParseOptions {
  // Accept what wgpu's front end accepts beyond the specification, with a warning for each use:
  // extensions that are used and not enabled, plain loads and stores of atomics, operators mixed
  // without parentheses, and subgroup operations outside of uniform control flow.
  bool lenient = false;
  // Keep all functions (Module::library), for programs that are made of functions alone.
  bool functions = false;
};

// Every failure is a diagnostic. Messages print `file_name` before the line; it also becomes
// Program::source_name.
ParsedModule parse_wgsl(std::string text, std::string file_name = {}, ParseOptions options = {});

}  // namespace vyre

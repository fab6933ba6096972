// The door of this room: WGSL text to programs.
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

  // Whether an OverrideValue of that name means it.
  bool is_called(std::string_view name_or_id) const;
};

// An entry point that passed every check and that vyre does not run: a vertex or fragment shader,
// or a compute shader with textures.
struct NotRun {
  std::string entry;
  std::string why;  // "'shade' uses the texture_2d<f32> 'image', ..." as a whole message
};

// A module that passed every check: one valid Program for each @compute entry point that vyre runs,
// in the order of the text. A program holds only what its entry point reaches: the variables it
// mentions, the functions it may call, the overrides it depends on. It is not specialised yet.
struct Module {
  std::vector<Program> programs;  // Program::name is the entry point's name
  // All of the text, also those that no entry point uses.
  std::vector<ModuleOverride> overrides;
  std::vector<NotRun> not_run;

  // The program of that entry point; null when there is none.
  const Program* find(std::string_view entry) const;
  // Why the entry point is not run; empty for all others.
  std::string_view why_not_run(std::string_view entry) const;
};

struct ParsedModule {
  std::shared_ptr<const Source> source;
  std::optional<Module> module;  // absent exactly when there are errors
  Diagnostics diagnostics;       // errors, or at most warnings when there is a module

  // The kernel of an entry point; an empty name is the only one there is. Fails with the message
  // below when the text is wrong, and names the entry points when this is none of them.
  Result<Kernel> kernel(std::string_view entry,
                        std::span<const OverrideValue> overrides = {}) const;

  // All diagnostics with their source lines; empty when there are none.
  std::string message() const;
};

struct ParseOptions {
  // Accepts what wgpu's front end accepts beyond the specification, each with a warning: extensions
  // that are used and not enabled, plain loads and stores of atomics, and operators mixed without
  // parentheses.
  bool lenient = false;
};

// Never fails otherwise than by diagnostics. `file_name` is what messages print before the line;
// it also becomes Program::source_name.
ParsedModule parse_wgsl(std::string text, std::string file_name = {}, ParseOptions options = {});

}  // namespace vyre

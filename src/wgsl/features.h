// What a module uses of WGSL, as data; `vyre check --features` prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/wgsl/module.h"
#include "vyre/wgsl/source.h"

namespace vyre {

// Builtin functions of one of the specification's groups: "atomic", "numeric", ...
struct BuiltinGroup {
  std::string name;
  std::vector<std::string> functions;
};

struct BindingUse {
  std::uint32_t group = 0, binding = 0;
  std::string name;
  std::string space;  // "storage, read", "storage, read_write", "uniform"; "handle" for textures
  std::string type;
};

// One entry point with everything that it calls.
struct EntryFeatures {
  std::string name;
  std::string stage;                    // "compute", "vertex" or "fragment"
  std::vector<std::string> extensions;  // those in use that need `enable`
  std::vector<BuiltinGroup> builtins;
  std::vector<BindingUse> bindings;
  // Absent while a size depends on an override.
  std::optional<std::uint64_t> workgroup_bytes;
};

struct ModuleFeatures {
  std::vector<std::string> enabled, required;  // the directives, as written
  std::vector<std::string> extensions;         // those in use that need `enable`
  std::vector<std::string> language_features;  // those in use that `requires` can name
  std::vector<EntryFeatures> entries;          // of all stages, in the order of the text
};

// The features that a text uses; absent if it has errors. This parses and checks the text anew.
std::optional<ModuleFeatures> wgsl_features(const Source& source, ParseOptions options = {});

}  // namespace vyre

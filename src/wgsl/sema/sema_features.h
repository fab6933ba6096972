// Notes what a module uses of WGSL, and collects it.
#pragma once

#include <string_view>

#include "vyre/wgsl/features.h"
#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Notes that the module, and the function being checked, uses the builtin function.
void note_builtin(Context& cx, std::string_view name);
// The same for an extension or a language feature, by its name in `enable` or `requires`.
void note_feature(Context& cx, std::string_view name);
// Notes the language feature uniform_buffer_standard_layout if uniform memory of that type needs
// it.
void note_uniform_layout(Context& cx, TypeId type);

ModuleFeatures module_features(const Context& cx);
// `program` is what was extracted for the entry point.
EntryFeatures entry_features(const Context& cx, const EntryPoint& entry, const Program& program);

}  // namespace vyre::sema

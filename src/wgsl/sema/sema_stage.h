// Shader stages: features that only some stages have, features that vyre checks and does not run,
// and the inputs and outputs of vertex and fragment shaders.
#pragma once

#include <span>
#include <string_view>

#include "vyre/wgsl/sema/sema_expr.h"

namespace vyre::sema {

std::string_view stage_name(Stages stage);  // of one stage: "compute"

// Notes that the function being checked uses `what`, which only these stages have.
void need_stage(Context& cx, Stages stages, std::string_view what, Span span);
// Notes that it uses a feature that vyre does not run.
void not_run(Context& cx, std::string_view what);
// Notes that the function being checked calls another one.
void call_needs(Context& cx, const FunctionInfo& callee);
// Reports features that the entry point or its callees use and its stage does not have.
void check_needs(Context& cx, const FunctionInfo& entry, Stages stage);

// A builtin function that is checked and not run: for uniformity it is a call like any other.
struct Outside {
  std::string_view name;
  TypeId result{};
  bool varies = false;      // the result may differ between invocations even for equal arguments
  bool derivative = false;  // fragment shaders only, in uniform control flow
};
Value call_outside(Context& cx, const Outside& function, Arguments& arguments, Span span);

// ---- Inputs and outputs

enum class Direction : std::uint8_t {
  compute_in,
  vertex_in,
  vertex_out,
  fragment_in,
  fragment_out
};

struct StageBuiltin {
  std::string_view name;
  std::uint8_t directions;  // one bit each
  char type;                // u u32, f f32, b bool, 3 vec3<u32>, 4 vec4<f32>, c array of f32
  std::string_view extension = {};  // the extension that must be enabled
};
// The builtin value that @builtin names, if it is allowed in this direction; otherwise reported and
// null.
const StageBuiltin* find_builtin(Context& cx, const ast::Attribute& attribute,
                                 std::optional<Direction> direction);
TypeId type_of(Context& cx, const StageBuiltin& builtin);

// @builtin, @location, @interpolate and @invariant of a struct member, parameter or result.
void check_io_attributes(Context& cx, ast::AttributeList list, TypeId type, Span span);
// @location and @blend_src of the members of a struct.
bool check_locations(Context& cx, const ast::Struct& structure, std::span<const Member> members);
// The header of a vertex or fragment shader: declares its parameters, sets its result.
bool check_graphics_entry(Context& cx, const ast::Function& function, Stages stage,
                          FunctionInfo& info);

}  // namespace vyre::sema

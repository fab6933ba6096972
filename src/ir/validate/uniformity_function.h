// Uniformity within one function, given the facts of the functions that it calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vyre/ir/validate/validate.h"

namespace vyre {

// The cause of a requirement: a barrier, load or call.
struct UniformityNeed {
  std::string what;  // "workgroupBarrier"
  SourcePos pos;
  bool warning = false;  // violating it is only a warning
};

// The facts of a function that its callers need.
struct UniformityFacts {
  struct Parameter {
    // The parameter must be uniform: its value, or (pointers) the memory it points to.
    bool value_required = false, contents_required = false;
    UniformityNeed need;
    // The result is uniform only if the parameter is.
    bool value_in_result = false, contents_in_result = false;
    // Pointers: the memory after the call may not be uniform, whatever the arguments; and the
    // parameters that it depends on.
    bool contents_vary = false;
    std::vector<std::size_t> values_in_contents, contents_in_contents;
  };
  bool call_required = false;  // calls must be in uniform control flow
  UniformityNeed call_need;
  bool result_varies = false;
  bool is_builtin = false;  // the function has no body; requirements are about the call itself
  std::vector<Parameter> parameters;
};

// The invocations among which control flow and values are uniform.
enum class UniformityScope : std::uint8_t {
  workgroup,
  subgroup,
  // The workgroup, for subgroup operations too: the rule without WGSL's subgroup_uniformity.
  workgroup_for_all,
};

// `known` holds the facts of all functions before this one.
UniformityFacts analyse_uniformity(const Program& program, FunctionId id, UniformityScope scope,
                                   const std::vector<UniformityFacts>& known,
                                   std::vector<ProgramIssue>& issues);

}  // namespace vyre

// Uniformity within one function, by what is known of the functions it calls.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/validate.h"

namespace vyre {

// What a requirement comes down to: the barrier, load or call that has it.
struct UniformityNeed {
  std::string what;  // "workgroupBarrier"
  SourcePos pos;
  bool warning = false;  // not fulfilling it is no error
};

// What callers have to know of a function.
struct UniformityFacts {
  struct Parameter {
    // The parameter must be uniform: its value, or (pointers) the memory it points to.
    bool value_required = false, contents_required = false;
    UniformityNeed need;
    // The result is only uniform when the parameter is.
    bool value_in_result = false, contents_in_result = false;
    // Pointers: the memory after the call may not be uniform, whatever the arguments; and the
    // parameters that it depends on.
    bool contents_vary = false;
    std::vector<std::size_t> values_in_contents, contents_in_contents;
  };
  bool call_required = false;  // calls must be in uniform control flow
  UniformityNeed call_need;
  bool result_varies = false;
  std::vector<Parameter> parameters;
};

// `known` holds the facts of all functions before this one.
UniformityFacts analyse_uniformity(const Program& program, FunctionId id,
                                   const std::vector<UniformityFacts>& known,
                                   std::vector<ProgramIssue>& issues);

}  // namespace vyre

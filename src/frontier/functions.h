// The functions of a graph program, found by name and with their signatures checked.
#pragma once

#include <optional>
#include <span>

#include "vyre/base/error.h"
#include "vyre/frontier/frontier.h"
#include "vyre/ir/program.h"

namespace vyre {

// What a graph program consists of: one valid program without overrides, whose entry does nothing,
// and the ids of the functions in it.
struct FrontierFunctions {
  Program library;
  std::optional<FunctionId> init, start, visit, wants, waits, after, gather, apply;
  TypeId sum{};               // of gather and apply, in the library
  bool gather_round = false;  // gather takes the round as well
  bool visit_edge = false;    // visit, or gather, reads its edge's index
  bool visit_checks = false;  // visit loads every variable that `wants` loads
  std::uint32_t group = 0;    // a group of bindings that the program does not use
  std::vector<FunctionId> all() const;
  // Whether vertices may look at their incoming edges. With `waits` they may not: a vertex could
  // not tell from the bits which of its sources wait.
  bool pulls() const { return wants && !waits; }
};

// A function that may become part of a graph program, with its name.
struct NamedFunction {
  std::string_view name;
  FunctionId id{};
};

// Copies the functions with everything they use, sets the overrides, and checks the signatures and
// what each function accesses. Messages begin with the name of the file.
Result<FrontierFunctions> find_functions(const Program& from,
                                         std::span<const NamedFunction> functions,
                                         const FrontierNames& names,
                                         std::span<const OverrideValue> overrides);

}  // namespace vyre

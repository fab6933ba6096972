// Instructions per call, counted by callgrind.
#pragma once

#include <cstdint>
#include <span>

#include "cases.h"

namespace vyre {

// Prints name, ceiling and count of every case with a ceiling, and returns how many are above it.
// Each is counted by this program itself, run under valgrind; without valgrind it says so.
int print_instruction_table(std::span<const DecisionCase> cases, const char* program);

// What valgrind runs: the calls of one case, inside the function that is counted.
int run_counted(const DecisionCase& decision, std::uint64_t calls);

}  // namespace vyre

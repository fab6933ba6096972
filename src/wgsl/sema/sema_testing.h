// Modules as text in, programs, errors and results as text out, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/ir/specialise.h"

namespace vyre {

// The program of the only entry point, printed; the errors where there are some.
std::string program_text(std::string_view module);
// The statements of `main` with this body, printed, without the function around them. `module`
// holds further declarations.
std::string body_text(std::string_view body, std::string_view module = {});

// "line:column: message" for each error and warning, one a line, in the order of the text; with
// " [fix]" behind it where there is a fix. Empty when all is well.
std::string error_text(std::string_view module);
// The same for the statements of a function; lines and columns count within the body.
std::string body_errors(std::string_view body, std::string_view module = {});
// The same for `const x = <expression>;`, columns within the expression.
std::string constant_errors(std::string_view expression);

// Runs `main` over one workgroup and gives what it left in
//   @group(0) @binding(0) var<storage, read_write> out: array<T>;
// of `count` words. The module declares `out`.
std::vector<std::uint32_t> run_module(std::string_view module, std::size_t count,
                                      std::vector<OverrideValue> overrides = {});
// The same for a body of main with one invocation, where `out` is array<u32> (or of the type
// given).
std::vector<std::uint32_t> run_body(std::string_view body, std::size_t count,
                                    std::string_view module = {}, std::string_view element = "u32");
std::vector<std::int32_t> run_body_i32(std::string_view body, std::size_t count,
                                       std::string_view module = {});
std::vector<float> run_body_f32(std::string_view body, std::size_t count,
                                std::string_view module = {});

}  // namespace vyre

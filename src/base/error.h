// Errors that a user can cause are values: Result<T> is either a T or an Error. Broken invariants
// of vyre itself assert instead.
#pragma once

#include <cstdint>
#include <expected>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace vyre {

enum class Code : std::uint8_t {
  invalid_input,  // text, a file's content, a value or an option is wrong
  limit,          // well-formed, but beyond a limit of a device or a format
  io,             // the operating system refused to read or write
  unavailable,    // a device, a driver or a feature is missing
  out_of_memory,  // host or device memory is exhausted
  device,         // a launch failed, or passed its deadline
  internal,       // a bug in vyre, reported instead of ending the host program
};

std::string_view to_string(Code code);

struct Error {
  Code code = Code::internal;
  std::string what;  // what happened, with the values involved
  std::string fix;   // what the reader can do about it; may be empty
  std::source_location where = std::source_location::current();
};

// One line for people: "what", followed by the fix if there is one.
std::string describe(const Error& error);

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string what, std::string fix = {},
                                   std::source_location where = std::source_location::current()) {
  return std::unexpected(Error{code, std::move(what), std::move(fix), where});
}

}  // namespace vyre

#define VYRE_JOIN_(a, b) a##b
#define VYRE_JOIN(a, b) VYRE_JOIN_(a, b)
#define VYRE_TRY_(holder, target, expression)                     \
  auto holder = (expression);                                     \
  if (!holder) return std::unexpected(std::move(holder).error()); \
  target = *std::move(holder)

// VYRE_TRY(auto text, read_file(path)); returns the error to the caller, or binds the value.
#define VYRE_TRY(target, expression) VYRE_TRY_(VYRE_JOIN(vyre_try_, __LINE__), target, expression)
// The same for a Result<void>.
#define VYRE_CHECK(expression)                                \
  do {                                                        \
    if (auto vyre_check_ = (expression); !vyre_check_)        \
      return std::unexpected(std::move(vyre_check_).error()); \
  } while (false)

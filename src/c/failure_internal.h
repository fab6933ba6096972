// How a call of the C ABI fails: a code and a text, kept for the thread that called.
#pragma once

#include <cxxabi.h>

#include <cstdint>
#include <exception>
#include <expected>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "vyre/base/error.h"
#include "vyre/c.h"

namespace vyre {

struct Failure {
  Failure(vyre_code its_code, std::string its_text) : code(its_code), text(std::move(its_text)) {}
  // What rooms below report; implicit, so that VYRE_TRY hands it on.
  Failure(const Error& error);  // NOLINT(google-explicit-constructor)

  vyre_code code;
  std::string text;
};

template <class T = void>
using Outcome = std::expected<T, Failure>;

inline std::unexpected<Failure> failure(vyre_code code, std::string text) {
  return std::unexpected(Failure{code, std::move(text)});
}

// Makes it this thread's last error, and gives back the code. Without memory for the text the code
// stays, with a text that says so.
vyre_code remember(vyre_code code, std::string_view text) noexcept;

// Runs the body of one call. No exception leaves, but that of a thread that is being cancelled.
template <class Body>
vyre_code guarded(const Body& body) {
  try {
    const Outcome<> outcome = body();
    if (outcome) [[likely]] {
      return VYRE_OK;
    }
    return remember(outcome.error().code, outcome.error().text);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return remember(VYRE_OUT_OF_MEMORY, "no memory left on the host");
  } catch (const std::exception& e) {
    return remember(VYRE_INTERNAL, e.what());
  } catch (...) {
    return remember(VYRE_INTERNAL, "an unknown exception");
  }
}

}  // namespace vyre

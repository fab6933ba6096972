#include "vyre/base/version.h"
#include "vyre/c/failure_internal.h"

namespace vyre {
namespace {

vyre_code code_of(Code code) {
  switch (code) {
    case Code::invalid_input: return VYRE_INVALID_INPUT;
    case Code::limit: return VYRE_LIMIT;
    case Code::io: return VYRE_IO;
    case Code::unavailable: return VYRE_UNAVAILABLE;
    case Code::out_of_memory: return VYRE_OUT_OF_MEMORY;
    case Code::device: return VYRE_DEVICE;
    case Code::internal: return VYRE_INTERNAL;
  }
  return VYRE_INTERNAL;
}

// Plain data, so that calls from a thread that is ending (from its other destructors) find it
// whole.
struct LastError {
  vyre_code code;
  std::string* text;  // null: `fixed`
  const char* fixed;
};
thread_local LastError last_error{VYRE_OK, nullptr, ""};

struct FreesTheText {
  ~FreesTheText() {
    delete last_error.text;
    last_error = {VYRE_OK, nullptr, ""};
  }
};

}  // namespace

Failure::Failure(const Error& error) : code(code_of(error.code)), text(describe(error)) {}

vyre_code remember(vyre_code code, std::string_view text) noexcept {
  thread_local const FreesTheText at_the_end;
  static_cast<void>(at_the_end);
  last_error.code = code;
  try {
    if (last_error.text == nullptr) last_error.text = new std::string;
    *last_error.text = text;
  } catch (...) {
    delete last_error.text;
    last_error.text = nullptr;
    last_error.fixed = "there is no memory for the error's text";
  }
  return code;
}

}  // namespace vyre

uint32_t vyre_c_version(void) { return VYRE_C_VERSION; }

const char* vyre_version(void) {
  // The text of a literal: it ends with a null.
  return vyre::version().data();
}

const char* vyre_code_text(int code) {
  switch (code) {
    case VYRE_OK: return "ok";
    case VYRE_INVALID_INPUT: return "invalid input";
    case VYRE_LIMIT: return "limit";
    case VYRE_IO: return "input or output";
    case VYRE_UNAVAILABLE: return "unavailable";
    case VYRE_OUT_OF_MEMORY: return "out of memory";
    case VYRE_DEVICE: return "device";
    case VYRE_INTERNAL: return "internal";
    case VYRE_INVALID_HANDLE: return "invalid handle";
    case VYRE_WRONG_SESSION: return "wrong session";
    case VYRE_WRONG_SIZE: return "wrong size";
    case VYRE_NULL_POINTER: return "null pointer";
  }
  return "unknown code";
}

vyre_code vyre_last_error(void) { return vyre::last_error.code; }

const char* vyre_last_error_text(void) {
  const auto& last = vyre::last_error;
  return last.text != nullptr ? last.text->c_str() : last.fixed;
}

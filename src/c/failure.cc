#include <pthread.h>

#include <memory>

#include "vyre/base/process/static_thread_local.h"
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
  std::string* text;  // null until the first error
  const char* fixed;  // said instead, unless it is null
};
VYRE_STATIC_THREAD_LOCAL LastError last_error{VYRE_OK, nullptr, ""};

void free_text(void* text) {
  delete static_cast<std::string*>(text);
  last_error = {VYRE_OK, nullptr, ""};
}

// Has the text freed when the thread ends. A key of the thread library, and no destructor of a
// variable of the thread: the C library ends the process if it has no memory to register one.
bool free_at_the_end(std::string* text) {
  struct Key {
    pthread_key_t key{};
    bool made = pthread_key_create(&key, free_text) == 0;
  };
  static const Key ours;
  return ours.made && pthread_setspecific(ours.key, text) == 0;
}

void set_text(std::string_view text) {
  if (last_error.text == nullptr) {
    auto fresh = std::make_unique<std::string>(text);
    if (!free_at_the_end(fresh.get())) throw std::bad_alloc();
    last_error.text = fresh.release();
  } else {
    *last_error.text = text;
  }
}

}  // namespace

Failure::Failure(const Error& error) : code(code_of(error.code)), text(describe(error)) {}

vyre_code remember(vyre_code code, std::string_view text) noexcept {
  last_error.code = code;
  try {
    set_text(text);
    last_error.fixed = nullptr;
  } catch (...) {
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
  return last.fixed != nullptr ? last.fixed : last.text->c_str();
}

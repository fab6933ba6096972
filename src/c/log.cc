#include "vyre/base/log.h"

#include <fmt/format.h>

#include "vyre/c/failure_internal.h"

using namespace vyre;

vyre_code vyre_log_to(vyre_log_function function, void* user, int level) {
  return guarded([&]() -> Outcome<> {
    if (level < VYRE_LOG_OFF || level > VYRE_LOG_DEBUG) {
      return failure(VYRE_INVALID_INPUT, fmt::format("level is {}, which is no level", level));
    }
    set_log_level(static_cast<LogLevel>(level));
    if (function == nullptr) {
      set_log_sink({});
      return {};
    }
    set_log_sink([function, user](LogLevel of, std::string_view message) {
      function(user, static_cast<int>(of), std::string(message).c_str());
    });
    return {};
  });
}

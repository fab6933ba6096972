#include "vyre/base/error.h"

namespace vyre {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::invalid_input: return "invalid input";
    case Code::limit: return "limit";
    case Code::io: return "input/output";
    case Code::unavailable: return "unavailable";
    case Code::out_of_memory: return "out of memory";
    case Code::device: return "device";
    case Code::internal: return "internal";
  }
  return "unknown";
}

std::string describe(const Error& error) {
  return error.fix.empty() ? error.what : error.what + "; " + error.fix;
}

}  // namespace vyre

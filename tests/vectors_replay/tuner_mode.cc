#include <cstdlib>

#include "replay.h"
#include "vyre/base/log.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {
namespace {

Json replay_mode(const Json& in) {
  set_log_level(LogLevel::error);  // the warning about an unknown word is expected here
  Json modes = Json::array();
  for (const Json& value : to_list(at(in, "values"))) {
    if (value.is_null()) {
      unsetenv(kModeVariable);
    } else {
      const std::string word =
          value.is_object() ? bytes_of_hex(to_text(at(value, "bytes_hex"))) : to_text(value);
      if (word.find('\0') != std::string::npos) {
        throw MalformedVector("an environment variable cannot hold a zero byte");
      }
      setenv(kModeVariable, word.c_str(), 1);
    }
    modes.push_back(wire_name(mode_from_environment()));
  }
  return {{"modes", modes}};
}

const ReplayFamily family{"tuner_mode", {{"mode", replay_mode}}};

}  // namespace
}  // namespace vyre

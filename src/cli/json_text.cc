#include "vyre/cli/json_text.h"

#include <cmath>
#include <cstdlib>

#include "vyre/cli/values.h"

namespace vyre {

void write_json(Output& out, const Json& value) {
  out.write(value.dump(2, ' ', false, Json::error_handler_t::replace));
  out.write("\n");
}

Json to_json(const Scalar& scalar) {
  switch (scalar.kind) {
    case ScalarKind::boolean: return scalar.as_bool();
    case ScalarKind::i32: return scalar.as_i32();
    case ScalarKind::u32: return scalar.as_u32();
    default: break;
  }
  std::string text = format_scalar(scalar);
  if (!std::isfinite(scalar.as_double())) return text;
  return std::strtod(text.c_str(), nullptr);
}

Json to_json(const Extent& extent) { return Json::array({extent[0], extent[1], extent[2]}); }

}  // namespace vyre

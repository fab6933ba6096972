#include "vyre/base/version.h"

namespace vyre {

std::string_view version() { return VYRE_VERSION; }

}  // namespace vyre

// This program has the interpreter alone.
#include "staged.h"

namespace vyre {

std::vector<RunKernel> runs_on_devices() { return {}; }

}  // namespace vyre

// A buffer as files see it: its name, and the layout of its bytes.
#pragma once

#include <string>

#include "vyre/data/npy/packed_elements.h"

namespace vyre {

struct BufferData {
  const TypeTable& types;
  const BufferLayout& layout;
  const std::string& name;
  const std::string& type;  // as WGSL spells it
};

}  // namespace vyre

// A buffer as files see it: what it is called, and how its bytes are divided.
#pragma once

#include <string>

#include "vyre/data/packed_elements.h"

namespace vyre {

struct BufferData {
  const TypeTable& types;
  const BufferLayout& layout;
  const std::string& name;
  const std::string& type;  // as WGSL spells it
};

}  // namespace vyre

// From a relocatable object to code in this process.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

struct LinkedObject {
  void* entry = nullptr;
  std::shared_ptr<const void> owner;  // keeps the code mapped
};

// Maps an ELF object for x86-64 into two ranges, one of code and one of constants.
Result<LinkedObject> link_object(std::span<const std::byte> object, std::string_view entry);

}  // namespace vyre

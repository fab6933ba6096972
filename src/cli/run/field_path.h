// Values written into the bytes of a buffer by the name of a field.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/cli/run/run_arguments.h"
#include "vyre/data/npy/packed_elements.h"

namespace vyre {

// A place inside a buffer.
struct FieldPlace {
  TypeId type;
  std::uint64_t offset = 0;
};

// The buffer that a path begins with: "p" of "p.items[2].x".
std::string_view path_root(std::string_view path);

// Follows .member, [index] and .x/.y/.z/.w from the buffer's type. `bytes` is the size of the
// buffer, which bounds a run-time sized array.
Result<FieldPlace> resolve_path(const TypeTable& types, TypeId type, std::uint64_t bytes,
                                std::string_view path);

// Writes the values at the path, as many as there are scalars there. `written` is empty, or has a
// flag for each byte of memory: those where a scalar that got a value begins are set.
Result<void> assign(const TypeTable& types, TypeId type, const Assignment& assignment,
                    std::span<std::byte> memory, std::span<std::uint8_t> written);

// The paths of the scalars, vectors and arrays of scalars that no value was given for.
std::vector<std::string> unwritten_fields(const TypeTable& types, TypeId type,
                                          std::string_view root,
                                          std::span<const std::uint8_t> written);

}  // namespace vyre

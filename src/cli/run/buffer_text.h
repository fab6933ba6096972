// The contents of a buffer as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "vyre/cli/json_text.h"
#include "vyre/cli/streams.h"
#include "vyre/data/npy/packed_elements.h"

namespace vyre {

// A value of the type at an offset: 1.5, (1 2 3), ((1 0) (0 1)), [1 2 3], {mass: 1, at: (0 0 0)}.
std::string value_text(const TypeTable& types, TypeId type, std::span<const std::byte> memory,
                       std::uint64_t offset);
// The same as JSON: vectors, matrices (by columns) and arrays are arrays, structs are objects.
Json value_json(const TypeTable& types, TypeId type, std::span<const std::byte> memory,
                std::uint64_t offset);

// The first `count` elements with their indices: scalars eight on a line, others one on a line.
void print_elements(Output& out, const TypeTable& types, const BufferLayout& layout,
                    std::span<const std::byte> memory, std::uint64_t count);
Json elements_json(const TypeTable& types, const BufferLayout& layout,
                   std::span<const std::byte> memory, std::uint64_t count);

}  // namespace vyre

// Buffers for a program: filled by chance, compared scalar by scalar as their types say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// The bytes of each resource, in the order of `resources`.
using Data = std::vector<std::vector<std::byte>>;

// Storage and uniform globals.
std::vector<const Global*> resources(const Program& program);
// What a resource needs when its run-time sized array has so many elements.
std::uint64_t bytes_for(const Program& program, const Global& global, std::uint64_t elements);

// Scalars of the resources: small numbers, edges of their types, any bits; floats without NaN.
Data random_data(const Program& program, std::uint64_t elements, std::uint64_t seed);

struct Scalar32 {
  ScalarKind kind{};
  std::uint64_t offset = 0;  // bytes
};
// Where the scalars of a type lie; of a run-time sized array, those of `bytes` bytes.
std::vector<Scalar32> scalars_in(const TypeTable& types, TypeId type, std::uint64_t bytes);

// The first difference in words; empty when there is none. NaN equals NaN. Bytes that belong to no
// scalar are compared as they are. Floats may differ by `tolerance`, relative above 1 and absolute
// below; those of a resource called "near" by a thousandth.
std::string first_difference(const Program& program, const Data& want, const Data& got,
                             double tolerance = 0);

}  // namespace vyre

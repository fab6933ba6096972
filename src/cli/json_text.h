// JSON on an output: keys in the order they were added, two spaces of indent, bytes that are not
// UTF-8 replaced.
#pragma once

#include <nlohmann/json.hpp>

#include "vyre/base/extent.h"
#include "vyre/cli/streams.h"
#include "vyre/ir/scalar.h"

namespace vyre {

using Json = nlohmann::ordered_json;

void write_json(Output& out, const Json& value);

// Numbers as numbers, floats as the shortest decimal that reads back as the same f32 or f16; what
// JSON has no number for as one of the strings "nan", "inf", "-inf".
Json to_json(const Scalar& scalar);
Json to_json(const Extent& extent);

}  // namespace vyre

// Swizzles: v.x, v.zyx, of values and of vectors in memory.
//
// Several components of a vector in memory are a value of the kind `swizzle` until they are loaded
// or assigned. WGSL reads the whole vector, replaces components and writes it back; here each
// component is stored for itself, which leaves the same in memory.
#pragma once

#include <cstdint>
#include <span>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Components of a vector that is a value.
Value swizzle(Context& cx, const Value& vector, std::span<const std::uint8_t> lanes, Span span);

// `object.member`, of a vector that is a value, a reference or a swizzle itself.
Value vector_member(Context& cx, const Value& object, const ast::Name& member, Span span);

Value load_swizzle(Context& cx, const Value& components);
// Whether each component is named once, as assignments need it; reports an error if not.
bool check_assigned_lanes(Context& cx, const Value& components);
// Stores a value of the same type. The indices of `components` are frozen.
void store_swizzle(Context& cx, const Value& components, const Value& value, Span span);

}  // namespace vyre::sema

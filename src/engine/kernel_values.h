// The host's values for the variables of a kernel, by name, so that one expression runs it:
//
//   VYRE_TRY(const WgslModule wgsl, load_wgsl("saxpy.wgsl"));
//   VYRE_CHECK(session.run(wgsl["saxpy"], {{"a", 2.0F}, {"x", x}, {"y", y}},
//                          DispatchSize::extent({n, 1, 1})));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "vyre/ir/scalar.h"

namespace vyre {

// The kind of the scalars that a C++ type holds; empty: they are not checked, as those of structs.
template <class T>
constexpr std::optional<ScalarKind> scalar_kind_of() {
  if constexpr (std::is_same_v<T, float>) return ScalarKind::f32;
  if constexpr (std::is_same_v<T, std::int32_t>) return ScalarKind::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ScalarKind::u32;
  return std::nullopt;
}

// A variable of a kernel, and a vector, span, array, number or struct for it. A variable that the
// kernel writes needs values that are not const, and gets its results there. The values must live
// until the call returns.
class KernelValue {
 public:
  template <class V>
  KernelValue(std::string variable, V&& values) : variable_(std::move(variable)) {  // NOLINT
    if constexpr (std::ranges::contiguous_range<V>) {
      take(std::span(std::ranges::data(values), std::ranges::size(values)));
    } else {
      take(std::span(&values, 1));
    }
    if (!std::is_lvalue_reference_v<V> && !std::ranges::borrowed_range<V>) writable_ = false;
  }

  const std::string& variable() const { return variable_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Empty span: the values are const.
  std::span<std::byte> writable() const {
    if (!writable_) return {};
    return {const_cast<std::byte*>(bytes_.data()), bytes_.size()};  // they were not const
  }
  std::optional<ScalarKind> kind() const { return kind_; }

 private:
  template <class T>
  void take(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_ = std::as_bytes(values);
    writable_ = !std::is_const_v<T>;
    kind_ = scalar_kind_of<std::remove_cv_t<T>>();
  }

  std::string variable_;
  std::span<const std::byte> bytes_;
  bool writable_ = false;
  std::optional<ScalarKind> kind_;
};

}  // namespace vyre

// The C++ twins of the corpus by name, and what the buffers are as arguments of them.
#pragma once

#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "native.h"

namespace vyre::bench {

// What a buffer holds after a run in double precision; empty where the kernel only reads it.
struct Expected {
  enum class Kind : std::uint8_t { none, f32, f16, u32 } kind = Kind::none;
  std::vector<double> values;
};

struct Twin {
  NativeFunction run = nullptr;
  std::vector<Expected> (*expect)(NativeBuffers) = nullptr;
  std::size_t parameters = 0;
};

struct Registered {
  Registered(std::string_view name, Twin twin);
};
Twin find_twin(std::string_view name);  // empty where there is none

// After the buffers a twin may take the number of words of the last one.
template <class T>
T argument(NativeBuffers b, std::size_t i) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(b.data[i]);
  } else {
    T out{};
    if (i == b.count) {
      const auto words = static_cast<std::uint32_t>(b.bytes[i - 1] / 4);
      std::memcpy(&out, &words, sizeof words);
    } else {
      std::memcpy(&out, b.data[i], sizeof out);
    }
    return out;
  }
}

template <class... A, std::size_t... I>
void run_with(void (*f)(A...), NativeBuffers b, std::index_sequence<I...>) {
  f(argument<A>(b, I)...);
}

// A buffer of the type T as one of the type D, which has doubles where T has floats.
template <class T, class D>
class Widened {
  static constexpr bool kWritten =
      std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>;
  static constexpr bool kWords = std::is_same_v<T, D>;
  static constexpr bool kHalf =
      sizeof(std::remove_pointer_t<T>) * 4 == sizeof(std::remove_pointer_t<D>);

 public:
  Widened(NativeBuffers b, std::size_t i) {
    if constexpr (!kWritten) {
      argument_ = argument<D>(b, i);
    } else if constexpr (kWords) {
      words_.resize(b.bytes[i] / 4);
      std::memcpy(words_.data(), b.data[i], words_.size() * 4);
      argument_ = reinterpret_cast<D>(words_.data());
    } else {
      using Scalar = std::conditional_t<kHalf, _Float16, float>;
      std::vector<Scalar> narrow(b.bytes[i] / sizeof(Scalar));
      std::memcpy(narrow.data(), b.data[i], narrow.size() * sizeof(Scalar));
      values_.assign(narrow.begin(), narrow.end());
      argument_ = reinterpret_cast<D>(values_.data());
    }
  }
  D get() const { return argument_; }
  Expected take() {
    if constexpr (!kWritten) {
      return {};
    } else if constexpr (kWords) {
      return {Expected::Kind::u32, {words_.begin(), words_.end()}};
    } else {
      return {kHalf ? Expected::Kind::f16 : Expected::Kind::f32, std::move(values_)};
    }
  }

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> words_;
  D argument_{};
};

template <class... A, class... D, std::size_t... I>
std::vector<Expected> expect_with(void (*)(A...), void (*f)(D...), NativeBuffers b,
                                  std::index_sequence<I...>) {
  std::tuple<Widened<A, D>...> all{Widened<A, D>(b, I)...};
  f(std::get<I>(all).get()...);
  return {std::get<I>(all).take()...};
}

template <class... A>
constexpr auto indices_of(void (*)(A...)) {
  return std::index_sequence_for<A...>();
}

template <auto Single, auto Double>
Twin twin_of() {
  return {[](NativeBuffers b) { run_with(Single, b, indices_of(Single)); },
          [](NativeBuffers b) { return expect_with(Single, Double, b, indices_of(Single)); },
          decltype(indices_of(Single))::size()};
}

}  // namespace vyre::bench

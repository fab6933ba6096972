#include "vyre/ir/interpret/interpret_machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "vyre/ir/operation_number.h"

namespace vyre {
namespace {

template <class T>
T read(const std::byte* at) {
  T out;
  std::memcpy(&out, at, sizeof(T));
  return out;
}
template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

// Component by component: T in, whatever fn gives out; a bool takes 4 bytes.
template <class R>
void put(std::byte* at, R value) {
  if constexpr (std::is_same_v<R, bool>) {
    write<std::uint32_t>(at, value ? 1U : 0U);
  } else {
    write(at, value);
  }
}
template <class T, class Fn>
void each(std::byte* m, const Instr& in, Fn fn) {
  for (std::size_t i = 0; i < in.n; ++i) put(m + in.dst + 4 * i, fn(read<T>(m + in.a + 4 * i)));
}
template <class T, class Fn>
void each2(std::byte* m, const Instr& in, Fn fn) {
  for (std::size_t i = 0; i < in.n; ++i) {
    put(m + in.dst + 4 * i, fn(read<T>(m + in.a + 4 * i), read<T>(m + in.b + 4 * i)));
  }
}
template <class T, class Fn>
void each3(std::byte* m, const Instr& in, Fn fn) {
  for (std::size_t i = 0; i < in.n; ++i) {
    put(m + in.dst + 4 * i,
        fn(read<T>(m + in.a + 4 * i), read<T>(m + in.b + 4 * i), read<T>(m + in.c + 4 * i)));
  }
}

template <class T>
void splat(std::byte* m, const Instr& in) {
  const T value = read<T>(m + in.a);
  for (std::size_t i = 0; i < in.n; ++i) write(m + in.dst + sizeof(T) * i, value);
}
template <class T>
void swizzle(std::byte* m, const Instr& in) {
  std::array<T, 4> lanes{};
  for (std::size_t i = 0; i < in.n; ++i) {
    lanes[i] = read<T>(m + in.a + sizeof(T) * ((in.wide >> (8 * i)) & 3U));
  }
  for (std::size_t i = 0; i < in.n; ++i) write(m + in.dst + sizeof(T) * i, lanes[i]);
}
template <class T>
void select_each(std::byte* m, const Instr& in) {
  for (std::size_t i = 0; i < in.n; ++i) {
    const bool chosen = read<std::uint32_t>(m + in.c + 4 * i) != 0;
    write(m + in.dst + sizeof(T) * i, read<T>(m + (chosen ? in.b : in.a) + sizeof(T) * i));
  }
}

std::byte* indexed(std::byte* base, const std::byte* m, const Instr& in) {
  const std::uint32_t index = read<std::uint32_t>(m + in.a);
  if (index >= in.c || base == nullptr) return nullptr;
  return base + std::uint64_t{index} * in.b;
}

std::byte* behind(const MemoryPointer& pointer, std::uint64_t offset) {
  return pointer.address == nullptr ? nullptr : pointer.address + offset;
}

std::uint32_t runtime_length(const MemoryPointer& pointer, std::uint64_t offset,
                             std::uint32_t stride) {
  if (pointer.available < offset || stride == 0) return 0;
  const std::uint64_t length = (pointer.available - offset) / stride;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(length, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t combined(AtomicOp op, bool is_signed, std::uint32_t old, std::uint32_t value) {
  const auto x = static_cast<std::int32_t>(old), y = static_cast<std::int32_t>(value);
  switch (op) {
    case AtomicOp::load: return old;
    case AtomicOp::store:
    case AtomicOp::exchange:
    case AtomicOp::compare_exchange: return value;
    case AtomicOp::add: return old + value;
    case AtomicOp::sub: return old - value;
    case AtomicOp::max: return is_signed ? (x < y ? value : old) : std::max(old, value);
    case AtomicOp::min: return is_signed ? (y < x ? value : old) : std::min(old, value);
    case AtomicOp::bit_and: return old & value;
    case AtomicOp::bit_or: return old | value;
    case AtomicOp::bit_xor: return old ^ value;
  }
  return old;
}

void atomic(std::byte* m, const Instr& in, std::byte* address) {
  const auto op = static_cast<AtomicOp>(in.n / 2);
  std::uint32_t old = 0;
  bool exchanged = false;
  if (address != nullptr) {
    old = read<std::uint32_t>(address);
    exchanged = op == AtomicOp::compare_exchange && old == read<std::uint32_t>(m + in.b);
    // A load must not write: the memory may be read-only.
    if (op != AtomicOp::load && (op != AtomicOp::compare_exchange || exchanged)) {
      write(address, combined(op, in.n % 2 != 0, old, read<std::uint32_t>(m + in.a)));
    }
  }
  write(m + in.dst, old);
  if (op == AtomicOp::compare_exchange) put(m + in.dst + in.c, exchanged);
}

template <class N>
std::uint32_t converted(float v) {
  Scalar out;
  convert(Scalar::of(v), std::is_same_v<N, std::int32_t> ? ScalarKind::i32 : ScalarKind::u32, out);
  return out.as_u32();
}

}  // namespace

Machine::Machine(const FlatCode& code, const TypeTable& types, std::uint64_t step_budget,
                 const std::function<bool()>& cancelled)
    : code_(code), types_(types), step_budget_(step_budget), cancelled_(cancelled) {}

bool Machine::may_go_on() {
  if (step_budget_ != 0 && steps_ > step_budget_) {
    reason_ = Stop::budget;
    return false;
  }
  if (cancelled_ && cancelled_()) {
    reason_ = Stop::cancelled;
    return false;
  }
  ask_at_ = steps_ + kInterval;
  if (step_budget_ != 0) ask_at_ = std::min(ask_at_, step_budget_ + 1);
  return true;
}

void Machine::apply(const ApplyCall& call, std::byte* memory) const {
  std::array<std::array<std::uint64_t, 16>, 4> in{};
  std::array<Operand, 4> operands{};
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const ApplyCall::Value& argument = call.arguments[k];
    std::size_t i = 0;
    for (const ScalarPlace& place : argument.scalars) {
      const std::byte* at = memory + argument.at + place.offset;
      in[k][i++] =
          place.kind == ScalarKind::f16 ? read<std::uint16_t>(at) : read<std::uint32_t>(at);
    }
    operands[k] = {argument.type, std::span(in[k]).first(i)};
  }
  std::array<std::uint64_t, 16> storage{};
  const auto out = std::span(storage).first(call.result.scalars.size());
  const TypeId type = call.result.type;
  switch (call.form) {
    case ApplyCall::Form::unary:
      vyre::apply(static_cast<UnaryOp>(call.operation), types_, type, operands[0], out);
      break;
    case ApplyCall::Form::binary:
      vyre::apply(static_cast<BinaryOp>(call.operation), types_, type, operands[0], operands[1],
                  out);
      break;
    case ApplyCall::Form::math:
      vyre::apply(static_cast<MathFn>(call.operation), types_, type,
                  std::span(operands).first(call.arguments.size()), out);
      break;
    case ApplyCall::Form::convert: apply_convert(types_, type, operands[0], out); break;
    case ApplyCall::Form::bitcast: apply_bitcast(types_, type, operands[0], out); break;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ScalarPlace& place = call.result.scalars[i];
    std::byte* at = memory + call.result.at + place.offset;
    if (place.kind == ScalarKind::f16) {
      write(at, static_cast<std::uint16_t>(out[i]));
    } else {
      write(at, static_cast<std::uint32_t>(out[i]));
    }
  }
}

void Machine::store_parts(const CopyPlan& plan, std::byte* to, const std::byte* from) const {
  for (const CopyPlan::Part& part : plan.parts) {
    if (part.plan < 0) {
      std::memcpy(to + part.offset, from + part.offset, part.bytes);
      continue;
    }
    const CopyPlan& inner = code_.plans[static_cast<std::size_t>(part.plan)];
    for (std::uint64_t i = 0; i < part.count; ++i) {
      const std::uint64_t offset = part.offset + i * part.stride;
      store_parts(inner, to + offset, from + offset);
    }
  }
}

Machine::Stop Machine::run(Invocation& invocation) {
  using F = F32Number;
  using I = I32Number;
  using U = U32Number;
  std::byte* const m = invocation.memory;
  const Instr* const first = code_.instrs.data();
  const Instr* next = first + invocation.next;
  std::byte* address = nullptr;
  Fault fault = Fault::none;  // does not matter at run time
  const auto stop = [&](Stop reason) {
    invocation.next = static_cast<std::uint32_t>(next - first);
    return reason;
  };
  if (steps_ >= ask_at_ && !may_go_on()) return stop(reason_);

  while (true) {
    const Instr& in = *next++;
    steps_ += in.steps;
    switch (in.op) {
      case Op::nop: break;
      case Op::end: invocation.ended = true; return stop(Stop::end);
      case Op::jump: next = first + in.a; break;
      case Op::jump_back:
        next = first + in.a;
        if (steps_ >= ask_at_ && !may_go_on()) return stop(reason_);
        break;
      case Op::jump_if_not:
        if (read<std::uint32_t>(m + in.a) == 0) next = first + in.b;
        break;
      case Op::back_if_not:
        if (read<std::uint32_t>(m + in.a) == 0) next = first + in.b;
        if (steps_ >= ask_at_ && !may_go_on()) return stop(reason_);
        break;
      case Op::switch_on: {
        const SwitchTable& table = code_.switches[in.wide];
        const std::uint32_t value = read<std::uint32_t>(m + in.a);
        const auto found = std::ranges::lower_bound(
            table.targets, value, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
        const bool hit = found != table.targets.end() && found->first == value;
        next = first + (hit ? found->second : table.otherwise);
        break;
      }
      case Op::call:
        write(m + in.dst, static_cast<std::uint32_t>(next - first));
        next = first + in.a;
        if (steps_ >= ask_at_ && !may_go_on()) return stop(reason_);
        break;
      case Op::return_to: next = first + read<std::uint32_t>(m + in.a); break;
      case Op::barrier:
        invocation.barrier = static_cast<std::uint32_t>(in.wide);
        return stop(Stop::barrier);

      case Op::subgroup: invocation.in_subgroup = true; return stop(Stop::subgroup);

      case Op::set: write(m + in.dst, static_cast<std::uint32_t>(in.wide)); break;
      case Op::copy4: write(m + in.dst, read<std::uint32_t>(m + in.a)); break;
      case Op::copy: std::memmove(m + in.dst, m + in.a, in.n); break;
      case Op::zero: std::memset(m + in.dst, 0, in.n); break;
      case Op::splat: splat<std::uint32_t>(m, in); break;
      case Op::splat_half: splat<std::uint16_t>(m, in); break;
      case Op::swizzle: swizzle<std::uint32_t>(m, in); break;
      case Op::swizzle_half: swizzle<std::uint16_t>(m, in); break;
      case Op::select:
        std::memmove(m + in.dst, m + (read<std::uint32_t>(m + in.c) != 0 ? in.b : in.a), in.n);
        break;
      case Op::select_each: select_each<std::uint32_t>(m, in); break;
      case Op::select_half: select_each<std::uint16_t>(m, in); break;

      case Op::address_local: address = m + in.a; break;
      case Op::address_local_index: address = indexed(m + in.dst, m, in); break;
      case Op::address_fixed: address = reinterpret_cast<std::byte*>(in.wide); break;
      case Op::address_fixed_index:
        address = indexed(reinterpret_cast<std::byte*>(in.wide), m, in);
        break;
      case Op::address_pointer: address = behind(read<MemoryPointer>(m + in.dst), in.wide); break;
      case Op::address_pointer_index:
        address = indexed(behind(read<MemoryPointer>(m + in.dst), in.wide), m, in);
        break;
      case Op::address_runtime_index: {
        const auto pointer = read<MemoryPointer>(m + in.dst);
        Instr bounded = in;
        bounded.c = std::min(in.c, runtime_length(pointer, in.n, in.b));
        address = indexed(behind(pointer, in.wide), m, bounded);
        break;
      }
      case Op::address_index: address = indexed(address, m, in); break;
      case Op::load4:
        write(m + in.dst, address == nullptr ? 0U : read<std::uint32_t>(address));
        break;
      case Op::load:
        if (address == nullptr) {
          std::memset(m + in.dst, 0, in.n);
        } else {
          std::memmove(m + in.dst, address, in.n);
        }
        break;
      case Op::store4:
        if (address != nullptr) write(address, read<std::uint32_t>(m + in.a));
        break;
      case Op::store:
        if (address != nullptr) std::memmove(address, m + in.a, in.n);
        break;
      case Op::store_parts:
        if (address != nullptr) store_parts(code_.plans[in.wide], address, m + in.a);
        break;
      case Op::load4_fixed_index: {
        const std::byte* from = indexed(reinterpret_cast<std::byte*>(in.wide), m, in);
        write(m + in.dst, from == nullptr ? 0U : read<std::uint32_t>(from));
        break;
      }
      case Op::store4_fixed_index: {
        std::byte* to = indexed(reinterpret_cast<std::byte*>(in.wide), m, in);
        if (to != nullptr) write(to, read<std::uint32_t>(m + in.dst));
        break;
      }
      case Op::make_pointer: write(m + in.dst, MemoryPointer{address, in.wide}); break;
      case Op::derive_pointer: {
        const std::uint64_t available = read<MemoryPointer>(m + in.a).available;
        write(m + in.dst, MemoryPointer{address, available - std::min(available, in.wide)});
        break;
      }
      case Op::array_length:
        write(m + in.dst, runtime_length(read<MemoryPointer>(m + in.a), in.wide, in.b));
        break;
      case Op::atomic: atomic(m, in, address); break;
      case Op::wide_atomic: {
        if (address == nullptr) break;
        const auto old = read<std::uint64_t>(address), given = read<std::uint64_t>(m + in.a);
        write(address, in.n != 0 ? std::max(old, given) : std::min(old, given));
        break;
      }

      case Op::add_f32: each2<float>(m, in, F::add); break;
      case Op::sub_f32: each2<float>(m, in, F::sub); break;
      case Op::mul_f32: each2<float>(m, in, F::mul); break;
      case Op::div_f32: each2<float>(m, in, F::div); break;
      case Op::negate_f32: each<float>(m, in, F::negate); break;
      case Op::equal_f32: each2<float>(m, in, [](float a, float b) { return a == b; }); break;
      case Op::not_equal_f32: each2<float>(m, in, [](float a, float b) { return a != b; }); break;
      case Op::less_f32: each2<float>(m, in, [](float a, float b) { return a < b; }); break;
      case Op::less_equal_f32: each2<float>(m, in, [](float a, float b) { return a <= b; }); break;
      case Op::min_f32: each2<float>(m, in, F::min); break;
      case Op::max_f32: each2<float>(m, in, F::max); break;
      case Op::clamp_f32: each3<float>(m, in, F::clamp); break;
      case Op::abs_f32: each<float>(m, in, [](float a) { return std::fabs(a); }); break;
      case Op::floor_f32: each<float>(m, in, [](float a) { return std::floor(a); }); break;
      case Op::sqrt_f32: each<float>(m, in, F::sqrt); break;
      case Op::fma_f32: each3<float>(m, in, F::fma); break;
      case Op::dot_f32: {
        float sum = F::mul(read<float>(m + in.a), read<float>(m + in.b));
        for (std::size_t i = 1; i < in.n; ++i) {
          sum = F::fma(read<float>(m + in.a + 4 * i), read<float>(m + in.b + 4 * i), sum);
        }
        write(m + in.dst, sum);
        break;
      }

      case Op::add: each2<std::uint32_t>(m, in, std::plus<>{}); break;
      case Op::sub: each2<std::uint32_t>(m, in, std::minus<>{}); break;
      case Op::mul: each2<std::uint32_t>(m, in, std::multiplies<>{}); break;
      case Op::div_i32:
        each2<std::int32_t>(m, in, [&](auto a, auto b) { return I::div(a, b, fault); });
        break;
      case Op::div_u32:
        each2<std::uint32_t>(m, in, [&](auto a, auto b) { return U::div(a, b, fault); });
        break;
      case Op::rem_i32:
        each2<std::int32_t>(m, in, [&](auto a, auto b) { return I::rem(a, b, fault); });
        break;
      case Op::rem_u32:
        each2<std::uint32_t>(m, in, [&](auto a, auto b) { return U::rem(a, b, fault); });
        break;
      case Op::negate: each<std::int32_t>(m, in, I::negate); break;
      case Op::bit_not: each<std::uint32_t>(m, in, std::bit_not<>{}); break;
      case Op::logical_not: each<std::uint32_t>(m, in, std::logical_not<>{}); break;
      case Op::bit_and: each2<std::uint32_t>(m, in, std::bit_and<>{}); break;
      case Op::bit_or: each2<std::uint32_t>(m, in, std::bit_or<>{}); break;
      case Op::bit_xor: each2<std::uint32_t>(m, in, std::bit_xor<>{}); break;
      case Op::shift_left:
        each2<std::uint32_t>(m, in, [&](auto a, auto b) { return U::shift_left(a, b, fault); });
        break;
      case Op::shift_right_i32:
        each2<std::int32_t>(m, in, [&](auto a, auto b) {
          return I::shift_right(a, static_cast<std::uint32_t>(b), fault);
        });
        break;
      case Op::shift_right_u32:
        each2<std::uint32_t>(m, in, [&](auto a, auto b) { return U::shift_right(a, b, fault); });
        break;
      case Op::equal: each2<std::uint32_t>(m, in, std::equal_to<>{}); break;
      case Op::not_equal: each2<std::uint32_t>(m, in, std::not_equal_to<>{}); break;
      case Op::less_i32: each2<std::int32_t>(m, in, std::less<>{}); break;
      case Op::less_equal_i32: each2<std::int32_t>(m, in, std::less_equal<>{}); break;
      case Op::less_u32: each2<std::uint32_t>(m, in, std::less<>{}); break;
      case Op::less_equal_u32: each2<std::uint32_t>(m, in, std::less_equal<>{}); break;
      case Op::min_i32:
        each2<std::int32_t>(m, in, [](auto a, auto b) { return b < a ? b : a; });
        break;
      case Op::max_i32:
        each2<std::int32_t>(m, in, [](auto a, auto b) { return a < b ? b : a; });
        break;
      case Op::min_u32:
        each2<std::uint32_t>(m, in, [](auto a, auto b) { return b < a ? b : a; });
        break;
      case Op::max_u32:
        each2<std::uint32_t>(m, in, [](auto a, auto b) { return a < b ? b : a; });
        break;

      case Op::i32_to_f32:
        each<std::int32_t>(m, in, [](auto v) { return static_cast<float>(v); });
        break;
      case Op::u32_to_f32:
        each<std::uint32_t>(m, in, [](auto v) { return static_cast<float>(v); });
        break;
      case Op::f32_to_i32: each<float>(m, in, converted<std::int32_t>); break;
      case Op::f32_to_u32: each<float>(m, in, converted<std::uint32_t>); break;

      case Op::apply: apply(code_.applies[in.wide], m); break;
    }
  }
}

}  // namespace vyre

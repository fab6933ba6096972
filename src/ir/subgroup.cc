#include "vyre/ir/subgroup.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

constexpr std::string_view kNames[] = {
    "subgroupAdd",
    "subgroupMul",
    "subgroupMin",
    "subgroupMax",
    "subgroupAnd",
    "subgroupOr",
    "subgroupXor",
    "subgroupInclusiveAdd",
    "subgroupExclusiveAdd",
    "subgroupInclusiveMul",
    "subgroupExclusiveMul",
    "subgroupAll",
    "subgroupAny",
    "subgroupBallot",
    "subgroupElect",
    "subgroupBroadcastFirst",
    "subgroupBroadcast",
    "subgroupShuffle",
    "subgroupShuffleUp",
    "subgroupShuffleDown",
    "subgroupShuffleXor",
    "quadBroadcast",
    "quadSwapX",
    "quadSwapY",
    "quadSwapDiagonal",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(SubgroupOp::quad_swap_diagonal) + 1);

// Scans combine as the reduction does.
SubgroupOp combination(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::inclusive_add:
    case SubgroupOp::exclusive_add: return SubgroupOp::add;
    case SubgroupOp::inclusive_mul:
    case SubgroupOp::exclusive_mul: return SubgroupOp::mul;
    default: return op;
  }
}

Bits combine(SubgroupOp op, ScalarKind kind, Bits x, Bits y) {
  switch (op) {
    case SubgroupOp::bit_and: return x & y;
    case SubgroupOp::bit_or: return x | y;
    case SubgroupOp::bit_xor: return x ^ y;
    default: break;
  }
  return with_number(kind, [&]<class N>(N) {
    const auto a = N::load(x), b = N::load(y);
    [[maybe_unused]] Fault fault = Fault::none;
    switch (op) {
      case SubgroupOp::min: return N::store(b < a ? b : a);
      case SubgroupOp::max: return N::store(a < b ? b : a);
      case SubgroupOp::add:
        if constexpr (N::kIsFloat) {
          return N::store(N::add(a, b));
        } else {
          return N::store(N::add(a, b, fault));
        }
      default:
        if constexpr (N::kIsFloat) {
          return N::store(N::mul(a, b));
        } else {
          return N::store(N::mul(a, b, fault));
        }
    }
  });
}

Bits reduce(SubgroupOp op, ScalarKind kind, LaneBits x) {
  for (std::uint32_t step = kSubgroupSize / 2; step != 0; step /= 2) {
    for (std::uint32_t i = 0; i < step; ++i) x[i] = combine(op, kind, x[i], x[i + step]);
  }
  return x[0];
}

// Of the first `count` values.
LaneBits scan(SubgroupOp op, ScalarKind kind, LaneBits x, std::uint32_t count) {
  for (std::uint32_t step = 1; step < count; step *= 2) {
    for (std::uint32_t i = count - 1; i >= step; --i) x[i] = combine(op, kind, x[i - step], x[i]);
  }
  return x;
}

Bits one_or_zero(SubgroupOp op, ScalarKind kind) {
  return with_number(kind, [&]<class N>(N) {
    return N::store(static_cast<typename N::Value>(op == SubgroupOp::mul ? 1 : 0));
  });
}

// The lane from which lane i takes its value; kSubgroupSize or more if there is none.
std::uint64_t source(SubgroupOp op, std::uint32_t i, std::uint32_t first, Bits lane) {
  switch (op) {
    case SubgroupOp::broadcast_first: return first;
    case SubgroupOp::broadcast:
    case SubgroupOp::shuffle: return lane;
    case SubgroupOp::shuffle_up: return lane > i ? kSubgroupSize : i - lane;
    case SubgroupOp::shuffle_down: return i + lane;
    case SubgroupOp::shuffle_xor: return i ^ lane;
    case SubgroupOp::quad_broadcast: return lane > 3 ? kSubgroupSize : (i & ~3U) + lane;
    case SubgroupOp::quad_swap_x: return i ^ 1U;
    case SubgroupOp::quad_swap_y: return i ^ 2U;
    case SubgroupOp::quad_swap_diagonal: return i ^ 3U;
    default: assert(!"no shuffle"); return kSubgroupSize;
  }
}

}  // namespace

std::string_view to_string(SubgroupOp op) {
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(kNames) ? kNames[index] : "?";
}

std::uint64_t neutral_value(SubgroupOp op, ScalarKind kind) {
  switch (combination(op)) {
    case SubgroupOp::bit_and: return 0xFFFF'FFFFU;
    case SubgroupOp::bit_or:
    case SubgroupOp::bit_xor: return 0;
    default: break;
  }
  return with_number(kind, [&]<class N>(N) {
    using T = typename N::Value;
    using Limits = std::numeric_limits<T>;
    switch (combination(op)) {
      case SubgroupOp::add: return N::store(N::kIsFloat ? -T{0} : T{0});
      case SubgroupOp::mul: return N::store(T{1});
      case SubgroupOp::min: return N::store(N::kIsFloat ? Limits::infinity() : Limits::max());
      default: return N::store(N::kIsFloat ? -Limits::infinity() : Limits::lowest());
    }
  });
}

LaneBits apply_subgroup(SubgroupOp op, ScalarKind kind, std::uint32_t active, LaneBits value,
                        const LaneBits& lane) {
  const auto is_active = [&](std::uint64_t i) {
    return i < kSubgroupSize && (active >> i & 1U) != 0;
  };
  const auto first = static_cast<std::uint32_t>(std::countr_zero(active));
  LaneBits out{};
  if (op <= SubgroupOp::bit_xor) {
    for (std::uint32_t i = 0; i < kSubgroupSize; ++i) {
      if (!is_active(i)) value[i] = neutral_value(op, kind);
    }
    out.fill(reduce(op, kind, value));
    return out;
  }
  if (op <= SubgroupOp::exclusive_mul) {
    const bool exclusive = op == SubgroupOp::exclusive_add || op == SubgroupOp::exclusive_mul;
    const SubgroupOp how = combination(op);
    LaneBits together{};
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < kSubgroupSize; ++i) {
      if (is_active(i)) together[count++] = value[i];
    }
    together = scan(how, kind, together, count);
    const Bits start = one_or_zero(how, kind);
    std::uint32_t rank = 0;
    for (std::uint32_t i = 0; i < kSubgroupSize; ++i) {
      if (!is_active(i)) continue;
      out[i] = !exclusive  ? together[rank]
               : rank == 0 ? start
                           : combine(how, kind, together[rank - 1], start);
      ++rank;
    }
    return out;
  }
  std::uint32_t ballot = 0;
  for (std::uint32_t i = 0; i < kSubgroupSize; ++i) {
    if (is_active(i) && value[i] != 0) ballot |= 1U << i;
  }
  switch (op) {
    case SubgroupOp::all: out.fill(ballot == active ? 1 : 0); return out;
    case SubgroupOp::any: out.fill(ballot != 0 ? 1 : 0); return out;
    case SubgroupOp::ballot: out.fill(ballot); return out;
    case SubgroupOp::elect: out[first] = 1; return out;
    default: break;
  }
  for (std::uint32_t i = 0; i < kSubgroupSize; ++i) {
    const std::uint64_t from = source(op, i, first, lane[i]);
    out[i] = value[is_active(from) ? from : i];
  }
  return out;
}

}  // namespace vyre

#include "vyre/wgsl/sema/sema_overload.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "vyre/wgsl/sema/sema_convert.h"

namespace vyre::sema {
namespace {

// Sizes that the letters share; 0 while unknown. n is 1 where T is a scalar.
struct Sizes {
  std::uint32_t n = 0, columns = 0, rows = 0, inner = 0;
};

bool bind(std::uint32_t& size, std::uint32_t value) {
  if (size == 0) size = value;
  return size == value;
}

std::uint32_t vector_size(const TypeTable& types, TypeId type) {
  const auto* vector = types.get_if<VectorType>(type);
  return vector == nullptr ? 0 : vector->size;
}

// Whether an argument has the shape of the letter, of any kind.
bool bind_shape(const TypeTable& types, char letter, TypeId type, Sizes& sizes) {
  const bool scalar = types.get_if<ScalarType>(type) != nullptr;
  const std::uint32_t vector = vector_size(types, type);
  const auto* matrix = types.get_if<MatrixType>(type);
  switch (letter) {
    case 'S':
    case 'u':
    case 'i':
    case 'b': return scalar;
    case 'T':
    case 'U':
    case 'I':
    case 'J':
    case 'B': return (scalar || vector != 0) && bind(sizes.n, scalar ? 1 : vector);
    case 'V':
    case 'w': return vector != 0 && bind(sizes.n, vector);
    case '2':
    case '3':
    case '4': return vector == static_cast<std::uint32_t>(letter - '0');
    case 'C': return vector != 0 && bind(sizes.columns, vector);
    case 'R': return vector != 0 && bind(sizes.rows, vector);
    case 'M':
      return matrix && bind(sizes.columns, matrix->columns) && bind(sizes.rows, matrix->rows);
    case 'Q': return matrix && matrix->columns == matrix->rows && bind(sizes.columns, matrix->rows);
    case 'A': return matrix && bind(sizes.inner, matrix->columns) && bind(sizes.rows, matrix->rows);
    case 'K':
      return matrix && bind(sizes.columns, matrix->columns) && bind(sizes.inner, matrix->rows);
    default: return false;
  }
}

TypeId shaped(TypeTable& types, ScalarKind kind, std::uint32_t n) {
  return n <= 1 ? types.scalar(kind) : types.vector(kind, n);
}

TypeId type_of(TypeTable& types, char letter, ScalarKind kind, const Sizes& sizes) {
  switch (letter) {
    case 'T':
    case 'V': return shaped(types, kind, sizes.n);
    case 'S': return types.scalar(kind);
    case '2':
    case '3':
    case '4': return types.vector(kind, static_cast<std::uint32_t>(letter - '0'));
    case 'U': return shaped(types, ScalarKind::u32, sizes.n);
    case 'I': return shaped(types, ScalarKind::abstract_int, sizes.n);
    case 'J': return shaped(types, ScalarKind::i32, sizes.n);
    case 'B':
    case 'w': return shaped(types, ScalarKind::boolean, sizes.n);
    case 'u': return types.scalar(ScalarKind::u32);
    case 'i': return types.scalar(ScalarKind::i32);
    case 'b': return types.scalar(ScalarKind::boolean);
    case 'M': return types.matrix(kind, sizes.columns, sizes.rows);
    case 'm': return types.matrix(kind, sizes.rows, sizes.columns);
    case 'Q': return types.matrix(kind, sizes.columns, sizes.columns);
    case 'C': return types.vector(kind, sizes.columns);
    case 'R': return types.vector(kind, sizes.rows);
    case 'A': return types.matrix(kind, sizes.inner, sizes.rows);
    case 'K': return types.matrix(kind, sizes.columns, sizes.inner);
    case 'X': return result_struct(types, ResultStruct::frexp, shaped(types, kind, sizes.n));
    case 'Y': return result_struct(types, ResultStruct::modf, shaped(types, kind, sizes.n));
    default: return types.void_type();
  }
}

struct Candidate {
  Match match;
  ScalarKind kind;
  Sizes sizes;
  std::array<std::uint32_t, kMaxParameters> ranks{};
};

bool preferred(const Candidate& a, const Candidate& b, std::size_t count) {
  bool better = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (a.ranks[i] > b.ranks[i]) return false;
    better = better || a.ranks[i] < b.ranks[i];
  }
  return better;
}

void collect(Context& cx, const Pattern& pattern, std::size_t index,
             std::span<const Value> arguments, bool all_constant, std::vector<Candidate>& out) {
  Sizes sizes;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!bind_shape(cx.types(), pattern.parameters[i], arguments[i].type, sizes)) return;
  }
  for (unsigned k = 0; k <= static_cast<unsigned>(ScalarKind::abstract_float); ++k) {
    const auto kind = static_cast<ScalarKind>(k);
    if ((pattern.kinds & kind_bit(kind)) == 0) continue;
    // Values that are not constant have no abstract types, and neither have the arguments beside
    // them.
    if (!all_constant && is_abstract(kind)) continue;
    Candidate candidate{{index, {}, {}}, kind, sizes, {}};
    bool feasible = true;
    for (std::size_t i = 0; i < arguments.size() && feasible; ++i) {
      const TypeId to = type_of(cx.types(), pattern.parameters[i], kind, sizes);
      const auto rank = conversion_rank(cx.types(), arguments[i].type, to);
      feasible = rank.has_value();
      candidate.match.parameters[i] = to;
      candidate.ranks[i] = rank.value_or(0);
    }
    if (feasible) out.push_back(candidate);
  }
}

std::string_view letter_name(char letter) {
  switch (letter) {
    case 'T': return "T";
    case 'S': return "S";
    case 'V': return "vecN<S>";
    case '2': return "vec2<S>";
    case '3': return "vec3<S>";
    case '4': return "vec4<S>";
    case 'U': return "u32 shaped as T";
    case 'I': return "abstract integer shaped as T";
    case 'J': return "i32 shaped as T";
    case 'B': return "bool shaped as T";
    case 'w': return "vecN<bool>";
    case 'u': return "u32";
    case 'i': return "i32";
    case 'b': return "bool";
    case 'M': return "matCxR<S>";
    case 'm': return "matRxC<S>";
    case 'Q': return "matCxC<S>";
    case 'C': return "vecC<S>";
    case 'R': return "vecR<S>";
    case 'A': return "matKxR<S>";
    case 'K': return "matCxK<S>";
    default: return "result struct";
  }
}

std::string kinds_text(KindSet kinds) {
  std::vector<std::string_view> names;
  for (const ScalarKind kind :
       {ScalarKind::boolean, ScalarKind::i32, ScalarKind::u32, ScalarKind::f32, ScalarKind::f16}) {
    if ((kinds & kind_bit(kind)) != 0) names.push_back(to_string(kind));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::optional<Match> resolve(Context& cx, std::span<const Pattern> candidates,
                             std::span<const Value> arguments) {
  const bool all_constant =
      std::ranges::all_of(arguments, [](const Value& v) { return v.is_constant(); });
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].parameters.size() == arguments.size()) {
      collect(cx, candidates[i], i, arguments, all_constant, found);
    }
  }
  for (const Candidate& a : found) {
    const bool best = std::ranges::all_of(
        found, [&](const Candidate& b) { return &a == &b || preferred(a, b, arguments.size()); });
    if (!best) continue;
    Match match = a.match;
    match.result = type_of(cx.types(), candidates[match.pattern].result, a.kind, a.sizes);
    return match;
  }
  return std::nullopt;
}

std::string describe(const Pattern& pattern) {
  std::vector<std::string_view> names;
  for (const char letter : pattern.parameters) names.push_back(letter_name(letter));
  std::string text = fmt::format("({}) -> {}", fmt::join(names, ", "), letter_name(pattern.result));
  const std::string letters = std::string(pattern.parameters) + pattern.result;
  if (letters.find('T') != std::string::npos) {
    text += fmt::format(", T is {} or a vector of one", kinds_text(pattern.kinds));
  } else if (letters.find_first_of("SV234MQCRA") != std::string::npos) {
    text += fmt::format(", S is {}", kinds_text(pattern.kinds));
  }
  return text;
}

std::string spell_types(const Context& cx, std::span<const Value> arguments) {
  std::vector<std::string> names;
  names.reserve(arguments.size());
  for (const Value& v : arguments) names.push_back(cx.spell(v.type));
  return fmt::format("({})", fmt::join(names, ", "));
}

}  // namespace vyre::sema

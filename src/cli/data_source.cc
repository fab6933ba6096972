#include "vyre/cli/data_source.h"

#include <fmt/format.h>

#include "vyre/cli/values.h"

namespace vyre {
namespace {

struct NameAndRest {
  std::string_view name, rest;
};

// "name=rest"; `form` is what the reader should have written.
Result<NameAndRest> split_name(std::string_view text, std::string_view form) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) {
    return fail(Code::invalid_input, fmt::format("{} is not of the form {}", quote(text), form));
  }
  return NameAndRest{text.substr(0, at), text.substr(at + 1)};
}

// Elsewhere - stands for a standard stream; here it would be a file of that name. `rest` may begin
// with "raw:".
Result<void> check_not_a_stream(const NameAndRest& parts, std::string_view why) {
  if (parts.rest != "-" && parts.rest != "raw:-") return {};
  return fail(Code::invalid_input, fmt::format("{}={}: {}", parts.name, parts.rest, why),
              fmt::format("give a file: {0}={0}.npy or {0}=raw:{0}.bin", parts.name));
}

Result<Fill> parse_fill(std::string_view text) {
  constexpr std::string_view kForms = "zeros, iota, const=V or random=SEED, each with :N or not";
  const std::size_t colon = text.find(':');
  const std::string_view body = text.substr(0, colon);
  const std::size_t equals = body.find('=');
  const std::string_view word = body.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? body.substr(equals + 1) : std::string_view();

  Fill fill;
  if (word == "zeros" || word == "iota") {
    if (has_value) {
      return fail(Code::invalid_input, fmt::format("fill:{} takes no value", word));
    }
    fill.kind = word == "zeros" ? Fill::Kind::zeros : Fill::Kind::iota;
  } else if (word == "const") {
    fill.kind = Fill::Kind::constant;
    fill.value = value;
    // Whether it fits is known with the buffer's type; that it is a number is known now.
    if (!parse_scalar(value, ScalarKind::f32) && !parse_scalar(value, ScalarKind::i32)) {
      return fail(Code::invalid_input, fmt::format("{} is not a number", quote(value)),
                  "write fill:const=1.5");
    }
  } else if (word == "random") {
    fill.kind = Fill::Kind::random;
    const auto seed = parse_whole(value);
    if (!seed) {
      return fail(Code::invalid_input,
                  fmt::format("{} is not a seed (a whole number)", quote(value)),
                  "write fill:random=1");
    }
    fill.seed = *seed;
  } else {
    return fail(Code::invalid_input, fmt::format("{} is not a fill", quote(body)),
                fmt::format("there are {}", kForms));
  }
  if (colon != std::string_view::npos) {
    VYRE_TRY(fill.elements, parse_whole(text.substr(colon + 1)));
    if (*fill.elements == 0) {
      return fail(Code::invalid_input, "a fill of 0 elements; the least is 1");
    }
  }
  return fill;
}

std::uint64_t split_mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31);
}

Scalar iota_scalar(std::uint64_t i, ScalarKind kind) {
  if (kind == ScalarKind::f32) return Scalar::of(static_cast<float>(i));
  if (kind == ScalarKind::f16) return {kind, double_to_f16(static_cast<double>(i))};
  return {kind, i & 0xffffffffU};
}

// Calls visit(offset, kind) for every scalar of a buffer of so many bytes.
template <class Visit>
void for_each_scalar_of_buffer(const TypeTable& types, const BufferLayout& layout,
                               std::uint64_t bytes, Visit&& visit) {
  if (layout.header_bytes != 0) {
    const auto& members = types.get_if<StructType>(layout.type)->members;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      for_each_scalar(types, members[i].type, members[i].offset, visit);
    }
  }
  const std::uint64_t elements = layout.elements_in(bytes);
  for (std::uint64_t i = 0; i < elements; ++i) {
    for_each_scalar(types, layout.element, layout.header_bytes + i * layout.stride, visit);
  }
}

}  // namespace

Result<InputArgument> parse_input(std::string_view text) {
  VYRE_TRY(const NameAndRest parts,
           split_name(text, "name=file.npy, name=raw:file or name=fill:..."));
  VYRE_CHECK(check_not_a_stream(parts, "data are not read from the standard input"));
  InputArgument out{std::string(parts.name), {}};
  if (parts.rest.starts_with("fill:")) {
    auto fill = parse_fill(parts.rest.substr(5));
    if (!fill) {
      fill.error().what = fmt::format("{}: {}", parts.name, fill.error().what);
      return std::unexpected(std::move(fill).error());
    }
    out.source = *std::move(fill);
  } else if (parts.rest.starts_with("raw:")) {
    if (parts.rest.size() == 4) {
      return fail(Code::invalid_input, fmt::format("{} names no file", quote(text)));
    }
    out.source = RawFile{std::string(parts.rest.substr(4))};
  } else {
    out.source = NpyFile{std::string(parts.rest)};
  }
  return out;
}

Result<OutputArgument> parse_output(std::string_view text) {
  VYRE_TRY(const NameAndRest parts, split_name(text, "name=file.npy or name=raw:file"));
  VYRE_CHECK(check_not_a_stream(parts, "the standard output has the report, not data"));
  if (parts.rest.starts_with("raw:")) {
    if (parts.rest.size() == 4) {
      return fail(Code::invalid_input, fmt::format("{} names no file", quote(text)));
    }
    return OutputArgument{std::string(parts.name), std::string(parts.rest.substr(4)), true};
  }
  if (!parts.rest.ends_with(".npy")) {
    return fail(
        Code::invalid_input,
        fmt::format("{}: a file of what form? Its name does not end in .npy", parts.rest),
        fmt::format("write {0}={1}.npy, or {0}=raw:{1} for plain bytes", parts.name, parts.rest));
  }
  return OutputArgument{std::string(parts.name), std::string(parts.rest), false};
}

Result<std::vector<Assignment>> parse_assignments(std::string_view text) {
  std::vector<Assignment> out;
  for (const std::string_view piece : split(text, ',')) {
    VYRE_TRY(const NameAndRest parts, split_name(piece, "name=value or name.field=value"));
    Assignment assignment{std::string(parts.name), {}};
    for (const std::string_view value : split(parts.rest, ':')) {
      assignment.values.emplace_back(value);
    }
    out.push_back(std::move(assignment));
  }
  return out;
}

Result<std::vector<Setting>> parse_settings(std::string_view text) {
  std::vector<Setting> out;
  for (const std::string_view piece : split(text, ',')) {
    VYRE_TRY(const NameAndRest parts, split_name(piece, "override=value"));
    VYRE_TRY(const double value, parse_number(parts.rest));
    out.push_back({std::string(parts.name), value});
  }
  return out;
}

Result<PrintArgument> parse_print(std::string_view text) {
  const std::size_t colon = text.find(':');
  PrintArgument out{std::string(text.substr(0, colon)), std::nullopt};
  if (out.name.empty()) {
    return fail(Code::invalid_input,
                fmt::format("{} is not of the form name or name:n", quote(text)));
  }
  if (colon != std::string_view::npos) {
    VYRE_TRY(out.elements, parse_whole(text.substr(colon + 1)));
  }
  return out;
}

std::string describe(const DataSource& source) {
  if (const auto* npy = std::get_if<NpyFile>(&source)) return npy->path;
  if (const auto* raw = std::get_if<RawFile>(&source)) return "raw:" + raw->path;
  const Fill& fill = std::get<Fill>(source);
  switch (fill.kind) {
    case Fill::Kind::zeros: return "fill:zeros";
    case Fill::Kind::iota: return "fill:iota";
    case Fill::Kind::constant: return fmt::format("fill:const={}", fill.value);
    case Fill::Kind::random: return fmt::format("fill:random={}", fill.seed);
  }
  return "";
}

Scalar random_scalar(std::uint64_t seed, std::uint64_t i, ScalarKind kind) {
  const std::uint64_t bits = split_mix(seed + (i + 1) * 0x9e3779b97f4a7c15U);
  if (kind == ScalarKind::f32) return Scalar::of(static_cast<float>(bits >> 40) * 0x1p-24F);
  if (kind == ScalarKind::f16) return Scalar::of_f16(static_cast<float>(bits >> 53) * 0x1p-11F);
  return {kind, bits >> 32};
}

Result<void> apply_fill(const TypeTable& types, const BufferLayout& layout, const Fill& fill,
                        std::span<std::byte> memory) {
  std::uint64_t i = 0;
  std::optional<Error> error;
  for_each_scalar_of_buffer(types, layout, memory.size(),
                            [&](std::uint64_t offset, ScalarKind kind) {
                              switch (fill.kind) {
                                case Fill::Kind::zeros:
                                  store_scalar(memory, offset, {kind, 0});
                                  break;
                                case Fill::Kind::iota:
                                  store_scalar(memory, offset, iota_scalar(i, kind));
                                  break;
                                case Fill::Kind::random:
                                  store_scalar(memory, offset, random_scalar(fill.seed, i, kind));
                                  break;
                                case Fill::Kind::constant: {
                                  const auto value = parse_scalar(fill.value, kind);
                                  if (!value && !error) error = value.error();
                                  if (value) store_scalar(memory, offset, *value);
                                  break;
                                }
                              }
                              ++i;
                            });
  if (error) return std::unexpected(*error);
  return {};
}

}  // namespace vyre

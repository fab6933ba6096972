#include "vyre/cli/run/run_arguments.h"

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

}  // namespace

Result<InputArgument> parse_input(std::string_view text) {
  VYRE_TRY(const NameAndRest parts,
           split_name(text, "name=file.npy, name=file.png, name=raw:file or name=fill:..."));
  VYRE_CHECK(check_not_a_stream(parts, "data are not read from the standard input"));
  auto source = parse_source(parts.rest);
  if (!source) {
    source.error().what = fmt::format("{}: {}", parts.name, source.error().what);
    return std::unexpected(std::move(source).error());
  }
  return InputArgument{std::string(parts.name), *std::move(source)};
}

Result<OutputArgument> parse_output(std::string_view text) {
  VYRE_TRY(const NameAndRest parts,
           split_name(text, "name=file.npy, name=file.png or name=raw:file"));
  VYRE_CHECK(check_not_a_stream(parts, "the standard output has the report, not data"));
  auto sink = parse_sink(parts.rest);
  if (!sink) {
    sink.error().what = fmt::format("{}: {}", parts.name, sink.error().what);
    return std::unexpected(std::move(sink).error());
  }
  return OutputArgument{std::string(parts.name), *std::move(sink)};
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

Result<DimArgument> parse_dim(std::string_view text) {
  VYRE_TRY(const NameAndRest parts, split_name(text, "dim=number"));
  VYRE_TRY(const std::uint64_t value, parse_whole(parts.rest));
  if (value == 0) return fail(Code::invalid_input, "the least is 1");
  return DimArgument{std::string(parts.name), value};
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

}  // namespace vyre

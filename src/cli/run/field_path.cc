#include "vyre/cli/run/field_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/values.h"

namespace vyre {
namespace {

std::string member_names(const StructType& structure) {
  std::string out;
  for (const Member& member : structure.members) {
    out += (out.empty() ? "" : ", ") + member.name;
  }
  return out;
}

std::string_view take_word(std::string_view& rest, std::string_view stops) {
  const std::size_t end = std::min(rest.find_first_of(stops), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

Result<FieldPlace> step_into_member(const TypeTable& types, FieldPlace at, std::string_view name,
                                    std::string_view path) {
  if (const auto* structure = types.get_if<StructType>(at.type)) {
    for (const Member& member : structure->members) {
      if (member.name == name) return FieldPlace{member.type, at.offset + member.offset};
    }
    return fail(Code::invalid_input,
                fmt::format("{}: {} has no member {}", path, structure->name, quote(name)),
                fmt::format("it has {}", member_names(*structure)));
  }
  if (const auto* vector = types.get_if<VectorType>(at.type)) {
    const std::size_t lane = std::string_view("xyzw").find(name);
    if (name.size() == 1 && lane < vector->size) {
      return FieldPlace{types.component(at.type), at.offset + lane * scalar_bytes(vector->kind)};
    }
  }
  return fail(Code::invalid_input,
              fmt::format("{}: {} has no member {}", path, types.spell(at.type), quote(name)));
}

Result<FieldPlace> step_into_element(const TypeTable& types, FieldPlace at, std::uint64_t bytes,
                                     std::string_view index_text, std::string_view path) {
  auto index = parse_whole(index_text, UINT32_MAX);
  if (!index) {
    return fail(Code::invalid_input, fmt::format("{}: {}", path, index.error().what));
  }
  const auto* array = types.get_if<ArrayType>(at.type);
  std::uint64_t parts = types.component_count(at.type);
  const bool runtime_sized = array != nullptr && array->count == 0;
  if (parts == 0 && !runtime_sized) {
    return fail(Code::invalid_input,
                fmt::format("{}: {} has no elements", path, types.spell(at.type)));
  }
  const TypeId part = types.component(at.type);
  const bool vector = types.get_if<VectorType>(at.type) != nullptr;
  const std::uint64_t stride = vector ? types.layout(part).size : types.stride(part);
  if (runtime_sized) parts = (bytes - std::min(bytes, at.offset)) / stride;
  if (*index >= parts) {
    return fail(Code::invalid_input,
                fmt::format("{}: the index is out of bounds; there are {} elements", path, parts));
  }
  return FieldPlace{part, at.offset + *index * stride};
}

void collect_unwritten(const TypeTable& types, FieldPlace at, const std::string& path,
                       std::span<const std::uint8_t> written, std::vector<std::string>& out) {
  if (const auto* structure = types.get_if<StructType>(at.type)) {
    for (const Member& member : structure->members) {
      collect_unwritten(types, {member.type, at.offset + member.offset}, path + "." + member.name,
                        written, out);
    }
    return;
  }
  bool missing = false;
  for_each_scalar(types, at.type, at.offset, [&](std::uint64_t offset, ScalarKind) {
    missing = missing || written[offset] == 0;
  });
  if (missing) out.push_back(path);
}

}  // namespace

std::string_view path_root(std::string_view path) {
  return path.substr(0, path.find_first_of(".["));
}

Result<FieldPlace> resolve_path(const TypeTable& types, TypeId type, std::uint64_t bytes,
                                std::string_view path) {
  FieldPlace at{type, 0};
  std::string_view rest = path.substr(path_root(path).size());
  while (!rest.empty()) {
    const char mark = rest.front();
    rest.remove_prefix(1);
    if (mark == '.') {
      VYRE_TRY(at, step_into_member(types, at, take_word(rest, ".["), path));
      continue;
    }
    const std::string_view index = take_word(rest, "]");
    if (mark != '[' || rest.empty()) {
      return fail(Code::invalid_input,
                  fmt::format("{} is not a path like p.items[2]", quote(path)));
    }
    rest.remove_prefix(1);
    VYRE_TRY(at, step_into_element(types, at, bytes, index, path));
  }
  return at;
}

Result<void> assign(const TypeTable& types, TypeId type, const Assignment& assignment,
                    std::span<std::byte> memory, std::span<std::uint8_t> written) {
  VYRE_TRY(const FieldPlace field, resolve_path(types, type, memory.size(), assignment.path));
  const std::uint64_t wanted = types.scalar_count(field.type);
  if (wanted != assignment.values.size()) {
    if (wanted == 0) {
      return fail(
          Code::invalid_input,
          fmt::format("{} is sized at run time; its values come from --in", assignment.path));
    }
    return fail(
        Code::invalid_input,
        fmt::format("{} ({}) takes {} value{}; {} given", assignment.path, types.spell(field.type),
                    wanted, wanted == 1 ? "" : "s", assignment.values.size()),
        wanted > 1 ? "put colons between the values, as in v=1:2:3" : "");
  }
  std::size_t i = 0;
  std::optional<Error> error;
  for_each_scalar(types, field.type, field.offset, [&](std::uint64_t offset, ScalarKind kind) {
    const std::string& text = assignment.values[i++];
    const auto value = parse_scalar(text, kind);
    if (!value) {
      if (!error) error = value.error();
      return;
    }
    store_scalar(memory, offset, *value);
    if (!written.empty()) written[offset] = 1;
  });
  if (error) {
    error->what = fmt::format("{}: {}", assignment.path, error->what);
    return std::unexpected(*std::move(error));
  }
  return {};
}

std::vector<std::string> unwritten_fields(const TypeTable& types, TypeId type,
                                          std::string_view root,
                                          std::span<const std::uint8_t> written) {
  std::vector<std::string> out;
  collect_unwritten(types, {type, 0}, std::string(root), written, out);
  return out;
}

}  // namespace vyre

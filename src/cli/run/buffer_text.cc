#include "vyre/cli/run/buffer_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

// Calls visit(type, offset) for each element of an array, column of a matrix or component of a
// vector.
template <class Visit>
void for_each_part(const TypeTable& types, TypeId type, std::uint64_t offset, Visit&& visit) {
  const TypeId part = types.component(type);
  const bool vector = types.get_if<VectorType>(type) != nullptr;
  const std::uint64_t stride = vector ? types.layout(part).size : types.stride(part);
  const std::uint32_t parts = types.component_count(type);
  for (std::uint32_t i = 0; i < parts; ++i) visit(part, offset + i * stride);
}

void print_scalars(Output& out, const TypeTable& types, const BufferLayout& layout,
                   std::span<const std::byte> memory, std::uint64_t count) {
  constexpr std::uint64_t kPerLine = 8;
  // Columns are as wide as the values of a block of lines need.
  constexpr std::uint64_t kPerBlock = 512 * kPerLine;
  const std::size_t index_width = fmt::format("{}", count).size();
  std::vector<std::string> cells;
  std::size_t width = 0;
  for (std::uint64_t i = 0; i < count; i += kPerLine) {
    if (i % kPerBlock == 0) {
      cells.clear();
      for (std::uint64_t j = i; j < std::min(i + kPerBlock, count); ++j) {
        cells.push_back(value_text(types, layout.element, memory, j * layout.stride));
        width = std::max(width, cells.back().size());
      }
    }
    out.write(faint(out, fmt::format("  {:>{}} ", i, index_width)));
    for (std::uint64_t j = i; j < std::min(i + kPerLine, count); ++j) {
      out.print(" {:>{}}", cells[j % kPerBlock], width);
    }
    out.write("\n");
  }
}

}  // namespace

std::string value_text(const TypeTable& types, TypeId type, std::span<const std::byte> memory,
                       std::uint64_t offset) {
  if (const auto* structure = types.get_if<StructType>(type)) {
    std::string text = "{";
    for (const Member& member : structure->members) {
      if (text.size() > 1) text += ", ";
      text += member.name + ": " + value_text(types, member.type, memory, offset + member.offset);
    }
    return text + "}";
  }
  if (types.component_count(type) == 0) {
    const auto kind = types.scalar_kind(type);
    return kind ? format_scalar(load_scalar(memory, offset, *kind)) : "...";
  }
  const bool array = types.get_if<ArrayType>(type) != nullptr;
  std::string text;
  for_each_part(types, type, offset, [&](TypeId part, std::uint64_t at) {
    if (!text.empty()) text += " ";
    text += value_text(types, part, memory, at);
  });
  return fmt::format("{}{}{}", array ? '[' : '(', text, array ? ']' : ')');
}

Json value_json(const TypeTable& types, TypeId type, std::span<const std::byte> memory,
                std::uint64_t offset) {
  if (const auto* structure = types.get_if<StructType>(type)) {
    Json json = Json::object();
    for (const Member& member : structure->members) {
      json[member.name] = value_json(types, member.type, memory, offset + member.offset);
    }
    return json;
  }
  if (types.component_count(type) == 0) {
    const auto kind = types.scalar_kind(type);
    return kind ? to_json(load_scalar(memory, offset, *kind)) : Json(nullptr);
  }
  Json json = Json::array();
  for_each_part(types, type, offset, [&](TypeId part, std::uint64_t at) {
    json.push_back(value_json(types, part, memory, at));
  });
  return json;
}

void print_elements(Output& out, const TypeTable& types, const BufferLayout& layout,
                    std::span<const std::byte> memory, std::uint64_t count) {
  const std::uint64_t elements = layout.elements_in(memory.size());
  count = std::min(count, elements);
  const bool scalars = layout.header_bytes == 0 && types.component_count(layout.element) == 0 &&
                       types.get_if<StructType>(layout.element) == nullptr;
  if (scalars) {
    print_scalars(out, types, layout, memory, count);
  } else {
    const std::size_t index_width = fmt::format("{}", count).size();
    if (layout.header_bytes != 0 && count > 0) {
      const auto& members = types.get_if<StructType>(layout.type)->members;
      for (std::size_t i = 0; i + 1 < members.size(); ++i) {
        out.print("  {}: {}\n", members[i].name,
                  value_text(types, members[i].type, memory, members[i].offset));
      }
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      out.print("{}{}\n", faint(out, fmt::format("  {:>{}}  ", i, index_width)),
                value_text(types, layout.element, memory, layout.header_bytes + i * layout.stride));
    }
  }
  if (count < elements) {
    out.write(faint(out, fmt::format("  ... {} more", with_commas(elements - count))));
    out.write("\n");
  }
}

Json elements_json(const TypeTable& types, const BufferLayout& layout,
                   std::span<const std::byte> memory, std::uint64_t count) {
  Json json = Json::array();
  count = std::min(count, layout.elements_in(memory.size()));
  for (std::uint64_t i = 0; i < count; ++i) {
    json.push_back(
        value_json(types, layout.element, memory, layout.header_bytes + i * layout.stride));
  }
  return json;
}

}  // namespace vyre

#include "vyre/tune/decisions/decision_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

namespace vyre {
namespace {

bool needs_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f || c == '"' || c == '\\';
}

template <class Out>
Out write_line(Out out, std::string_view key, const Extent& workgroup) {
  *out++ = '"';
  for (const char c : key) {
    if (!needs_escape(c)) {
      *out++ = c;
    } else if (c == '"' || c == '\\') {
      *out++ = '\\';
      *out++ = c;
    } else {
      out = fmt::format_to(out, "\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  return fmt::format_to(out, "\" = [{}, {}, {}]\n", workgroup[0], workgroup[1], workgroup[2]);
}

std::optional<Extent> workgroup_of(const TomlDocument& document, TomlId id) {
  const TomlNode& value = document.node(id);
  if (value.kind != TomlKind::array || value.child_count != 3) return std::nullopt;
  Extent workgroup{};
  std::size_t axis = 0;
  for (const TomlId child : document.children(id)) {
    const TomlNode& element = document.node(child);
    if (element.kind != TomlKind::integer || element.integer < 1 ||
        element.integer > std::numeric_limits<std::uint32_t>::max()) {
      return std::nullopt;
    }
    workgroup[axis++] = static_cast<std::uint32_t>(element.integer);
  }
  return workgroup;
}

}  // namespace

bool is_decision(std::string_view key, const Extent& workgroup) {
  return std::ranges::find(workgroup, 0u) == workgroup.end() && is_utf8(key);
}

std::expected<ParsedDecisions, TomlFault> parse_decisions(std::string_view text) {
  const auto document = parse_toml(text);
  if (!document) return std::unexpected(document.error());
  ParsedDecisions parsed;
  for (const TomlId id : document->children(kTomlRoot)) {
    if (const auto workgroup = workgroup_of(*document, id)) {
      // Files that vyre wrote are in order, so the end is the right place.
      parsed.entries.emplace_hint(parsed.entries.end(), document->node(id).key, *workgroup);
    } else {
      ++parsed.skipped;
    }
  }
  return parsed;
}

std::string decision_text(const Decisions& decisions) {
  std::string text;
  for (const auto& [key, workgroup] : decisions) {
    write_line(std::back_inserter(text), key, workgroup);
  }
  return text;
}

std::size_t decision_line_bytes(std::string_view key, const Extent& workgroup) {
  std::size_t bytes =
      fmt::formatted_size("\"\" = [{}, {}, {}]\n", workgroup[0], workgroup[1], workgroup[2]);
  for (const char c : key) {
    bytes += !needs_escape(c) ? 1 : c == '"' || c == '\\' ? 2 : 6;
  }
  return bytes;
}

}  // namespace vyre

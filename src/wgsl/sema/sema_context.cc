#include "vyre/wgsl/sema/sema_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/wgsl/sema/sema_features.h"

namespace vyre::sema {
namespace {

std::uint64_t key_of(SourcePos pos) { return (std::uint64_t{pos.line} << 32U) | pos.column; }

std::vector<std::uint32_t> find_line_starts(const Source& source) {
  std::vector<std::uint32_t> starts{source.line(0).begin};
  const auto size = static_cast<std::uint32_t>(source.text().size());
  std::uint32_t at = source.line(0).end;
  while (at < size) {
    const std::uint32_t begin = source.line(at).begin;
    if (begin == starts.back()) {  // inside the line break
      ++at;
      continue;
    }
    starts.push_back(begin);
    at = source.line(begin).end;
  }
  return starts;
}

}  // namespace

Context::Context(const Source& text, const ast::Module& tree, Diagnostics& out)
    : source(text),
      module(tree),
      diagnostics(out),
      writer(program),
      line_starts(find_line_starts(text)) {
  program.source_name = source.name();
}

void Context::at(Span span) {
  const auto next = std::ranges::upper_bound(line_starts, span.begin);
  const auto line = static_cast<std::uint32_t>(next - line_starts.begin());
  const std::uint32_t start = line == 0 ? 0 : line_starts[line - 1];
  writer.pos = {std::max(line, 1U), span.begin - start + 1};
  spans.try_emplace(key_of(writer.pos), span);
}

Span Context::span_of(SourcePos pos) const {
  const auto found = spans.find(key_of(pos));
  return found == spans.end() ? Span{} : found->second;
}

bool Context::needs_extension(std::string_view extension, std::string_view what, Span span) {
  if (!enabled.contains(extension)) {
    const std::string fix = fmt::format("write 'enable {};' at the top", extension);
    const bool accepted_by_wgpu =
        extension == "f16" || extension == "subgroups" || extension == "primitive_index";
    if (!lenient || !accepted_by_wgpu) {
      error(span, fmt::format("{} needs the extension '{}'", what, extension)).with_fix(fix);
      return false;
    }
    diagnostics
        .warning(span,
                 fmt::format("{} needs the extension '{}', which is not enabled", what, extension))
        .with_fix(fix);
    enabled.insert(extension);
  }
  note_feature(*this, extension);
  return true;
}

}  // namespace vyre::sema

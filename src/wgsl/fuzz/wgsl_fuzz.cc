// Any bytes are either a module or errors, and every error can be shown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "vyre/wgsl/module.h"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

void check_span(const vyre::Source& source, vyre::Span span) {
  require(span.begin <= span.end && span.end <= source.text().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const vyre::ParsedModule parsed =
      vyre::parse_wgsl(std::string(reinterpret_cast<const char*>(data), size), "fuzz.wgsl");
  require(parsed.module.has_value() != parsed.diagnostics.has_errors());
  require(parsed.message().empty() == parsed.diagnostics.all().empty());
  for (const vyre::Diagnostic& diagnostic : parsed.diagnostics.all()) {
    check_span(*parsed.source, diagnostic.span);
    for (const vyre::Note& note : diagnostic.notes) check_span(*parsed.source, note.span);
    require(!diagnostic.message.empty());
  }
  return 0;
}

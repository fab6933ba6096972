// Any bytes are either a module or errors, and every error can be shown; the lenient mode accepts
// whatever the other one accepts. Each entry point of a module becomes a kernel or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

void check_span(const vyre::Source& source, vyre::Span span) {
  require(span.begin <= span.end && span.end <= source.text().size());
}

// Whether the text is a module.
bool check(const std::string& text, bool lenient) {
  const vyre::ParsedModule parsed = vyre::parse_wgsl(text, "fuzz.wgsl", {.lenient = lenient});
  require(parsed.module.has_value() != parsed.diagnostics.has_errors());
  require(parsed.message().empty() == parsed.diagnostics.all().empty());
  for (const vyre::Diagnostic& diagnostic : parsed.diagnostics.all()) {
    check_span(*parsed.source, diagnostic.span);
    for (const vyre::Note& note : diagnostic.notes) check_span(*parsed.source, note.span);
    require(!diagnostic.message.empty());
  }
  if (!parsed.module) return false;
  for (const vyre::Program& program : parsed.module->programs) {
    const auto kernel = vyre::make_kernel(program);
    require(kernel || !kernel.error().what.empty());
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool valid = check(text, false);
  require(check(text, true) || !valid);
  return 0;
}

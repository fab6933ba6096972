// Any bytes are either a module or errors, and every error can be shown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "vyre/wgsl/parser.h"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

void check_span(const vyre::Source& source, vyre::Span span) {
  require(span.begin <= span.end && span.end <= source.text().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const vyre::Source source("fuzz.wgsl", std::string(reinterpret_cast<const char*>(data), size));
  vyre::Diagnostics diagnostics;
  const vyre::ast::Module module = vyre::parse(source, diagnostics);
  for (const vyre::ast::Declaration* declaration : module.declarations) {
    check_span(source, declaration->span);
  }
  for (const vyre::Diagnostic& diagnostic : diagnostics.all()) {
    check_span(source, diagnostic.span);
    require(!diagnostic.message.empty());
  }
  require(render(source, diagnostics).empty() == diagnostics.all().empty());
  return 0;
}

#include <fmt/ranges.h>

#include "vyre/base/text/nearest.h"
#include "vyre/pipeline/ready_internal.h"

namespace vyre {

std::string advice(std::string_view name, const std::vector<std::string>& known) {
  const std::string meant = nearest(name, known);
  if (!meant.empty()) return fmt::format("did you mean '{}'?", meant);
  return known.empty() ? "" : fmt::format("there are {}", fmt::join(known, ", "));
}

std::unexpected<Error> ReadyPart::bad(std::uint32_t line, const std::string& what,
                                      std::string fix) const {
  return fail(Code::invalid_input, fmt::format("{}: {}", at(line), what), std::move(fix));
}
std::unexpected<Error> ReadyPart::bad(std::uint32_t line, const std::string& about,
                                      const Error& error) const {
  return fail(error.code, fmt::format("{}: {}: {}", at(line), about, error.what), error.fix);
}
std::string ReadyPart::at(std::uint32_t line) const {
  return line != 0 ? fmt::format("{}:{}", pipeline_.file, line)
                   : fmt::format("pipeline '{}'", pipeline_.name);
}

Result<std::size_t> ReadyPart::storage(std::uint32_t line, const std::string& about,
                                       const std::string& name) const {
  const auto at = out_.find(name);
  if (at && !out_.buffers[*at].uniform) return *at;
  return bad(line, fmt::format("{}: there is no buffer '{}'", about, name),
             advice(name, names_of(pipeline_.buffers)));
}

FindDim ReadyPart::find_dim() const {
  return [this](std::string_view name) -> Result<std::uint64_t> {
    const std::uint64_t* value = given(out_.dims, name);
    if (value != nullptr) return *value;
    return fail(Code::invalid_input, fmt::format("there is no dim '{}'", name),
                advice(name, names_of(pipeline_.dims)));
  };
}

}  // namespace vyre

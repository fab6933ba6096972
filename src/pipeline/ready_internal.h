// What the parts of make_ready share: look-ups, and errors that name their place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/pipeline/dim_expression.h"
#include "vyre/pipeline/ready_pipeline.h"

namespace vyre {

template <class T>
const T* named(const std::vector<T>& all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &T::name);
  return at == all.end() ? nullptr : &*at;
}
template <class T>
const T* given(const std::vector<std::pair<std::string, T>>& all, std::string_view name) {
  const auto at =
      std::ranges::find(all, name, [](const auto& one) { return std::string_view(one.first); });
  return at == all.end() ? nullptr : &at->second;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
  std::vector<std::string> out;
  for (const T& one : all) out.push_back(one.name);
  return out;
}
// The advice for an unknown name, given the known ones.
std::string advice(std::string_view name, const std::vector<std::string>& known);

// One part of make_ready: it looks up names of the pipeline, and adds what it finds to `out`.
class ReadyPart {
 protected:
  ReadyPart(const Pipeline& pipeline, ReadyPipeline& out) : pipeline_(pipeline), out_(out) {}

  // An error at a line of the file; line 0: the pipeline has no file.
  std::unexpected<Error> bad(std::uint32_t line, const std::string& what,
                             std::string fix = "") const;
  std::unexpected<Error> bad(std::uint32_t line, const std::string& about,
                             const Error& error) const;
  // The buffer with this name, which must not be a uniform.
  Result<std::size_t> storage(std::uint32_t line, const std::string& about,
                              const std::string& name) const;
  FindDim find_dim() const;
  // The place of a line, for messages.
  std::string at(std::uint32_t line) const;

  const Pipeline& pipeline_;
  ReadyPipeline& out_;
};

// Computes the bytes of a uniform in the layout of the stage's type.
Result<void> fill_uniform(const Pipeline& pipeline, ReadyPipeline& out, const PipelineStage& stage,
                          const Program& program, const Global& variable, ReadyBuffer& buffer);
// Finds the loops with their stages, and the orders of buffers that change places.
Result<void> find_loops(const Pipeline& pipeline, ReadyPipeline& out);

}  // namespace vyre

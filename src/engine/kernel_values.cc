#include "vyre/engine/kernel_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/data/npy/packed_elements.h"
#include "vyre/engine/session.h"
#include "vyre/ir/slots.h"
#include "vyre/pipeline/pipeline_builder.h"

namespace vyre {
namespace {

bool is_buffer(const Global& g) {
  return g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform;
}

std::string names_of_buffers(const Program& program) {
  std::string out;
  for (const Global& g : program.globals) {
    if (is_buffer(g)) out += (out.empty() ? "it uses " : ", ") + g.name;
  }
  return out;
}

// The variable to which the values belong; an error if they do not fit.
Result<const Global*> variable_of(const Program& program, const KernelValue& value) {
  const auto found = std::ranges::find_if(
      program.globals, [&](const Global& g) { return is_buffer(g) && g.name == value.variable(); });
  const std::string about = fmt::format("kernel '{}'", program.name);
  if (found == program.globals.end()) {
    return fail(Code::invalid_input, fmt::format("{} uses no buffer '{}'", about, value.variable()),
                names_of_buffers(program));
  }
  if (is_written(*found) && value.writable().empty() && !value.bytes().empty()) {
    return fail(Code::invalid_input,
                fmt::format("{} writes '{}', and its values are const", about, found->name));
  }
  const auto kind = program.types.scalar_kind(buffer_layout(program.types, found->type).element);
  if (kind && value.kind() && kind != value.kind()) {
    return fail(Code::invalid_input,
                fmt::format("{}: '{}' is {}, and the values are {}", about, found->name,
                            program.types.spell(found->type), to_string(*value.kind())));
  }
  return &*found;
}

}  // namespace

Result<void> Session::run(const Kernel& kernel, std::initializer_list<KernelValue> values,
                          DispatchSize size, const RunLimits& limits) const {
  std::vector<Binding> bindings;
  for (const KernelValue& value : values) {
    VYRE_TRY(const Global* const variable, variable_of(*kernel.program, value));
    Binding& binding = bindings.emplace_back();
    binding.group = variable->group;
    binding.binding = variable->binding;
    if (on_host_ && !value.writable().empty()) {
      VYRE_TRY(binding.buffer, adopt(value.writable()));
      continue;
    }
    VYRE_TRY(binding.buffer, buffer(value.bytes().size()));
    VYRE_CHECK(write(binding.buffer, 0, value.bytes()));
  }
  VYRE_TRY(const Dispatch dispatch, prepare(kernel, bindings, size, {}, limits));
  VYRE_CHECK(run(dispatch, limits));
  if (on_host_) return {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const KernelValue& value = values.begin()[i];
    VYRE_TRY(const Global* const variable, variable_of(*kernel.program, value));
    if (!is_written(*variable)) continue;
    VYRE_CHECK(read(bindings[i].buffer, 0, value.writable()));
  }
  return {};
}

Result<void> Session::run(const WgslEntry& entry, std::initializer_list<KernelValue> values,
                          DispatchSize size, const RunLimits& limits) const {
  VYRE_TRY(const Kernel kernel, entry.kernel());
  return run(kernel, values, size, limits);
}

}  // namespace vyre

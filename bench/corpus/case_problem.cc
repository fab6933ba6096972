#include "case_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "entry.h"
#include "vyre/base/arithmetic.h"

namespace vyre::bench {
namespace {

template <class T>
std::string first_wrong(const std::vector<std::byte>& got, const Expected& wanted,
                        const Case& kernel, const std::string& buffer) {
  const auto values = values_of<T>(got);
  const bool exact = wanted.kind == Expected::Kind::u32;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    const double off = std::abs(value - wanted.values[i]);
    const double allowed =
        exact ? 0 : kernel.absolute + kernel.relative * std::abs(wanted.values[i]);
    if (!(off <= allowed) && !(value == wanted.values[i])) {
      return fmt::format("{}[{}] is {}, not {}", buffer, i, value, wanted.values[i]);
    }
  }
  return {};
}

std::string wrong_outputs(const Case& kernel, const std::vector<Expected>& wanted,
                          const Outputs& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const CaseBuffer& buffer = kernel.buffers[i];
    if (!buffer.output) continue;
    std::string wrong;
    switch (wanted[i].kind) {
      case Expected::Kind::none:
        wrong = buffer.name + " is an output that the twin does not write";
        break;
      case Expected::Kind::f32:
        wrong = first_wrong<float>(outputs[i], wanted[i], kernel, buffer.name);
        break;
      case Expected::Kind::f16:
        wrong = first_wrong<_Float16>(outputs[i], wanted[i], kernel, buffer.name);
        break;
      case Expected::Kind::u32:
        wrong = first_wrong<std::uint32_t>(outputs[i], wanted[i], kernel, buffer.name);
        break;
    }
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::vector<Expected> expected_of(const Case& kernel, const Twin& twin) {
  std::vector<std::vector<std::byte>> copies;
  std::vector<std::byte*> data;
  std::vector<std::uint64_t> bytes;
  for (const CaseBuffer& b : kernel.buffers) {
    copies.push_back(b.bytes);
    data.push_back(copies.back().data());
    bytes.push_back(b.bytes.size());
  }
  return twin.expect({data.data(), bytes.data(), data.size()});
}

Problem problem_of(const Case& kernel, std::vector<Expected> wanted) {
  Problem out;
  out.name = kernel.name;
  out.wgsl = fmt::format("bench/corpus/{}/{}.wgsl", kernel.family, kernel.name);
  for (const CaseBuffer& b : kernel.buffers) {
    const Role role = b.uniform ? Role::uniform : b.output ? Role::output : Role::input;
    out.buffers.push_back({role, b.bytes});
    out.fresh_data =
        out.fresh_data ||
        (b.output && std::ranges::any_of(b.bytes, [](std::byte v) { return v != std::byte{0}; }));
  }
  out.check = [kernel, wanted = std::move(wanted)](const Outputs& outputs) {
    return wrong_outputs(kernel, wanted, outputs);
  };
  return out;
}

}  // namespace

Result<CaseProblem> make_case_problem(const std::filesystem::path& file, CaseSize size) {
  VYRE_TRY(const Case kernel, load_case(file, size));
  const Twin twin = find_twin(kernel.name);
  if (twin.run == nullptr) return fail(Code::invalid_input, kernel.name + " has no C++ twin");
  VYRE_TRY(const Kernel parsed, kernel_of(kernel.text, kernel.name));
  CaseProblem out{problem_of(kernel, expected_of(kernel, twin)), twin};
  Problem& p = out.problem;
  p.workgroup = parsed.program->workgroup;
  p.takes_length = twin.parameters > p.buffers.size();
  p.has_barriers = parsed.stats.barriers != 0;
  p.groups = kernel.run;
  if (!kernel.in_groups) {
    p.extent = kernel.run;
    for (unsigned i = 0; i < 3; ++i) p.groups[i] = ceil_div(kernel.run[i], p.workgroup[i]);
  }
  return out;
}

}  // namespace vyre::bench

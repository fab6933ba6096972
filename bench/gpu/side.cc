#include "side.h"

#include <cstring>

namespace vyre::bench {

Result<void> Side::make_buffers() {
  for (const BufferSpec& spec : problem_->buffers) {
    VYRE_TRY(auto buffer, session_.buffer(spec.initial.size()));
    VYRE_CHECK(session_.write(buffer, 0, spec.initial));
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

std::vector<Binding> Side::bindings(bool uniforms) const {
  std::vector<Binding> out;
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    if (!uniforms && problem_->buffers[i].role == Role::uniform) continue;
    out.push_back({.group = 0, .binding = i, .buffer = buffers_[i]});
  }
  return out;
}

Result<Side> Side::of_wgsl(const Session& session, const Problem& problem, std::string text,
                           std::optional<Variant> variant) {
  Side out(session, problem);
  VYRE_TRY(const Kernel kernel, kernel_of(std::move(text), problem.name));
  VYRE_CHECK(out.make_buffers());
  VYRE_TRY(out.dispatch_, session.prepare(kernel, out.bindings(true),
                                          problem.extent ? DispatchSize::extent(*problem.extent)
                                                         : DispatchSize::workgroups(problem.groups),
                                          std::move(variant)));
  return out;
}

Result<Side> Side::of_cubin(const Session& session, const Problem& problem,
                            std::vector<std::byte> cubin) {
  Side out(session, problem);
  VYRE_CHECK(out.make_buffers());
  OwnKernel own;
  own.name = problem.name + " (nvcc)";
  own.code.cubin = std::move(cubin);
  own.code.entry = problem.name;
  own.workgroup = problem.workgroup;
  std::uint32_t slot = 0;
  for (const BufferSpec& spec : problem.buffers) {
    if (spec.role == Role::uniform) {
      own.code.parameters.push_back({GpuParameterKind::value, 0, spec.initial});
    } else {
      own.code.parameters.push_back({GpuParameterKind::address, slot++, {}});
    }
  }
  if (problem.takes_length) {
    const auto words = static_cast<std::uint32_t>(problem.buffers.back().initial.size() / 4);
    own.code.parameters.push_back({GpuParameterKind::value, 0, bytes_of_struct(words)});
  }
  VYRE_TRY(out.dispatch_,
           session.prepare(own, out.bindings(false), DispatchSize::workgroups(problem.groups)));
  return out;
}

Result<std::string> Side::wrong_result() {
  VYRE_CHECK(session_.run(dispatch_));
  Outputs outputs(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (problem_->buffers[i].role != Role::output) continue;
    outputs[i].resize(buffers_[i].size());
    VYRE_CHECK(session_.read(buffers_[i], 0, outputs[i]));
  }
  return problem_->check(outputs);
}

Result<double> Side::time(unsigned launches) {
  VYRE_TRY(const auto begin, session_.record());
  for (unsigned i = 0; i < launches; ++i) VYRE_CHECK(session_.submit(dispatch_));
  VYRE_TRY(const auto end, session_.record());
  VYRE_CHECK(end->wait());
  VYRE_TRY(const auto spent, end->since(*begin));
  return std::chrono::duration<double, std::micro>(spent).count() / launches;
}

}  // namespace vyre::bench

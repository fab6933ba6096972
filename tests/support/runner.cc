#include "support/runner.h"

#include <algorithm>
#include <cstdlib>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/session.h"
#include "vyre/ir/interpret/interpret.h"

namespace vyre {

struct Runner::State {
  Session session;
};

namespace {
RunLimits limits() {
  RunLimits out;
  out.deadline = std::chrono::seconds(20);
  return out;
}
}  // namespace

Result<Runner> Runner::open(const std::string& device, unsigned threads) {
  auto session = Session::open(device, {.cpu = {.threads = threads}, .code_folder = {}});
  if (!session) return std::unexpected(session.error());
  Runner out;
  out.device_ = device;
  out.state_ = std::make_shared<State>(State{*std::move(session)});
  return out;
}

Result<void> Runner::run(const Kernel& kernel, Data& data, const Extent& extent,
                         const Variant& variant) const {
  const Session& session = state_->session;
  std::vector<Binding> bindings;
  const auto globals = resources(*kernel.program);
  for (std::size_t i = 0; i < data.size(); ++i) {
    VYRE_TRY(auto buffer, session.buffer(data[i].size()));
    VYRE_CHECK(session.write(buffer, 0, data[i]));
    bindings.push_back({globals[i]->group, globals[i]->binding, std::move(buffer)});
  }
  VYRE_TRY(const auto dispatch,
           session.prepare(kernel, bindings, DispatchSize::extent(extent), variant));
  VYRE_CHECK(session.run(dispatch, limits()));
  for (std::size_t i = 0; i < data.size(); ++i) {
    VYRE_CHECK(session.read(bindings[i].buffer, 0, data[i]));
  }
  return {};
}

Result<void> Runner::run_inside(const Kernel& kernel, Data& data, const Extent& extent,
                                const Variant& variant) const {
  constexpr std::uint64_t kMargin = 256;
  const Session& session = state_->session;
  std::vector<Binding> bindings;
  const auto globals = resources(*kernel.program);
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::vector<std::byte> whole(data[i].size() + 2 * kMargin, std::byte{0xEE});
    std::ranges::copy(data[i], whole.begin() + kMargin);
    VYRE_TRY(auto buffer, session.buffer(whole.size()));
    VYRE_CHECK(session.write(buffer, 0, whole));
    bindings.push_back(
        {globals[i]->group, globals[i]->binding, std::move(buffer), kMargin, data[i].size()});
  }
  VYRE_TRY(const auto dispatch,
           session.prepare(kernel, bindings, DispatchSize::extent(extent), variant));
  VYRE_CHECK(session.run(dispatch, limits()));
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::vector<std::byte> whole(data[i].size() + 2 * kMargin);
    VYRE_CHECK(session.read(bindings[i].buffer, 0, whole));
    std::copy_n(whole.begin() + kMargin, data[i].size(), data[i].begin());
    std::fill_n(whole.begin() + kMargin, data[i].size(), std::byte{0xEE});
    if (std::ranges::count(whole, std::byte{0xEE}) != static_cast<std::ptrdiff_t>(whole.size())) {
      return fail(Code::internal, globals[i]->name + ": bytes beside the binding changed");
    }
  }
  return {};
}

Result<void> Runner::run_on(const Kernel& kernel, std::span<const std::span<std::byte>> memory,
                            const Extent& extent, const Variant& variant) const {
  const Session& session = state_->session;
  std::vector<Binding> bindings;
  const auto globals = resources(*kernel.program);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    VYRE_TRY(auto buffer, session.adopt(memory[i]));
    bindings.push_back({globals[i]->group, globals[i]->binding, std::move(buffer)});
  }
  VYRE_TRY(const auto dispatch,
           session.prepare(kernel, bindings, DispatchSize::extent(extent), variant));
  return session.run(dispatch, limits());
}

std::string Runner::why_not(const Kernel& kernel, const Variant& variant) const {
  return state_->session.why_not(kernel, variant);
}

Variant Runner::default_variant(const Kernel& kernel) const {
  return state_->session.default_variant(kernel);
}

Result<Interpreted> run_interpreter(const Kernel& kernel, Data data, const Extent& extent,
                                    std::uint64_t step_budget) {
  Interpreted out{std::move(data), 0};
  std::vector<BoundBuffer> bound;
  const auto globals = resources(*kernel.program);
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    bound.push_back({globals[i]->group, globals[i]->binding, out.data[i]});
  }
  LaunchShape shape;
  shape.extent = extent;
  for (unsigned i = 0; i < 3; ++i) {
    shape.grid[i] = ceil_div(extent[i], kernel.program->workgroup[i]);
  }
  InterpretOptions options;
  options.step_budget = step_budget;
  const auto report = interpret(kernel, bound, shape, options);
  if (!report) return std::unexpected(report.error());
  out.steps = report->steps;
  return out;
}

std::vector<Variant> all_variants(const Runner& runner, const Kernel& kernel) {
  std::vector<Variant> out;
  const auto add = [&](const Variant& v) {
    if (runner.why_not(kernel, v).empty()) out.push_back(v);
  };
  for (const std::uint32_t width : {1U, 8U, 16U, 32U}) {
    Variant v;
    v.workgroup = kernel.program->workgroup;
    v.gang_width = width;
    add(v);
    Variant checked = v;
    checked.bounds = BoundsMode::checked;
    add(checked);
    for (const std::uint32_t items : {2U, 4U, 8U, 16U}) {
      for (const auto layout : {ItemLayout::strided, ItemLayout::blocked}) {
        v.items_per_lane = items;
        v.layout = layout;
        add(v);
      }
    }
    Variant reshaped;
    reshaped.gang_width = width;
    for (const Extent& shape : {Extent{96, 1, 1}, Extent{7, 3, 1}, Extent{1, 1, 1}}) {
      if (shape == kernel.program->workgroup) continue;
      reshaped.workgroup = shape;
      add(reshaped);
    }
  }
  return out;
}

std::vector<Variant> main_variants(const Runner& runner, const Kernel& kernel) {
  auto out = all_variants(runner, kernel);
  std::erase_if(out, [&](const Variant& v) {
    const bool reshaped = v.workgroup != kernel.program->workgroup;
    const bool checked = v.bounds == BoundsMode::checked;
    if (reshaped || checked) return v.gang_width != (checked ? 16U : 8U);
    if (v.items_per_lane == 1) return false;
    if (v.gang_width == 1) return v.items_per_lane != 2;
    return v.items_per_lane != 4 || v.gang_width == 32;
  });
  return out;
}

std::vector<std::string> devices_to_test() {
  std::vector<std::string> out{"cpu"};
  const char* more = std::getenv("VYRE_TEST_DEVICES");
  std::string rest = more == nullptr ? "" : more;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    out.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return out;
}

}  // namespace vyre

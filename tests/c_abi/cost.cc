// What a prepared dispatch costs through the C ABI, beside Session::run: an empty kernel, the two
// measured in turns. The C++ side is linked into this program, the C side comes with libvyre.so.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "vyre/c.h"
#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace {

constexpr const char* kText = "@compute @workgroup_size(1) fn empty() {}\n";
constexpr int kCalls = 2000;
constexpr int kRounds = 200;
// Far above what is measured on a machine at rest, and far below what a lock or an allocation that
// slipped in would cost on a busy one.
constexpr double kMostNs = 400;

template <class Call>
double nanoseconds(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / kCalls;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + kRounds / 2);
  return values[kRounds / 2];
}

int give_up(const char* what) {
  std::printf("%s: %s\n", what, vyre_last_error_text());
  return 1;
}

}  // namespace

int main() {
  const auto parsed = vyre::parse_wgsl(kText);
  const auto kernel = vyre::make_kernel(parsed.module->programs.front());
  const auto session = vyre::Session::open("cpu", vyre::SessionOptions{});
  if (!kernel || !session) return give_up("C++");
  const auto dispatch = session->prepare(*kernel, {}, vyre::DispatchSize::workgroups({1, 1, 1}));
  if (!dispatch) return give_up("C++");

  vyre_session c_session = 0;
  vyre_module c_module = 0;
  vyre_kernel c_kernel = 0;
  vyre_dispatch c_dispatch = 0;
  const vyre_grid grid = {VYRE_WORKGROUPS, 1, 1, 1};
  if (vyre_session_open("cpu", nullptr, &c_session) != VYRE_OK ||
      vyre_module_load(c_session, kText, VYRE_TO_THE_END, nullptr, &c_module) != VYRE_OK ||
      vyre_kernel_create(c_module, nullptr, nullptr, 0, &c_kernel) != VYRE_OK ||
      vyre_dispatch_create(c_kernel, nullptr, 0, &grid, nullptr, &c_dispatch) != VYRE_OK) {
    return give_up("C");
  }

  std::vector<double> from_cxx, from_c, over;
  bool failed = false;
  for (int i = 0; i < kRounds; ++i) {
    from_cxx.push_back(nanoseconds([&] { failed |= !session->run(*dispatch); }));
    from_c.push_back(
        nanoseconds([&] { failed |= vyre_dispatch_run(c_dispatch, VYRE_NO_DEADLINE) != VYRE_OK; }));
    over.push_back(from_c.back() - from_cxx.back());
  }
  if (failed) return give_up("run");
  std::printf("Session::run %.1f ns, vyre_dispatch_run %.1f ns, difference %.1f ns (medians)\n",
              median(from_cxx), median(from_c), median(over));
  return median(over) <= kMostNs ? 0 : 1;
}

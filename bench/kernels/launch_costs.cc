#include <chrono>

#include "measure.h"
#include "sides.h"

namespace vyre::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Not to be seen through by the compiler.
using EmptyCall = void (*)(void*);
void nothing(void*) {}

double per_call_ns(const std::function<void()>& one, std::size_t calls) {
  std::vector<double> ns;
  for (int block = 0; block < 101; ++block) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < calls; ++i) one();
    ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
                 static_cast<double>(calls));
  }
  return median(ns);
}

}  // namespace

LaunchCosts measure_launch(unsigned threads) {
  LaunchCosts out;
  const auto launch = make_empty_launch(threads);
  volatile EmptyCall call = nothing;
  int touched = 0;
  for (int i = 0; i < 100; ++i) {
    launch();
    native_empty_loop(&touched);
  }
  out.launch = per_call_ns(launch, 1000);
  out.call = per_call_ns([&] { call(&touched); }, 1000);
  out.openmp = per_call_ns([&] { native_empty_loop(&touched); }, 100);
  return out;
}

}  // namespace vyre::bench

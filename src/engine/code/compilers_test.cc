#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <new>
#include <optional>
#include <thread>

#include "vyre/engine/code/compilers_internal.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

TEST(Compilers, EndWithoutWaitingForWhatIsCompiled) {
  std::promise<void> begun;
  std::atomic<bool> left = false;
  std::optional<Compilers> compilers(std::in_place, 1, 0);
  compilers->add([&] {
    // A compilation that never ends by itself.
    const auto endless = [] {
      while (!is_work_unwanted()) std::this_thread::sleep_for(1ms);
    };
    begun.set_value();
    left = !run_abandonable("compiling", endless, compilers->limits());
  });
  begun.get_future().wait();
  compilers.reset();
  EXPECT_TRUE(left);
}

TEST(Compilers, GoOnAfterAJobThatMemoryRanOutFor) {
  Compilers compilers(1, 0);
  bool done = false;
  compilers.add([] { throw std::bad_alloc(); });
  compilers.add([&] { done = true; });
  compilers.wait();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace vyre

#include "vyre/device/cpu/stack_room.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// Writes to a byte in each page of so much stack.
[[gnu::noinline]] void take_stack(std::uint64_t bytes) {
  auto* memory = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::uint64_t i = 0; i < bytes; i += 1024) memory[i] = 1;
}

// Calls the work on a thread with a stack of exactly so many bytes. Where the C library is asked
// for one, it may give a larger one of a thread that has ended.
template <class Work>
void on_stack_of(std::uint64_t bytes, const Work& work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(pthread_attr_setstack(&attributes, memory, bytes), 0);
  pthread_t thread{};
  const auto run = [](void* given) -> void* {
    (*static_cast<const Work*>(given))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<Work*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(memory, bytes);
}

TEST(StackRoom, TellsWhatIsLeftOfAThreadsStack) {
  on_stack_of(2 * kMiB, [] {
    EXPECT_GT(stack_left(), kMiB + kMiB / 2);
    EXPECT_LE(stack_left(), 2 * kMiB);
    EXPECT_TRUE(has_stack_for(kMiB));
    EXPECT_FALSE(has_stack_for(2 * kMiB));
  });
}

TEST(StackRoom, WorkThatFitsRunsOnTheCallingThread) {
  on_stack_of(2 * kMiB, [] {
    for (const std::uint64_t bytes : {std::uint64_t{0}, kMiB}) {
      pthread_t ran{};
      EXPECT_TRUE(run_with_stack(bytes, [&] {
        take_stack(bytes);
        ran = pthread_self();
      }));
      EXPECT_TRUE(pthread_equal(ran, pthread_self()));
    }
  });
}

TEST(StackRoom, WorkThatDoesNotFitHasAStackOfItsOwn) {
  on_stack_of(kMiB, [] {
    for (const std::uint64_t bytes : {kMiB, 3 * kMiB + 12'345, 64 * kMiB}) {
      bool is_elsewhere = false;
      EXPECT_TRUE(run_with_stack(bytes, [&, caller = pthread_self()] {
        take_stack(bytes);
        is_elsewhere = pthread_equal(caller, pthread_self()) == 0;
      }));
      EXPECT_TRUE(is_elsewhere);
    }
  });
}

TEST(StackRoom, AStackThatNobodyHasIsRefused) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the program instead";
  for (const std::uint64_t bytes : {std::uint64_t{1} << 48U, ~std::uint64_t{0}}) {
    bool ran = false;
    EXPECT_FALSE(run_with_stack(bytes, [&] { ran = true; }));
    EXPECT_FALSE(ran);
  }
}

}  // namespace
}  // namespace vyre

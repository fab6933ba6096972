// Work that can be given up halfway, such as that of a code generator which cannot report that
// memory has run out. Giving up unwinds the stack by an exception. Code that was built without
// exceptions is unwound too, but leaks its objects: whatever the work changes must be its own.
//
// The work runs on a thread of its own, whose stack is reserved beforehand: where the address space
// is limited, the stack of the calling thread may be unable to grow. A thread of its own also lets
// the caller leave at a deadline, while the work behind it comes to an end unobserved.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "vyre/base/error.h"

namespace vyre {

struct WorkLimits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<std::uint32_t>* stop = nullptr;  // anything but 0: the caller leaves

  bool stopped() const { return stop != nullptr && stop->load() != 0; }
  bool over() const { return stopped() || std::chrono::steady_clock::now() >= deadline; }
};

// Why `what` has no result once the limits are over. The code is that of a launch that was stopped.
Error over_error(const WorkLimits& limits, std::string_view what);

// Gives up the work that this thread is in. Its caller gets the error.
[[noreturn]] void abandon_work(Error why);
bool is_in_abandonable_work();
// Throws std::bad_alloc, for code that is built without exceptions.
[[noreturn]] void throw_out_of_memory();
// Whether the caller of the work that this thread is in has left, so that the work should end soon.
bool is_work_unwanted();
// The processor time of this thread and of the threads that ended work for it.
double work_ns();

namespace attempt_detail {
Result<void> attempt(void (*run)(const void* work), const void* work);
}  // namespace attempt_detail

// Runs the work on this thread. An error where it was abandoned, memory ran out, or it threw a
// standard exception; nothing is thrown, so that destructors and threads can call it.
// Itself it allocates nothing.
template <class Work>
Result<void> attempt_work(const Work& work) {
  return attempt_detail::attempt([](const void* w) { (*static_cast<const Work*>(w))(); }, &work);
}

// Runs the work on a thread of its own. The caller leaves early where the limits say so, which is
// an error as well; the work must own everything it uses. When the process exits, or unloads the
// library, it waits for work that was left: such work asks is_work_unwanted() often.
// `what` names the work in errors.
Result<void> run_abandonable(std::string_view what, std::function<void()> work,
                             const WorkLimits& limits = {});

// Whether work that was left is still under way.
bool is_work_left();

// The same for a function without parameters that gives a Result.
template <class Work>
auto result_of_abandonable(std::string_view what, Work work, const WorkLimits& limits)
    -> decltype(work()) {
  auto result = std::make_shared<std::optional<decltype(work())>>();
  VYRE_CHECK(
      run_abandonable(what, [work = std::move(work), result] { result->emplace(work()); }, limits));
  return std::move(**result);
}

}  // namespace vyre

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

enum class WorkKind : std::uint8_t {
  // When the process exits, or unloads the library, it waits for such work that was left. So does
  // fork(2), for at most two seconds: where the work has not come to rest by then, the child's
  // calls of run_abandonable are Code::unavailable. Such work asks is_work_unwanted() often.
  computes,
  // Nobody ever waits for such work that was left, and the library stays loaded for its sake. Where
  // there is no thread for it, it runs on the caller's. disk_wait.h is for its callers.
  waits_for_disk,
};

// Runs the work on a thread of its own. The caller leaves early where the limits say so, which is
// an error as well; the work must own everything it uses. `what` names the work in errors.
Result<void> run_abandonable(std::string_view what, std::function<void()> work,
                             const WorkLimits& limits = {}, WorkKind kind = WorkKind::computes);

// From now on dlclose does not unload this library: a thread that was left will go on in it.
void keep_library_loaded();

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

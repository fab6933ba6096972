// Reading and compiling a program recurses as deep as the program nests. Threads of other run-time
// systems may have little stack: there the work moves to a thread that has enough.
#pragma once

#include <exception>
#include <optional>

#include "vyre/c/failure_internal.h"

namespace vyre {

// Whether this thread has less stack left than the deepest program may need.
bool stack_is_short();

// call(argument) on a thread with a large stack, and waits for it; false where the system gives no
// thread. The call does not throw.
bool run_on_large_stack(void (*call)(void*), void* argument);

// What `body` gives, an Outcome, or throws.
template <class Body>
auto with_enough_stack(const Body& body) {
  using Given = decltype(body());
  if (!stack_is_short()) return body();
  struct Job {
    const Body& body;
    std::optional<Given> given;
    std::exception_ptr thrown;
  } job{body, {}, {}};
  const auto call = [](void* argument) {
    Job& j = *static_cast<Job*>(argument);
    try {
      j.given.emplace(j.body());
    } catch (...) {
      j.thrown = std::current_exception();
    }
  };
  if (!run_on_large_stack(call, &job)) return body();
  if (job.thrown) std::rethrow_exception(job.thrown);
  return std::move(*job.given);
}

}  // namespace vyre

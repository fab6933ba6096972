#include <fmt/format.h>

#include "vyre/base/process/abandonable.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/launch_notes_internal.h"

namespace vyre {
namespace {

constexpr const char* kOpenAgain = "open the device again";

}  // namespace

Error CudaContext::error_of(CuResult result, std::string_view call, std::string_view kernel) {
  if (lost()) return lost_error();
  std::string what = fmt::format("{}: {}", call, result_text(driver_, result));
  if (!loses_context(result)) {
    if (!kernel.empty()) what += fmt::format(", for kernel '{}'", kernel);
    what += fmt::format("; {} stays usable", name());
    return {code_of(result), std::move(what), {}};
  }
  std::vector<std::string> names;
  if (suspects_) names = suspects_();
  const std::string suspects = suspects_text(names);
  if (!suspects.empty()) what += fmt::format(", from {}", suspects);
  {
    const std::scoped_lock lock(mutex_);
    if (loss_.empty()) loss_ = std::move(what);
  }
  lost_.store(true, std::memory_order_release);
  return lost_error();
}

Error CudaContext::lost_error() const {
  if (driver_.forked) return forked_error();
  const std::scoped_lock lock(mutex_);
  return {Code::device, fmt::format("{} is lost, with its memory and code: {}", name(), loss_),
          kOpenAgain};
}

std::unexpected<Error> CurrentContext::error() const {
  if (result_ == kLost) return std::unexpected(context_.lost_error());
  return std::unexpected(context_.error_of(result_, "cuCtxSetCurrent"));
}

CuResult EventPool::try_take(CuEvent& event) {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      event = free_.back();
      free_.pop_back();
      return cu::kSuccess;
    }
  }
  return context_.driver().event_create(&event, flags_);
}

Result<CuEvent> EventPool::take() {
  CuEvent event = nullptr;
  VYRE_CHECK(context_.check(try_take(event), "cuEventCreate"));
  return event;
}

void EventPool::give_back(CuEvent event) {
  const std::scoped_lock lock(mutex_);
  // Destructors call it. Without memory the event is lost, until its context is destroyed.
  (void)attempt_work([&] { free_.push_back(event); });
}

void EventPool::destroy_all() {
  const std::scoped_lock lock(mutex_);
  for (CuEvent event : free_) context_.driver().event_destroy(event);
  free_.clear();
}

Result<SharedEvent> take_shared(EventPool& pool) {
  VYRE_TRY(CuEvent event, pool.take());
  return share(event, pool);
}

SharedEvent share(CuEvent event, EventPool& pool) {
  return {event, [&pool](CuEvent e) { pool.give_back(e); }};
}

}  // namespace vyre

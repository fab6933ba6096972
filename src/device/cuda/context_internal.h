// A CUDA context, the device's own or the application's. Makes it current, turns the driver's
// results into errors, and remembers whether it is lost.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/driver_internal.h"

namespace vyre {

class CudaContext {
 public:
  struct Options {
    CuContext handle = nullptr;
    bool guest = false;
    bool leave_current = true;
    std::string name{};  // "cuda:0"
  };

  CudaContext(const CudaDriver& driver, Options options)
      : driver_(driver), options_(std::move(options)) {}
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const CudaDriver& driver() const { return driver_; }
  CuContext handle() const { return options_.handle; }
  bool guest() const { return options_.guest; }
  const std::string& name() const { return options_.name; }

  // Success, or an error that names the call, the driver's text, the kernel if one is given, and
  // whether the device is still usable. Remembers results that lose the context.
  Result<void> check(CuResult result, std::string_view call, std::string_view kernel = {}) {
    if (result == cu::kSuccess) [[likely]]
      return {};
    return std::unexpected(error_of(result, call, kernel));
  }
  Error error_of(CuResult result, std::string_view call, std::string_view kernel = {});

  bool lost() const { return lost_.load(std::memory_order_acquire) || driver_.forked; }
  Error lost_error() const;

  // Returns the kernels that may have caused the loss of the context.
  void set_suspects(std::function<std::vector<std::string>()> suspects) {
    suspects_ = std::move(suspects);
  }

 private:
  friend class CurrentContext;

  const CudaDriver& driver_;
  Options options_;
  std::function<std::vector<std::string>()> suspects_;
  std::atomic<bool> lost_{false};
  mutable ForkSafeMutex mutex_{HeldFor::work};
  std::string loss_;
};

// Makes the context current in this thread, and restores the previous one at the end.
class CurrentContext {
 public:
  explicit CurrentContext(CudaContext& context) : context_(context) {
    if (context.lost()) [[unlikely]] {
      result_ = kLost;
      return;
    }
    context.driver_.context_get_current(&previous_);
    if (previous_ != context.handle()) {
      result_ = context.driver_.context_set_current(context.handle());
    }
  }
  ~CurrentContext() {
    if (previous_ == context_.handle() || result_ != cu::kSuccess) return;
    if (previous_ == nullptr && context_.options_.leave_current && !context_.guest()) return;
    context_.driver_.context_set_current(previous_);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  // False: the context cannot be used, and error() says why.
  explicit operator bool() const { return result_ == cu::kSuccess; }
  std::unexpected<Error> error() const;

 private:
  static constexpr CuResult kLost = -1;

  CudaContext& context_;
  CuContext previous_ = nullptr;
  CuResult result_ = cu::kSuccess;
};

// A pool of events of a context.
class EventPool {
 public:
  EventPool(CudaContext& context, unsigned flags) : context_(context), flags_(flags) {}
  // With the context current.
  Result<CuEvent> take();
  CuResult try_take(CuEvent& event);
  void give_back(CuEvent event);
  // With the context current. Must be called before the pool is destroyed, if the context remains
  // in use.
  void destroy_all();

 private:
  CudaContext& context_;
  unsigned flags_;
  ForkSafeMutex mutex_{HeldFor::work};
  std::vector<CuEvent> free_;
};

// An event that returns to its pool when it is destroyed.
using SharedEvent = std::shared_ptr<CUevent_st>;
SharedEvent share(CuEvent event, EventPool& pool);
Result<SharedEvent> take_shared(EventPool& pool);

}  // namespace vyre

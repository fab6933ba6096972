// A value that can be reached only with its mutex held.
#pragma once

#include <mutex>
#include <utility>

#include "vyre/base/fork_watch.h"

namespace vyre {

template <class T>
class Guarded {
 public:
  // The value, for as long as this lives. Empty where somebody else had the mutex.
  class Access {
   public:
    explicit operator bool() const { return lock_.owns_lock(); }
    T* operator->() const { return value_; }
    T& operator*() const { return *value_; }

   private:
    friend class Guarded;
    Access(std::unique_lock<ForkSafeMutex> lock, T* value)
        : lock_(std::move(lock)), value_(value) {}
    std::unique_lock<ForkSafeMutex> lock_;
    T* value_;
  };

  Access lock() { return {std::unique_lock(mutex_), &value_}; }
  Access try_lock() { return {std::unique_lock(mutex_, std::try_to_lock), &value_}; }

 private:
  ForkSafeMutex mutex_;
  T value_;
};

}  // namespace vyre

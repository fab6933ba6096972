// A value that can be accessed only while its mutex is held.
#pragma once

#include <mutex>
#include <utility>

#include "vyre/base/process/fork_watch.h"

namespace vyre {

template <class T>
class Guarded {
 public:
  // Access to the value during the lifetime of this object. Empty if another thread held the mutex.
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
  ForkSafeMutex mutex_{HeldFor::work};
  T value_;
};

}  // namespace vyre

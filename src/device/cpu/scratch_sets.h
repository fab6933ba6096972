// The scratch memory of launches: one block for each thread of the pool, kept from launch to
// launch. A launch borrows a set of blocks, and several launches at once borrow several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vyre/base/process/fork_watch.h"

namespace vyre {

class ScratchSets {
  struct Set;

 public:
  // A set of blocks that is borrowed until the end of the launch. A block is used by one thread at
  // a time.
  class Loan {
   public:
    Loan(ScratchSets& sets, std::unique_ptr<Set> set, std::uint64_t bytes);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    // The block of a thread, aligned to 64 bytes. Null if no memory is needed, or there is none.
    std::byte* of(unsigned thread) const;

   private:
    ScratchSets& sets_;
    std::unique_ptr<Set> set_;
    std::uint64_t bytes_;
  };

  ScratchSets();
  ~ScratchSets();
  ScratchSets(const ScratchSets&) = delete;
  ScratchSets& operator=(const ScratchSets&) = delete;

  // For threads numbered from 0. Throws nothing: without memory the loan has no blocks.
  Loan lend(std::uint64_t bytes, unsigned threads);

 private:
  std::unique_ptr<Set> take(unsigned threads);
  void give_back(std::unique_ptr<Set> set);

  ForkSafeMutex mutex_;
  std::unique_ptr<Set> idle_;  // a list
};

}  // namespace vyre

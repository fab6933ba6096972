// A process that has no memory left, for tests of what then happens.
#pragma once

#include <cstddef>
#include <functional>

namespace vyre {

// Takes all memory that the process may still allocate, down to pieces of 16 bytes. For processes
// of their own, because it limits the address space.
class NoMemory {
 public:
  NoMemory();
  ~NoMemory();  // there is memory again, without a limit
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

 private:
  struct Piece {
    Piece* next;
  };
  Piece* pieces_ = nullptr;
};

// Whether `work` returns true in a process of its own.
bool holds_in_a_process(const std::function<bool()>& work);

}  // namespace vyre

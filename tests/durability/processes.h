// Processes of a test, and what they tell each other. The counts of the tests can be multiplied
// with the environment variable VYRE_DURABILITY_SCALE (1 when it is not set).
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace vyre {

inline int scaled(int count) {
  const char* scale = std::getenv("VYRE_DURABILITY_SCALE");
  return count * (scale == nullptr ? 1 : std::max(1, std::atoi(scale)));
}

// A child process that runs `work` and ends with what it returns.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : id_(fork()) {
    if (id_ == 0) _exit(work());
  }
  Child(Child&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Child(const Child&) = delete;
  ~Child() {
    if (id_ > 0) kill_now();
  }

  int wait() {
    int status = -1;
    waitpid(std::exchange(id_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill_now() {
    kill(id_, SIGKILL);
    wait();
  }

 private:
  pid_t id_;
};

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close_reading();
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }
  bool write_number(int number) const {
    return write(ends[1], &number, sizeof number) == sizeof number;
  }
  // Returns when there is a number to read, however busy the machine is, or the writer is gone.
  void wait_for_a_number() const {
    pollfd end{ends[0], POLLIN, 0};
    poll(&end, 1, -1);
  }
  // Numbers until the writer is gone.
  std::vector<int> read_numbers() const {
    std::vector<int> numbers;
    int number = 0;
    while (read(ends[0], &number, sizeof number) == sizeof number) numbers.push_back(number);
    return numbers;
  }

 private:
  void close_end(int end) {
    if (ends[end] >= 0) close(std::exchange(ends[end], -1));
  }
  int ends[2] = {-1, -1};
};

}  // namespace vyre

// Shows on a terminal what a command is doing, once it takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "vyre/cli/streams.h"

namespace vyre {

// From its construction on, until it is destroyed; nobody else writes to `err` meanwhile. The line
// appears after `patience`, is drawn again every `patience`, and is gone in the end.
class ProgressLine {
 public:
  struct Options {
    bool is_terminal = false;  // otherwise nothing is shown
    std::chrono::milliseconds patience{1000};
  };
  // Another thread calls `doing`, which returns text such as "compiling saxpy".
  ProgressLine(Output& err, std::function<std::string()> doing, Options options);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show();

  Output& err_;
  const std::function<std::string()> doing_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// The options for the standard error of this process.
ProgressLine::Options progress_on(const Output& err);

}  // namespace vyre

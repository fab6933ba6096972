// Says on a terminal that a kernel is being compiled, once that takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "vyre/cli/streams.h"

namespace vyre {

// From its construction on, until it is destroyed; nobody else writes to `err` meanwhile. The line
// appears after `patience`, is drawn again every `patience`, and is gone in the end.
class CompileProgress {
 public:
  struct Options {
    bool is_terminal = false;  // otherwise nothing is shown
    std::chrono::milliseconds patience{1000};
  };
  CompileProgress(Output& err, std::string kernel, Options options);
  ~CompileProgress();
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;

 private:
  void show();

  Output& err_;
  const std::string kernel_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// What is true of the standard error of this process.
CompileProgress::Options progress_on(const Output& err);

}  // namespace vyre

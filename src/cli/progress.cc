#include "vyre/cli/progress.h"

#include <unistd.h>

#include <system_error>
#include <utility>

namespace vyre {

using Clock = std::chrono::steady_clock;

ProgressLine::ProgressLine(Output& err, std::function<std::string()> doing, Options options)
    : err_(err), doing_(std::move(doing)), patience_(options.patience) {
  if (!options.is_terminal) return;
  try {
    thread_ = std::thread([this] { show(); });
  } catch (const std::system_error&) {
    // Without a thread the work goes on, and no progress is shown.
  }
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ProgressLine::show() {
  const Clock::time_point begin = Clock::now();
  bool is_shown = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, patience_, [&] { return done_; })) {
    const std::chrono::duration<double> spent = Clock::now() - begin;
    err_.overwrite(fmt::format("{}: {:.0f} s", doing_(), spent.count()));
    err_.flush();
    is_shown = true;
  }
  if (!is_shown) return;
  err_.overwrite("");
  err_.flush();
}

ProgressLine::Options progress_on(const Output& err) {
  return {.is_terminal = err.colour && isatty(STDERR_FILENO) == 1};
}

}  // namespace vyre

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "vyre/base/process/abandonable.h"
#include "vyre/cli/command_line.h"
#include "vyre/cli/interrupt.h"

namespace {

// A standard stream that is closed would give its number to the first file we open. Opened for the
// wrong direction, it still fails as a closed one does.
void keep_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != -1 && opened != descriptor) ::close(opened);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  // A reader that leaves and a file that may not grow are errors of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  vyre::Output out(STDOUT_FILENO);
  vyre::Output err(STDERR_FILENO);
  out.colour = vyre::wants_colour(STDOUT_FILENO);
  err.colour = vyre::wants_colour(STDERR_FILENO);
  vyre::Streams streams{out, err, [](std::uint64_t max_bytes) {
                          return vyre::read_descriptor(STDIN_FILENO, max_bytes);
                        }};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int exit = vyre::run_command_line(arguments, streams);
  vyre::end_by_signal();
  if (vyre::is_work_left()) {
    out.flush();
    err.flush();
    ::_exit(exit);  // nobody waits for what a deadline has ended
  }
  return exit;
}

#include "spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>

namespace vyre {
namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    read = ends[0];
    write = ends[1];
  }
};

// A file without a name, so that the child can read at its own pace.
int file_with(const std::string& content) {
  const int file = ::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) std::abort();
  if (::write(file, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    std::abort();
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

// A cache folder that lives as long as this process: what a user has is left alone.
class CacheFolder {
 public:
  CacheFolder() : path_(std::filesystem::temp_directory_path() / "vyre-cache-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~CacheFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string& cache_folder() {
  static const CacheFolder folder;
  return folder.path();
}

[[noreturn]] void become_vyre(const std::vector<std::string>& arguments,
                              const SpawnOptions& options, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(options.out_descriptor >= 0 ? options.out_descriptor : out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (options.memory_bytes != 0) {
    const rlimit limit{options.memory_bytes, options.memory_bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  if (options.file_bytes) {
    const rlimit limit{*options.file_bytes, *options.file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);  // writing fails instead
  }
  if (options.close_out || options.close_all) ::close(STDOUT_FILENO);
  if (options.close_all) {
    ::close(STDIN_FILENO);
    ::close(STDERR_FILENO);
  }
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGHUP, options.ignore_hangup ? SIG_IGN : SIG_DFL);
  ::setenv("XDG_CACHE_HOME", cache_folder().c_str(), 1);
  for (const auto& [name, value] : options.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> argv;
  std::string program = VYRE_PROGRAM;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

Spawned::Spawned(const std::vector<std::string>& arguments, const SpawnOptions& options) {
  const Pipe out, err;
  const int in = file_with(options.input);
  cache_folder();
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) become_vyre(arguments, options, in, out.write, err.write);
  ::close(in);
  ::close(out.write);
  ::close(err.write);
  out_ = out.read;
  err_ = err.read;
}

Spawned::~Spawned() {
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Spawned::wait_for_work(double cpu_seconds) const {
  clockid_t clock{};
  if (::clock_getcpuclockid(pid_, &clock) != 0) std::abort();
  const auto has_ended = [this] {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
  };
  timespec spent{};
  while (!has_ended() && ::clock_gettime(clock, &spent) == 0 &&
         static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec) <
             cpu_seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Finished Spawned::wait() {
  Finished finished;
  std::array<pollfd, 2> streams{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  std::array<std::string*, 2> texts{&finished.out, &finished.err};
  std::array<char, 65536> piece;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (::poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR) std::abort();
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      const ssize_t got = ::read(streams[i].fd, piece.data(), piece.size());
      if (got <= 0) {
        streams[i].fd = -1;
      } else {
        texts[i]->append(piece.data(), static_cast<std::size_t>(got));
      }
    }
  }
  int status = 0;
  rusage used{};
  ::wait4(pid_, &status, 0, &used);
  pid_ = -1;
  for (const timeval& time : {used.ru_utime, used.ru_stime}) {
    finished.cpu_seconds +=
        static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  if (WIFEXITED(status)) finished.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  return finished;
}

Finished vyre_command(const std::vector<std::string>& arguments, const SpawnOptions& options) {
  return Spawned(arguments, options).wait();
}

}  // namespace vyre

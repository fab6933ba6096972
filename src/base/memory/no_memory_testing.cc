#include "vyre/base/memory/no_memory_testing.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace vyre {
namespace {

void limit_address_space(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
}

}  // namespace

NoMemory::NoMemory() {
  std::array<char, 64> text{};
  const int file = ::open("/proc/self/statm", O_RDONLY);
  if (::read(file, text.data(), text.size() - 1) <= 0) _exit(3);
  ::close(file);
  limit_address_space(std::strtoull(text.data(), nullptr, 10) *
                      static_cast<rlim_t>(::getpagesize()));
  for (std::size_t bytes = std::size_t{1} << 26; bytes >= sizeof(Piece);) {
    auto* piece = static_cast<Piece*>(std::malloc(bytes));
    if (piece == nullptr) {
      bytes = bytes > 1024 ? bytes / 2 : bytes - 16;
      continue;
    }
    piece->next = pieces_;
    pieces_ = piece;
  }
}

NoMemory::~NoMemory() {
  while (pieces_ != nullptr) {
    Piece* const next = pieces_->next;
    std::free(pieces_);
    pieces_ = next;
  }
  limit_address_space(RLIM_INFINITY);
}

bool holds_in_a_process(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace vyre

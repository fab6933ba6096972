// What another user of the machine could have done: only root can play that part in a test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

namespace vyre {

inline constexpr uid_t kOtherUser = 54321;

inline bool may_play_another_user() { return ::geteuid() == 0; }

inline void give_to_another_user(const std::filesystem::path& path) {
  ASSERT_EQ(::lchown(path.c_str(), kOtherUser, kOtherUser), 0) << path;
}

// What `work` returns in a process of that user; -1 where it crashed.
inline int as_another_user(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool changed = ::setresgid(kOtherUser, kOtherUser, kOtherUser) == 0 &&
                         ::setresuid(kOtherUser, kOtherUser, kOtherUser) == 0;
    ::_exit(changed ? work() : 126);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace vyre

// Runs the built `vyre` as a user does.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vyre {

struct SpawnOptions {
  std::string input{};      // of the standard input
  int out_descriptor = -1;  // instead of catching the standard output
  bool close_out = false;   // start without a standard output
  bool close_all = false;   // start without any standard stream
  bool ignore_hangup = false;
  std::uint64_t memory_bytes = 0;             // of address space; 0: as much as there is
  std::optional<std::uint64_t> file_bytes{};  // a file cannot grow beyond this, as on a full disk
  std::vector<std::pair<std::string, std::string>> environment{};  // added to ours
};

struct Finished {
  int exit = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out, err;
  double cpu_seconds = 0;  // of all its threads
};

class Spawned {
 public:
  Spawned(const std::vector<std::string>& arguments, const SpawnOptions& options = {});
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;
  ~Spawned();

  pid_t pid() const { return pid_; }
  // Waits until its threads have computed for so long, however busy the machine is, or it has
  // ended.
  void wait_for_work(double cpu_seconds) const;
  // Reads what it writes until it ends.
  Finished wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
};

Finished vyre_command(const std::vector<std::string>& arguments, const SpawnOptions& options = {});

}  // namespace vyre

// A disk that does not answer.
#pragma once

#include <string>

namespace vyre {

// While it exists, a thread that opens a file or folder of this name by openat(2), as all trusted
// files are opened, waits.
class SilentDisk {
 public:
  explicit SilentDisk(std::string name);
  ~SilentDisk();
  SilentDisk(const SilentDisk&) = delete;
  SilentDisk& operator=(const SilentDisk&) = delete;

  int waiting() const;  // threads
};

}  // namespace vyre

// The ways into vyre that keep compiled code, each as a process of its own: it runs one of two
// kernels, which differ in the number they give.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace vyre {

struct Place {
  // Environment variables; absent: not set.
  std::optional<std::string> xdg_cache_home{};
  std::optional<std::string> home{};
  std::filesystem::path current;
  bool as_another_user = false;
};

struct Told {
  int status = -1;     // of the process: 0 where all calls succeeded; -1 where it was killed
  std::string number;  // what the kernel gave
  std::string errors;  // what it wrote to standard error
};

struct Door {
  std::string name;
  std::function<Told(const Place&, int number)> run;  // with the kernel that gives this number
};

inline std::ostream& operator<<(std::ostream& out, const Door& door) { return out << door.name; }

const std::vector<Door>& doors();

// The work of a process in that place; what it returns is its status. A process that takes more
// than a minute is killed.
Told in_process(const Place& place, const std::function<int()>& work);

}  // namespace vyre

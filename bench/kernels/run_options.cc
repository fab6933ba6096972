#include "run_options.h"

#include <array>

#include "environment.h"
#include "sides.h"

namespace vyre::bench {

bool RunOptions::take(const Arguments& arguments) {
  const std::array<std::string, 3> sizes{"small", "default", "large"};
  const std::array<std::string, 2> clocks{"wall", "processor"};
  const std::string_view option = arguments.option();
  if (option == "--size") {
    const std::string name = arguments.name(sizes);
    size = name == "small" ? Size::small : name == "large" ? Size::large : Size::standard;
  } else if (option == "--seconds") {
    seconds = arguments.number(0.0, 3600.0);
  } else if (option == "--threads") {
    threads = arguments.number(1U, 1024U);
  } else if (option == "--clock") {
    clock = arguments.name(clocks) == "wall" ? TimedBy::wall : TimedBy::processor;
  } else if (option == "--json") {
    json = arguments.value();
  } else {
    return false;
  }
  return true;
}

void RunOptions::settle(const Arguments& arguments, char** argv) {
  if (threads == 0) threads = usable_processors();
  settle_environment(arguments, threads, argv);
  set_native_threads(threads);
}

}  // namespace vyre::bench

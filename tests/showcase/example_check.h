// Runs an example of examples/ with vyre and reads what it wrote. Nothing here uses vyre's code.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

struct Check {
  std::string vyre, examples, folder;

  Check(int argc, char** argv) {
    if (argc != 4) {
      std::fprintf(stderr, "usage: %s VYRE EXAMPLES FOLDER\n", argv[0]);
      std::exit(2);
    }
    vyre = argv[1];
    examples = argv[2];
    folder = argv[3];
  }

  std::string file(const std::string& name) const { return folder + "/" + name; }

  void run(const std::string& arguments) const {
    const std::string command = "'" + vyre + "' run " + arguments + " >/dev/null";
    if (std::system(command.c_str()) == 0) return;
    std::fprintf(stderr, "failed: %s\n", command.c_str());
    std::exit(1);
  }

  template <class T>
  std::vector<T> read(const std::string& name, std::size_t count) const {
    std::vector<T> out(count);
    std::ifstream in(file(name), std::ios::binary);
    in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (static_cast<std::size_t>(in.gcount()) != count * sizeof(T) || in.peek() != EOF) {
      std::fprintf(stderr, "%s does not hold %zu values\n", name.c_str(), count);
      std::exit(1);
    }
    return out;
  }
  void write(const std::string& name, const std::vector<float>& values) const {
    std::ofstream out(file(name), std::ios::binary);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
  }

  // Ends the program where a value is farther from what is expected than the tolerance.
  static void compare(const char* what, const std::vector<float>& found,
                      const std::vector<float>& expected, float tolerance) {
    float largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float distance = std::fabs(found[i] - expected[i]);
      if (distance <= tolerance) {
        largest = std::fmax(largest, distance);
        continue;
      }
      std::fprintf(stderr, "%s[%zu] is %g; it should be %g\n", what, i, double(found[i]),
                   double(expected[i]));
      std::exit(1);
    }
    std::printf("%s: %zu values, the farthest %g away\n", what, expected.size(), double(largest));
  }
};

// Numbers from -1 to 1.
inline std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> out(count);
  for (float& value : out) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 8U) / 8388608.0F - 1;
  }
  return out;
}

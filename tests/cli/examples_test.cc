// Every example, run by the built command, against numbers computed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "spawn.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

class Example : public testing::Test {
 protected:
  Example() {
    std::string name = fs::temp_directory_path() / "vyre-examples-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Example() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  template <class T>
  void write(const std::string& name, const std::vector<T>& values) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
  }
  template <class T>
  std::vector<T> read(const std::string& name) const {
    std::stringstream content;
    content << std::ifstream(path(name), std::ios::binary).rdbuf();
    const std::string bytes = content.str();
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  std::string in(const std::string& buffer) const { return buffer + "=raw:" + path(buffer); }

  // vyre run examples/<file> ..., with the named buffers read from and written to their files.
  void run(const std::string& file, const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs, std::vector<std::string> more) const {
    std::vector<std::string> arguments{"run", VYRE_ROOT_DIR "/examples/" + file};
    for (const std::string& buffer : inputs)
      arguments.insert(arguments.end(), {"--in", in(buffer)});
    for (const std::string& buffer : outputs) {
      arguments.insert(arguments.end(), {"--out", in(buffer)});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = vyre_command(arguments);
    ASSERT_EQ(finished.exit, 0) << finished.err;
  }

  fs::path folder_;
};

// Not a source of good randomness, but one that this file shares with nobody.
std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t state = 12345) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    out.push_back(state);
  }
  return out;
}

std::vector<float> fractions(std::size_t count, std::uint32_t seed) {
  std::vector<float> out;
  for (const std::uint32_t value : numbers(count, seed)) {
    out.push_back(static_cast<float>(value >> 8) * 0x1p-24F);
  }
  return out;
}

TEST_F(Example, AllOfThemCheck) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(VYRE_ROOT_DIR "/examples")) {
    if (entry.path().extension() != ".wgsl") continue;
    ++count;
    const Finished finished = vyre_command({"check", entry.path()});
    EXPECT_EQ(finished.exit, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
  }
  EXPECT_GE(count, 8U);
}

TEST_F(Example, Saxpy) {
  const std::size_t n = 1000;  // not a whole number of workgroups
  const auto x = fractions(n, 1), y = fractions(n, 2);
  write("x", x);
  write("y", y);
  run("saxpy.wgsl", {"x", "y"}, {"y"}, {"--uniform", "a=2.5"});
  const auto result = read<float>("y");
  ASSERT_EQ(result.size(), n);
  // a*b+c is one operation with one rounding.
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(result[i], std::fma(2.5F, x[i], y[i])) << i;
}

TEST_F(Example, Reduction) {
  for (const std::uint32_t width : {64U, 16U}) {
    const std::size_t n = 1000, groups = (n + width - 1) / width;
    std::vector<float> values;
    for (const std::uint32_t value : numbers(n)) {
      values.push_back(static_cast<float>(value % 1000));  // sums are exact in any order
    }
    write("values", values);
    write("sums", std::vector<float>(groups, -1));
    run("reduction.wgsl", {"values", "sums"}, {"sums"},
        {"--grid", std::to_string(groups), "--set", "WIDTH=" + std::to_string(width)});
    const auto sums = read<float>("sums");
    ASSERT_EQ(sums.size(), groups);
    for (std::size_t g = 0; g < groups; ++g) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(g * width);
      const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(n, (g + 1) * width));
      EXPECT_EQ(sums[g], std::accumulate(begin, end, 0.0F)) << g;
    }
  }
}

TEST_F(Example, Scan) {
  const std::size_t n = 1000, groups = (n + 63) / 64;
  const auto values = numbers(n);
  write("values", values);
  write("totals", std::vector<std::uint32_t>(groups));
  const std::string grid = std::to_string(groups);
  run("scan.wgsl", {"values", "totals"}, {"values", "totals"},
      {"--entry", "scan_blocks", "--grid", grid});
  run("scan.wgsl", {"totals"}, {"totals"}, {"--entry", "scan_totals", "--grid", "1"});
  run("scan.wgsl", {"values", "totals"}, {"values"}, {"--entry", "add_totals", "--grid", grid});
  std::vector<std::uint32_t> expected(n);
  std::partial_sum(values.begin(), values.end(), expected.begin());  // modulo 2^32
  EXPECT_EQ(read<std::uint32_t>("values"), expected);
}

TEST_F(Example, MatmulAndTiled) {
  const std::size_t rows = 20, inner = 35, columns = 11;  // no multiples of a tile
  std::vector<float> a, b;
  for (const std::uint32_t value : numbers(rows * inner, 1))
    a.push_back(static_cast<float>(value >> 28));
  for (const std::uint32_t value : numbers(inner * columns, 2))
    b.push_back(static_cast<float>(value >> 28));
  write("a", a);
  write("b", b);
  std::vector<float> expected(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t k = 0; k < inner; ++k) {
        expected[r * columns + c] += a[r * inner + k] * b[k * columns + c];
      }
    }
  }
  for (const char* tile : {"16", "4"}) {
    // Whole workgroups: the lanes at the edges bring zeros.
    const std::size_t t = static_cast<std::size_t>(std::atoi(tile));
    write("c", std::vector<float>(rows * columns, -1));
    run("matmul.wgsl", {"a", "b", "c"}, {"c"},
        {"--grid", std::to_string((columns + t - 1) / t) + "," + std::to_string((rows + t - 1) / t),
         "--uniform", "shape.rows=20,shape.inner=35,shape.columns=11", "--set",
         std::string("TILE=") + tile});
    EXPECT_EQ(read<float>("c"), expected) << tile;
  }
  struct Sides {
    std::size_t x, y, k;
  };
  for (const auto& [x, y, k] : {Sides{16, 16, 16}, Sides{4, 1, 32}, Sides{32, 8, 4}}) {
    write("c", std::vector<float>(rows * columns, -1));
    run("tiled.wgsl", {"a", "b", "c"}, {"c"},
        {"--grid", std::to_string((columns + x - 1) / x) + "," + std::to_string((rows + y - 1) / y),
         "--uniform", "shape.rows=20,shape.inner=35,shape.columns=11", "--set",
         "BX=" + std::to_string(x) + ",BY=" + std::to_string(y) + ",BK=" + std::to_string(k)});
    EXPECT_EQ(read<float>("c"), expected) << x << " x " << y << " x " << k;
  }
}

TEST_F(Example, Histogram) {
  const auto values = numbers(5000);
  write("values", values);
  run("histogram.wgsl", {"values"}, {"bins"}, {});
  std::vector<std::uint32_t> expected(256);
  for (const std::uint32_t value : values) ++expected[value / 0x1000000];
  EXPECT_EQ(read<std::uint32_t>("bins"), expected);
}

TEST_F(Example, Nbody) {
  const std::size_t n = 40;
  const auto bodies = fractions(4 * n, 7);
  write("bodies", bodies);
  std::vector<float> velocities(4 * n);  // a vec3 takes the room of four
  const auto start = fractions(3 * n, 8);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) velocities[4 * i + axis] = start[3 * i + axis];
  }
  write("velocities", velocities);
  run("nbody.wgsl", {"bodies", "velocities"}, {"moved", "velocities"},
      {"--uniform", "step.dt=0.01,step.softening=0.1"});
  const auto moved = read<float>("moved"), after = read<float>("velocities");
  ASSERT_EQ(moved.size(), 4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    double acceleration[3] = {};
    for (std::size_t j = 0; j < n; ++j) {
      double squared = 0.01;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        squared += std::pow(double{bodies[4 * j + axis]} - bodies[4 * i + axis], 2);
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        acceleration[axis] += (double{bodies[4 * j + axis]} - bodies[4 * i + axis]) *
                              bodies[4 * j + 3] / std::pow(squared, 1.5);
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double velocity = velocities[4 * i + axis] + 0.01 * acceleration[axis];
      EXPECT_NEAR(after[4 * i + axis], velocity, 1e-5);
      EXPECT_NEAR(moved[4 * i + axis], bodies[4 * i + axis] + 0.01 * velocity, 1e-6);
    }
    EXPECT_EQ(moved[4 * i + 3], bodies[4 * i + 3]);
  }
}

TEST_F(Example, BitonicSort) {
  auto values = numbers(64);
  write("values", values);
  for (std::uint32_t block = 2; block <= 64; block *= 2) {
    for (std::uint32_t distance = block / 2; distance > 0; distance /= 2) {
      run("bitonic.wgsl", {"values"}, {"values"},
          {"--uniform",
           "step.block=" + std::to_string(block) + ",step.distance=" + std::to_string(distance)});
    }
  }
  std::ranges::sort(values);
  EXPECT_EQ(read<std::uint32_t>("values"), values);
}

TEST_F(Example, Mandelbrot) {
  const std::size_t width = 60, height = 40, limit = 50;  // no multiples of a workgroup
  run("mandelbrot.wgsl", {}, {"rounds"},
      {"--size", "60,40", "--uniform",
       "view.corner=-2:-1,view.pixel=0.05,view.width=60,view.limit=50"});
  const auto rounds = read<std::uint32_t>("rounds");
  ASSERT_EQ(rounds.size(), width * height);
  // Points near the edge of the set leave a round sooner or later by how one rounds.
  std::size_t different = 0;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const double cx = -2 + 0.05 * static_cast<double>(column);
      const double cy = -1 + 0.05 * static_cast<double>(row);
      double x = 0, y = 0;
      std::size_t round = 0;
      while (round < limit && x * x + y * y <= 4) {
        const double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++round;
      }
      different += rounds[row * width + column] != round;
    }
  }
  EXPECT_LE(different, width * height / 50);
  EXPECT_EQ(rounds[20 * width + 40], limit);  // c = 0 never leaves
  EXPECT_EQ(rounds[0], 1U);                   // c = -2 - i leaves at once
}

}  // namespace
}  // namespace vyre

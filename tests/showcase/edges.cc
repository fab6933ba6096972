// The edges of examples/edges by plain loops.
#include <algorithm>

#include "example_check.h"

namespace {

constexpr int kWidth = 61, kHeight = 43, kBins = 64;

using Picture = std::vector<float>;

float pixel(const Picture& from, int x, int y) {
  return from[std::size_t(std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1))];
}

template <class Body>
Picture each(const Body& body) {
  Picture out;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) out.push_back(body(x, y));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const Check check(argc, argv);
  const std::size_t pixels = kWidth * kHeight;
  std::vector<float> photo = numbers(4 * pixels, 9);
  for (float& value : photo) value = 0.5F + 0.1F * value;
  check.write("photo", photo);

  const Picture light = each([&](int x, int y) {
    const float* colour = &photo[std::size_t(4 * (y * kWidth + x))];
    return colour[0] * 0.2126F + colour[1] * 0.7152F + colour[2] * 0.0722F;
  });
  const Picture soft = each([&](int x, int y) {
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) sum += pixel(light, x + dx, y + dy);
    }
    return sum / 9;
  });
  const Picture edges = each([&](int x, int y) {
    const auto at = [&](int dx, int dy) { return pixel(soft, x + dx, y + dy); };
    const float gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    const float gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    return std::clamp(std::sqrt(gx * gx + gy * gy) * 2.5F, 0.0F, 1.0F);
  });

  for (const char* how : {"", " --no-fuse"}) {
    check.run("'" + check.examples + "/edges/edges.toml' --device cpu --dim width=61" +
              " --dim height=43 --in 'photo=raw:" + check.file("photo") + "' --out 'edges=raw:" +
              check.file("edges") + "' --out 'counts=raw:" + check.file("counts") + "'" + how);
    const auto found = check.read<float>("edges", pixels);
    Check::compare("edges", found, edges, 1e-5F);
    // The histogram is of what was found: a pixel on the edge of two bins may round either way.
    std::vector<std::uint32_t> counts(kBins);
    for (const float value : found) ++counts[std::min(int(value * kBins), kBins - 1)];
    if (check.read<std::uint32_t>("counts", kBins) != counts) {
      std::fprintf(stderr, "the histogram is wrong\n");
      return 1;
    }
  }
  return 0;
}

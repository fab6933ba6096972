// The fluid of examples/fluid by plain loops.
#include <algorithm>

#include "example_check.h"

namespace {

constexpr int kWidth = 45, kHeight = 37, kSteps = 5;

struct Cell {
  float x = 0, y = 0;
};
using Field = std::vector<float>;
using Flow = std::vector<Cell>;

int at(int x, int y) { return y * kWidth + x; }

template <class Body>
void inside(const Body& body) {
  for (int y = 1; y + 1 < kHeight; ++y) {
    for (int x = 1; x + 1 < kWidth; ++x) body(x, y, at(x, y));
  }
}

float mix(float a, float b, float share) { return a * (1 - share) + b * share; }

// Where a cell's contents were before the step.
struct Origin {
  int cell;
  float right, down;
};
Origin origin(const Flow& flow, int x, int y) {
  const auto i = static_cast<std::size_t>(at(x, y));
  const float px = std::clamp(float(x) - flow[i].x, 0.5F, kWidth - 1.5F);
  const float py = std::clamp(float(y) - flow[i].y, 0.5F, kHeight - 1.5F);
  return {at(int(std::floor(px)), int(std::floor(py))), px - std::floor(px), py - std::floor(py)};
}
template <class Get>
float between(const Origin& from, const Get& get) {
  const float above = mix(get(from.cell), get(from.cell + 1), from.right);
  const float below = mix(get(from.cell + kWidth), get(from.cell + kWidth + 1), from.right);
  return mix(above, below, from.down);
}

void step(Flow& velocity, Field& pressure, Field& dye) {
  const float viscosity = 0.2F;
  inside([&](int x, int y, int i) {
    const float dx = float(x) - kWidth * 0.2F;
    const float dy = float(y) - kHeight * 0.5F;
    const float strength = std::max(0.0F, 1 - (dx * dx + dy * dy) / 16);
    velocity[i].x += 0.3F * strength;
    velocity[i].y += -0.25F * 0.3F * strength;
    dye[i] = std::max(dye[i], strength);
  });
  Flow flow(velocity.size());
  for (int round = 0; round < 12; ++round) {
    Flow better(flow.size());
    inside([&](int, int, int i) {
      const Cell &l = flow[i - 1], &r = flow[i + 1], &u = flow[i - kWidth], &d = flow[i + kWidth];
      better[i].x = (velocity[i].x + viscosity * (l.x + r.x + u.x + d.x)) / (1 + 4 * viscosity);
      better[i].y = (velocity[i].y + viscosity * (l.y + r.y + u.y + d.y)) / (1 + 4 * viscosity);
    });
    flow = better;
  }
  Field divergence(dye.size());
  inside([&](int, int, int i) {
    divergence[i] =
        0.5F * (flow[i + 1].x - flow[i - 1].x + flow[i + kWidth].y - flow[i - kWidth].y);
  });
  for (int round = 0; round < 34; ++round) {
    Field next(pressure.size());
    inside([&](int, int, int i) {
      next[i] = 0.25F * (pressure[i - 1] + pressure[i + 1] + pressure[i - kWidth] +
                         pressure[i + kWidth] - divergence[i]);
    });
    pressure = next;
  }
  inside([&](int, int, int i) {
    flow[i].x -= 0.5F * (pressure[i + 1] - pressure[i - 1]);
    flow[i].y -= 0.5F * (pressure[i + kWidth] - pressure[i - kWidth]);
  });
  Field moved(dye.size());
  inside([&](int x, int y, int i) {
    const Origin from = origin(flow, x, y);
    velocity[i].x = between(from, [&](int c) { return flow[c].x; });
    velocity[i].y = between(from, [&](int c) { return flow[c].y; });
    moved[i] = between(from, [&](int c) { return dye[c]; });
  });
  dye = moved;
}

}  // namespace

int main(int argc, char** argv) {
  const Check check(argc, argv);
  const std::size_t cells = kWidth * kHeight;
  Flow velocity(cells);
  Field pressure(cells), dye(cells);
  for (int s = 0; s < kSteps; ++s) step(velocity, pressure, dye);
  for (const char* how : {"", " --no-fuse"}) {
    check.run("'" + check.examples + "/fluid/fluid.toml' --device cpu --dim width=45" +
              " --dim height=37 --repeat 5 --out 'dye=raw:" + check.file("dye") + "'" +
              " --out 'pressure=raw:" + check.file("pressure") + "'" + how);
    Check::compare("dye", check.read<float>("dye", cells), dye, 1e-4F);
    Check::compare("pressure", check.read<float>("pressure", cells), pressure, 1e-4F);
  }
  // The dye has moved, and it is all still there or more: the comparison was about something.
  if (*std::max_element(dye.begin(), dye.end()) < 0.5F) return 1;
  return 0;
}

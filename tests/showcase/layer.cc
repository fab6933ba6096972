// The layer of examples/layer by plain loops, in double precision.
#include "example_check.h"

namespace {

constexpr std::size_t kTokens = 11, kWidth = 48, kHeads = 3, kHead = kWidth / kHeads;

using Rows = std::vector<double>;

Rows project(const Rows& x, const std::vector<float>& weight) {
  Rows out(kTokens * kWidth);
  for (std::size_t t = 0; t < kTokens; ++t) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        out[t * kWidth + c] += x[t * kWidth + i] * double(weight[i * kWidth + c]);
      }
    }
  }
  return out;
}

Rows normalise(const std::vector<float>& x, const std::vector<float>& gain) {
  Rows out(kTokens * kWidth);
  for (std::size_t t = 0; t < kTokens; ++t) {
    double sum = 0;
    for (std::size_t c = 0; c < kWidth; ++c) sum += double(x[t * kWidth + c]) * x[t * kWidth + c];
    const double scale = 1 / std::sqrt(sum / kWidth + 1e-5);
    for (std::size_t c = 0; c < kWidth; ++c) {
      out[t * kWidth + c] = x[t * kWidth + c] * scale * gain[c];
    }
  }
  return out;
}

void rotate(Rows& y) {
  for (std::size_t t = 0; t < kTokens; ++t) {
    for (std::size_t p = 0; p < kWidth / 2; ++p) {
      const double angle =
          double(t) * std::pow(10000.0, -2.0 * double(p % (kHead / 2)) / double(kHead));
      double& a = y[t * kWidth + 2 * p];
      double& b = y[t * kWidth + 2 * p + 1];
      const double turned = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = turned;
    }
  }
}

Rows attend(const Rows& q, const Rows& k, const Rows& v) {
  Rows out(kTokens * kWidth);
  for (std::size_t t = 0; t < kTokens; ++t) {
    for (std::size_t h = 0; h < kHeads; ++h) {
      std::vector<double> share(t + 1);
      double total = 0;
      for (std::size_t o = 0; o <= t; ++o) {
        double score = 0;
        for (std::size_t i = h * kHead; i < (h + 1) * kHead; ++i) {
          score += q[t * kWidth + i] * k[o * kWidth + i];
        }
        share[o] = std::exp(score / std::sqrt(double(kHead)));
        total += share[o];
      }
      for (std::size_t o = 0; o <= t; ++o) {
        for (std::size_t i = h * kHead; i < (h + 1) * kHead; ++i) {
          out[t * kWidth + i] += share[o] / total * v[o * kWidth + i];
        }
      }
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const Check check(argc, argv);
  const auto x = numbers(kTokens * kWidth, 1);
  const auto gain = numbers(kWidth, 2);
  std::vector<std::vector<float>> weights;
  for (std::uint32_t w = 0; w < 4; ++w) {
    weights.push_back(numbers(kWidth * kWidth, 3 + w));
    for (float& value : weights.back()) value *= 0.25F;
  }
  const Rows normal = normalise(x, gain);
  Rows q = project(normal, weights[0]);
  Rows k = project(normal, weights[1]);
  rotate(q);
  rotate(k);
  const Rows out = project(attend(q, k, project(normal, weights[2])), weights[3]);
  std::vector<float> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = float(x[i] + out[i]);

  std::string inputs;
  const auto give = [&](const std::string& name, const std::vector<float>& values) {
    check.write(name, values);
    inputs += " --in '" + name + "=raw:" + check.file(name) + "'";
  };
  give("x", x);
  give("gain", gain);
  const char* const names[] = {"wq", "wk", "wv", "wo"};
  for (std::size_t w = 0; w < 4; ++w) give(names[w], weights[w]);
  for (const char* how : {"", " --no-fuse"}) {
    check.run("'" + check.examples + "/layer/layer.toml' --device cpu --dim tokens=11" +
              " --dim width=48 --dim heads=3 --out 'y=raw:" + check.file("y") + "'" + inputs + how);
    Check::compare("y", check.read<float>("y", x.size()), expected, 2e-4F);
  }
  return 0;
}

#include "vyre/tune/search/search_surrogate.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace vyre {
namespace {

constexpr int kLeastLength = -6, kGreatestLength = 6;
constexpr int kLeastWeight = -6, kGreatestWeight = 4;
constexpr int kLeastOwn = -6, kGreatestOwn = -1;
constexpr int kLeastOdd = 0, kGreatestOdd = 6;
constexpr int kLeastNoise = -14, kGreatestNoise = -3;
constexpr float kLeastPivot = 1e-6F;

// to[i] -= factor * from[i], in blocks of a fixed size, which compilers vectorise.
void subtract_scaled(float* __restrict to, const float* __restrict from, float factor,
                     std::size_t count) {
  constexpr std::size_t kPiece = 8;
  std::size_t i = 0;
  for (; i + kPiece <= count; i += kPiece) {
    for (std::size_t k = 0; k < kPiece; ++k) to[i + k] -= factor * from[i + k];
  }
  for (; i < count; ++i) to[i] -= factor * from[i];
}

// Powers of two match the units of memory and schedulers; other sizes do not.
bool is_power_of_two(const std::string& value) {
  const auto number = value_number(value);
  int exponent = 0;
  return number && std::frexp(*number, &exponent) == 0.5;
}

}  // namespace

// Compares shapes on the values, and keeps what does not change between shapes.
class ShapeFit {
 public:
  ShapeFit(const SearchSurrogate& surrogate, std::span<const std::uint32_t> points,
           std::span<const double> values)
      : of_(surrogate), points_(points), values_(values), like_(surrogate.active_.size()) {
    const std::size_t pairs = points.size() * (points.size() + 1) / 2;
    sum_.resize(pairs);
    squares_.resize(pairs);
    product_.resize(pairs);
    factor_.resize(pairs);
    solved_.resize(points.size());
  }

  // Makes this the reference shape.
  void settle(const KernelShape& shape) {
    for (std::size_t d = 0; d < like_.size(); ++d) {
      if (shape_.length.empty() || shape_.length[d] != shape.length[d] || shape_.own != shape.own ||
          shape_.odd != shape.odd) {
        pair_likeness(shape, d, like_[d]);
      }
    }
    shape_ = shape;
  }

  // The log likelihood of the values, up to a constant, with the best scale.
  double likelihood(const KernelShape& shape) {
    std::ranges::fill(sum_, 0.0F);
    std::ranges::fill(squares_, 0.0F);
    std::ranges::fill(product_, 1.0F);
    for (std::size_t d = 0; d < like_.size(); ++d) {
      const bool same =
          shape.length[d] == shape_.length[d] && shape.own == shape_.own && shape.odd == shape_.odd;
      if (!same) pair_likeness(shape, d, changed_);
      const float* each = same ? like_[d].data() : changed_.data();
      for (std::size_t i = 0; i < sum_.size(); ++i) {
        sum_[i] += each[i];
        squares_[i] += each[i] * each[i];
        product_[i] *= each[i];
      }
    }
    const auto weights = SearchSurrogate::weights_of(shape, like_.size());
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      factor_[i] = weights.alone * sum_[i] +
                   weights.pairs * 0.5F * (sum_[i] * sum_[i] - squares_[i]) +
                   weights.together * product_[i];
    }
    return solve(weights.noise) - prior(shape);
  }

 private:
  // Pairs are stored as the rows of an upper triangle.
  void pair_likeness(const KernelShape& shape, std::size_t d, std::vector<float>& out) const {
    const std::size_t values = of_.space_.parameters()[of_.active_[d]].values.size();
    std::vector<float> table(values);
    out.clear();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::uint16_t here = of_.value_at(points_[i], d);
      for (std::size_t v = 0; v < values; ++v) {
        table[v] = of_.likeness(shape, d, here, static_cast<std::uint16_t>(v));
      }
      for (std::size_t j = i; j < points_.size(); ++j) {
        out.push_back(table[of_.value_at(points_[j], d)]);
      }
    }
  }

  // The Cholesky factor of the kernel matrix, and the values solved by it at the same time.
  double solve(float noise) {
    const std::size_t n = points_.size();
    std::ranges::copy(values_, solved_.begin());
    double log_pivots = 0, fit = 0;
    std::size_t start = 0;
    for (std::size_t k = 0; k < n; ++k) {
      float* row = factor_.data() + start;
      const float pivot = std::sqrt(std::max(row[0] + noise, kLeastPivot));
      for (std::size_t j = 1; j < n - k; ++j) row[j] /= pivot;
      solved_[k] /= pivot;
      fit += solved_[k] * solved_[k];
      log_pivots += std::log(pivot);
      std::size_t below = start + (n - k);
      for (std::size_t i = 1; i < n - k; ++i) {
        subtract_scaled(factor_.data() + below, row + i, row[i], n - k - i);
        solved_[k + i] -= row[i] * solved_[k];
        below += n - k - i;
      }
      start += n - k;
    }
    const double count = static_cast<double>(n);
    return -0.5 * count * std::log(fit / count + 1e-9) - log_pivots;
  }

  // A prior on shapes: lengths near the span, and small effects of single values.
  static double prior(const KernelShape& shape) {
    constexpr double kStrength = 0.05;
    double sum = (shape.own + 4) * (shape.own + 4);
    for (const int length : shape.length) sum += (length - 1) * (length - 1);
    return kStrength * sum;
  }

  const SearchSurrogate& of_;
  std::span<const std::uint32_t> points_;
  std::span<const double> values_;
  KernelShape shape_;
  std::vector<std::vector<float>> like_;
  std::vector<float> changed_, sum_, squares_, product_, factor_;
  std::vector<double> solved_;
};

SearchSurrogate::SearchSurrogate(const SearchSpace& space) : space_(space) {
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    if (space.parameters()[p].values.size() < 2) continue;
    active_.push_back(p);
    const auto positions = space.positions(p);
    places_.emplace_back(positions.begin(), positions.end());
    round_.emplace_back();
    for (const std::string& value : space.parameters()[p].values) {
      round_.back().push_back(is_power_of_two(value));
    }
  }
  rows_.reserve(space.size() * active_.size());
  for (std::uint32_t i = 0; i < space.size(); ++i) {
    const auto row = space.row(i);
    for (const std::size_t p : active_) rows_.push_back(row[p]);
  }
  shape_.length.assign(active_.size(), 1);
  weights_ = weights_of(shape_, active_.size());
}

SearchSurrogate::Weights SearchSurrogate::weights_of(const KernelShape& shape,
                                                     std::size_t parameters) {
  const float n = static_cast<float>(parameters);
  const float alone = std::exp2(static_cast<float>(shape.alone));
  const float pairs = parameters > 1 ? std::exp2(static_cast<float>(shape.pairs)) : 0.0F;
  const float sum = alone + pairs + 1;
  return {.alone = parameters > 0 ? alone / sum / n : 0.0F,
          .pairs = parameters > 1 ? pairs / sum / (n * (n - 1) / 2) : 0.0F,
          .together = 1 / sum,
          .noise = std::exp2(static_cast<float>(shape.noise))};
}

// The Matérn 3/2 kernel of the distance (once differentiable); 1 for equal values.
float SearchSurrogate::likeness(const KernelShape& shape, std::size_t d, std::uint16_t a,
                                std::uint16_t b) const {
  if (a == b) return 1;
  const float distance = places_[d].empty() ? 1.0F : std::fabs(places_[d][a] - places_[d][b]);
  const float x = 1.7320508F * distance * std::exp2(-0.5F * static_cast<float>(shape.length[d]));
  const float kind =
      round_[d][a] == round_[d][b] ? 1.0F : std::exp2(-0.5F * static_cast<float>(shape.odd));
  return (1 - std::exp2(static_cast<float>(shape.own))) * kind * (1 + x) * std::exp(-x);
}

void SearchSurrogate::likeness_of(std::uint32_t configuration, Likeness& out) const {
  out.of.clear();
  out.starts.clear();
  for (std::size_t d = 0; d < active_.size(); ++d) {
    out.starts.push_back(static_cast<std::uint32_t>(out.of.size()));
    const std::size_t values = space_.parameters()[active_[d]].values.size();
    for (std::size_t v = 0; v < values; ++v) {
      out.of.push_back(
          likeness(shape_, d, value_at(configuration, d), static_cast<std::uint16_t>(v)));
    }
  }
}

float SearchSurrogate::kernel(const Likeness& like, std::uint32_t other) const {
  const std::uint16_t* row = rows_.data() + other * active_.size();
  float sum = 0, squares = 0, product = 1;
  for (std::size_t d = 0; d < active_.size(); ++d) {
    const float each = like.of[like.starts[d] + row[d]];
    sum += each;
    squares += each * each;
    product *= each;
  }
  return weights_.alone * sum + weights_.pairs * 0.5F * (sum * sum - squares) +
         weights_.together * product;
}

void SearchSurrogate::choose_shape(std::span<const std::uint32_t> points,
                                   std::span<const double> values) {
  ShapeFit fit(*this, points, values);
  fit.settle(shape_);
  double best = fit.likelihood(shape_);
  const auto step = [&](int& what, int least, int greatest) {
    const int from = what;
    for (const int by : {-2, 2, -1, 1}) {
      if (from + by < least || from + by > greatest) continue;
      what = from + by;
      const double value = fit.likelihood(shape_);
      if (value > best + 1e-6) {
        best = value;
        fit.settle(shape_);
        return;
      }
      what = from;
    }
  };
  for (int& length : shape_.length) step(length, kLeastLength, kGreatestLength);
  step(shape_.alone, kLeastWeight, kGreatestWeight);
  step(shape_.pairs, kLeastWeight, kGreatestWeight);
  step(shape_.own, kLeastOwn, kGreatestOwn);
  step(shape_.odd, kLeastOdd, kGreatestOdd);
  step(shape_.noise, kLeastNoise, kGreatestNoise);
}

void SearchSurrogate::fit(std::span<const std::uint32_t> points, std::span<const double> values,
                          std::vector<std::uint32_t> candidates) {
  assert(points.size() == values.size() && !points.empty());
  std::vector<std::uint32_t> good_points;
  std::vector<double> good;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isnan(values[i])) continue;
    good_points.push_back(points[i]);
    good.push_back(values[i]);
  }
  assert(!good.empty());
  const double count = static_cast<double>(good.size());
  centre_ = 0;
  for (const double value : good) centre_ += value / count;
  double variance = 0;
  for (const double value : good) variance += (value - centre_) * (value - centre_) / count;
  scale_ = std::sqrt(std::max(variance, 1e-12));
  for (double& value : good) value = scaled(value);
  failure_share_ = 1 - count / static_cast<double>(points.size());

  constexpr std::size_t kMostForShape = 100;
  const std::size_t used = std::min(good.size(), kMostForShape);
  choose_shape(std::span<const std::uint32_t>(good_points).last(used),
               std::span<const double>(good).last(used));
  weights_ = weights_of(shape_, active_.size());
  points_.clear();
  factor_.clear();
  solved_.clear();
  solved_failures_.clear();
  projected_.clear();
  candidates_ = std::move(candidates);
  mean_.assign(candidates_.size(), 0);
  variance_.assign(candidates_.size(), 1);
  failure_.assign(candidates_.size(), 0);
  model_error_ = share_error_ = 0;
  for (std::size_t i = 0; i < points.size(); ++i) extend(points[i], scaled(values[i]));
  double fit = 0;
  for (const double value : solved_) fit += value * value;  // failures contribute nothing
  amplitude_ = std::sqrt(std::max(fit / count, 1e-6));
}

void SearchSurrogate::extend(std::uint32_t point, double scaled_value) {
  Likeness like;
  likeness_of(point, like);
  const std::size_t n = points_.size();
  std::vector<float> row(n + 1);
  const bool failed = std::isnan(scaled_value);
  double rest = scaled_value;
  double rest_failure = (failed ? 1.0 : 0.0) - failure_share_;
  share_error_ += rest_failure * rest_failure;
  float pivot = 1 + weights_.noise;
  for (std::size_t j = 0; j < n; ++j) {
    const std::vector<float>& other = factor_[j];
    float sum = kernel(like, points_[j]);
    for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
    row[j] = sum / other[j];
    rest -= row[j] * solved_[j];
    rest_failure -= row[j] * solved_failures_[j];
    pivot -= row[j] * row[j];
  }
  model_error_ += rest_failure * rest_failure;
  row[n] = std::sqrt(std::max(pivot, kLeastPivot));
  // A failure has no value, so its expected value is used.
  const float solved = failed ? 0.0F : static_cast<float>(rest / row[n]);
  const float solved_failure = static_cast<float>(rest_failure / row[n]);

  std::vector<float> projected(candidates_.size());
  for (std::size_t c = 0; c < candidates_.size(); ++c) projected[c] = kernel(like, candidates_[c]);
  for (std::size_t k = 0; k < n; ++k) {
    subtract_scaled(projected.data(), projected_[k].data(), row[k], projected.size());
  }
  const float inverse = 1 / row[n];
  for (std::size_t c = 0; c < projected.size(); ++c) {
    projected[c] *= inverse;
    mean_[c] += solved * projected[c];
    variance_[c] -= projected[c] * projected[c];
    failure_[c] += solved_failure * projected[c];
  }
  points_.push_back(point);
  factor_.push_back(std::move(row));
  solved_.push_back(solved);
  solved_failures_.push_back(solved_failure);
  projected_.push_back(std::move(projected));
}

void SearchSurrogate::add(std::uint32_t point, double value) { extend(point, scaled(value)); }

void SearchSurrogate::add_candidate(std::uint32_t configuration) {
  Likeness like;
  likeness_of(configuration, like);
  float mean = 0, failure = 0;
  float variance = 1;
  std::vector<float> column;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    float each = kernel(like, points_[i]);
    for (std::size_t k = 0; k < i; ++k) each -= factor_[i][k] * column[k];
    each /= factor_[i][i];
    column.push_back(each);
    projected_[i].push_back(each);
    mean += static_cast<float>(solved_[i]) * each;
    failure += static_cast<float>(solved_failures_[i]) * each;
    variance -= each * each;
  }
  failure_.push_back(failure);
  candidates_.push_back(configuration);
  mean_.push_back(mean);
  variance_.push_back(variance);
}

double SearchSurrogate::mean(std::size_t candidate) const {
  return centre_ + scale_ * mean_[candidate];
}

double SearchSurrogate::failure(std::size_t candidate) const {
  // Weighted by how much better the model predicted failures than their share alone.
  const double skill = share_error_ > 0 ? 1 - model_error_ / share_error_ : 0.0;
  return std::clamp(failure_share_ + std::clamp(2 * skill, 0.0, 1.0) * failure_[candidate], 0.0,
                    1.0);
}

double SearchSurrogate::deviation(std::size_t candidate) const {
  return scale_ * amplitude_ * std::sqrt(std::max(variance_[candidate], kLeastPivot));
}

}  // namespace vyre

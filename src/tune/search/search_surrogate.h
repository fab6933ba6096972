// Predicts the costs of configurations that were not measured, with their uncertainty: a Gaussian
// process, factorised by parameter so that a large space needs no matrix of its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/tune/search/search_space.h"

namespace vyre {

// The shape of the kernel, which has terms for single parameters, for pairs, and for all together.
// The values are small whole numbers, so that shapes can be compared and changed in steps.
struct KernelShape {
  std::vector<int> length;  // length scale of each parameter: 2^(length / 2) of its span
  int alone = 0;            // shares of the variance: powers of two, relative to the third,
  int pairs = 0;            // of all together
  int own = -4;    // share of the effect of single values, apart from their position: 2^own
  int odd = 1;     // similarity of a power of two and another number: 2^(-odd / 2)
  int noise = -8;  // variance, 2^noise of the whole

  bool operator==(const KernelShape&) const = default;
};

class SearchSurrogate {
 public:
  explicit SearchSurrogate(const SearchSpace& space);

  // Chooses the most likely shape by one round of steps from the last one, and conditions on all
  // values, which may have any mean and scale. NaN marks a failed point; at least one must not have
  // failed. `candidates` are the configurations to predict.
  void fit(std::span<const std::uint32_t> points, std::span<const double> values,
           std::vector<std::uint32_t> candidates);
  // Adds a value or failure, with the same shape and scale.
  void add(std::uint32_t point, double value);
  // Adds a candidate.
  void add_candidate(std::uint32_t configuration);

  std::span<const std::uint32_t> candidates() const { return candidates_; }
  double mean(std::size_t candidate) const;
  double deviation(std::size_t candidate) const;
  // The probability that the candidate fails.
  double failure(std::size_t candidate) const;
  const KernelShape& shape() const { return shape_; }

 private:
  struct Weights {
    float alone = 0, pairs = 0, together = 0, noise = 0;
  };
  // The similarity of the values of one configuration to all values of each parameter.
  struct Likeness {
    std::vector<float> of;              // by parameter and value
    std::vector<std::uint32_t> starts;  // of the parameters, in `of`
  };

  static Weights weights_of(const KernelShape& shape, std::size_t parameters);
  float likeness(const KernelShape& shape, std::size_t d, std::uint16_t a, std::uint16_t b) const;
  void likeness_of(std::uint32_t configuration, Likeness& out) const;
  // The kernel between the configuration of `like` and another.
  float kernel(const Likeness& like, std::uint32_t other) const;
  void choose_shape(std::span<const std::uint32_t> points, std::span<const double> values);
  void extend(std::uint32_t point, double scaled_value);
  double scaled(double value) const { return (value - centre_) / scale_; }
  std::uint16_t value_at(std::uint32_t configuration, std::size_t d) const {
    return rows_[configuration * active_.size() + d];
  }

  friend class ShapeFit;

  const SearchSpace& space_;
  std::vector<std::size_t> active_;  // parameters with more than one value
  std::vector<std::uint16_t> rows_;  // the active parameters of every configuration
  std::vector<std::vector<float>>
      places_;  // positions of the values of each active parameter; may be empty
  std::vector<std::vector<bool>> round_;  // which of the values are powers of two
  KernelShape shape_;
  Weights weights_;
  double centre_ = 0, scale_ = 1, amplitude_ = 1;

  std::vector<std::uint32_t> points_;
  std::vector<std::vector<float>> factor_;  // lower triangle of the Cholesky factor, by row
  std::vector<double> solved_;              // the factor's inverse times the values
  std::vector<double> solved_failures_;     // the factor's inverse times the failures
  double failure_share_ = 0;
  // Sums of squared errors of predicting failures: by the model, and by their share.
  double model_error_ = 0, share_error_ = 0;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::vector<float>> projected_;     // the factor's inverse times the kernel, by point
  std::vector<float> mean_, variance_, failure_;  // of the candidates, scaled
};

}  // namespace vyre

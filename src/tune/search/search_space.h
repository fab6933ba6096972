// A finite set of configurations to search: parameters with their values, and the valid
// combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

struct SearchParameter {
  std::string name;
  std::vector<std::string> values;

  bool operator==(const SearchParameter&) const = default;
};

class SearchSpace {
 public:
  static constexpr std::size_t kMaxParameters = 256;
  static constexpr std::size_t kMaxValues = 65535;  // of one parameter
  static constexpr std::size_t kMaxConfigurations = 4'000'000;

  SearchSpace() = default;

  // `rows` holds, for each configuration, one index into the values of each parameter. Fails if the
  // limits above are exceeded, an index is out of range, or a configuration occurs twice.
  static Result<SearchSpace> make(std::vector<SearchParameter> parameters,
                                  std::vector<std::uint16_t> rows);
  // All have the same names in the same order. Configuration i of the space is the i-th of these;
  // values that are numbers ("8", or several as in "16x16x1") are put in order.
  static Result<SearchSpace> from_configurations(std::span<const Configuration> configurations);

  std::uint32_t size() const { return size_; }
  const std::vector<SearchParameter>& parameters() const { return parameters_; }
  std::span<const std::uint16_t> row(std::uint32_t configuration) const;
  Configuration configuration(std::uint32_t configuration) const;

  // The configuration with these value indices, if it is a valid one.
  std::optional<std::uint32_t> find(std::span<const std::uint16_t> row) const;
  // The configurations that differ in exactly one parameter, by parameter and then by value.
  void neighbours(std::uint32_t configuration, std::vector<std::uint32_t>& out) const;

  // The position of a value between the parameter's least (0) and greatest (1), by logarithm if the
  // values span more than a factor of two. Empty if the values are not numbers and so have no
  // order.
  std::span<const double> positions(std::size_t parameter) const { return positions_[parameter]; }

 private:
  Result<void> index_rows();
  std::uint64_t hash(std::span<const std::uint16_t> row) const;

  std::vector<SearchParameter> parameters_;
  std::vector<std::vector<double>> positions_;
  std::vector<std::uint16_t> rows_;
  std::vector<std::uint32_t> table_;  // open addressing: a configuration, or kEmpty
  std::uint32_t size_ = 0;
};

// The number in a value, or the product of several joined by "x"; absent for other text. "true" and
// "false" are 1 and 0.
std::optional<double> value_number(std::string_view value);
// The indices of at most kMaxValues values in ascending order; unchanged unless all are numbers.
std::vector<std::uint16_t> value_order(const std::vector<std::string>& values);

}  // namespace vyre

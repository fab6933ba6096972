#include "vyre/tune/search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace vyre {
namespace {

constexpr std::uint32_t kEmpty = UINT32_MAX;

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::vector<double> positions_of(const SearchParameter& parameter) {
  std::vector<double> positions;
  for (const std::string& value : parameter.values) {
    const auto number = value_number(value);
    if (!number) return {};
    positions.push_back(*number);
  }
  if (positions.empty()) return {};
  const auto [least, greatest] = std::ranges::minmax(positions);
  const bool logarithmic = least > 0 && greatest > 2 * least;
  const auto place = [&](double number) { return logarithmic ? std::log2(number) : number; };
  const double from = place(least);
  const double span = place(greatest) - from;
  if (!std::isfinite(span)) return {};
  for (double& position : positions) position = span > 0 ? (place(position) - from) / span : 0.0;
  return positions;
}

}  // namespace

std::optional<double> value_number(std::string_view value) {
  if (value == "true" || value == "True") return 1;
  if (value == "false" || value == "False") return 0;
  if (const auto number = plain_number(value)) return number;
  if (value.find('x') == std::string_view::npos) return {};
  double product = 1;
  while (true) {
    const std::size_t cut = value.find('x');
    const auto factor = plain_number(value.substr(0, cut));
    if (!factor) return {};
    product *= *factor;
    if (cut == std::string_view::npos) break;
    value.remove_prefix(cut + 1);
  }
  if (!std::isfinite(product)) return {};
  return product;
}

std::vector<std::uint16_t> value_order(const std::vector<std::string>& values) {
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const auto number = value_number(value);
    if (!number) break;
    numbers.push_back(*number);
  }
  std::vector<std::uint16_t> order(values.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  if (numbers.size() == values.size()) {
    std::ranges::sort(order, {}, [&](std::uint16_t i) { return std::pair(numbers[i], i); });
  }
  return order;
}

Result<SearchSpace> SearchSpace::make(std::vector<SearchParameter> parameters,
                                      std::vector<std::uint16_t> rows) {
  if (parameters.empty()) {
    return fail(Code::invalid_input, "the space has no parameters");
  }
  if (parameters.size() > kMaxParameters) {
    return fail(Code::limit, fmt::format("the space has {} parameters; at most {} can be searched",
                                         parameters.size(), kMaxParameters));
  }
  for (const SearchParameter& parameter : parameters) {
    if (parameter.values.size() > kMaxValues) {
      return fail(Code::limit, fmt::format("{} has {} values; at most {} can be searched",
                                           parameter.name, parameter.values.size(), kMaxValues));
    }
  }
  assert(rows.size() % parameters.size() == 0);
  const std::size_t size = rows.size() / parameters.size();
  if (size > kMaxConfigurations) {
    return fail(Code::limit,
                fmt::format("the space has {} configurations; at most {} can be searched", size,
                            kMaxConfigurations));
  }
  SearchSpace space;
  space.parameters_ = std::move(parameters);
  space.rows_ = std::move(rows);
  space.size_ = static_cast<std::uint32_t>(size);
  for (const SearchParameter& parameter : space.parameters_) {
    space.positions_.push_back(positions_of(parameter));
  }
  VYRE_CHECK(space.index_rows());
  return space;
}

Result<SearchSpace> SearchSpace::from_configurations(
    std::span<const Configuration> configurations) {
  if (configurations.empty()) return fail(Code::invalid_input, "there is nothing to search");
  const Configuration& first = configurations.front();
  std::vector<SearchParameter> parameters(first.size());
  for (std::size_t p = 0; p < first.size(); ++p) {
    SearchParameter& parameter = parameters[p];
    parameter.name = first[p].first;
    std::unordered_map<std::string_view, int> seen;
    for (const Configuration& each : configurations) {
      if (each.size() != first.size() || each[p].first != parameter.name) {
        return fail(Code::invalid_input,
                    fmt::format("configurations do not have the same parameters: '{}' and '{}'",
                                to_string(first), to_string(each)));
      }
      if (seen.emplace(each[p].second, 0).second) parameter.values.push_back(each[p].second);
    }
    if (parameter.values.size() > kMaxValues) {
      return fail(Code::limit, fmt::format("{} has {} values; at most {} can be searched",
                                           parameter.name, parameter.values.size(), kMaxValues));
    }
    std::vector<std::string> ordered;
    for (const std::uint16_t i : value_order(parameter.values)) {
      ordered.push_back(parameter.values[i]);
    }
    parameter.values = std::move(ordered);
  }
  std::vector<std::uint16_t> rows(configurations.size() * first.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    std::unordered_map<std::string_view, std::uint16_t> index;
    for (const std::string& value : parameters[p].values) {
      index.emplace(value, static_cast<std::uint16_t>(index.size()));
    }
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      rows[i * parameters.size() + p] = index.at(configurations[i][p].second);
    }
  }
  return make(std::move(parameters), std::move(rows));
}

std::span<const std::uint16_t> SearchSpace::row(std::uint32_t configuration) const {
  assert(configuration < size_);
  return std::span(rows_).subspan(configuration * parameters_.size(), parameters_.size());
}

Configuration SearchSpace::configuration(std::uint32_t configuration) const {
  Configuration out;
  const auto indices = row(configuration);
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    out.emplace_back(parameters_[p].name, parameters_[p].values[indices[p]]);
  }
  return out;
}

std::uint64_t SearchSpace::hash(std::span<const std::uint16_t> row) const {
  std::uint64_t h = 0x9e3779b97f4a7c15;
  for (const std::uint16_t index : row) {
    h = (h ^ index) * 0xff51afd7ed558ccd;
    h ^= h >> 32;
  }
  return h;
}

Result<void> SearchSpace::index_rows() {
  table_.assign(std::bit_ceil(std::size_t{size_} * 2 + 1), kEmpty);
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const auto indices = row(i);
    for (std::size_t p = 0; p < indices.size(); ++p) {
      if (indices[p] >= parameters_[p].values.size()) {
        return fail(Code::invalid_input,
                    fmt::format("configuration {} has value {} of {}, which has {}", i, indices[p],
                                parameters_[p].name, parameters_[p].values.size()));
      }
    }
    std::size_t slot = hash(indices) & mask;
    while (table_[slot] != kEmpty) {
      if (std::ranges::equal(row(table_[slot]), indices)) {
        return fail(Code::invalid_input,
                    fmt::format("configuration '{}' is there twice", to_string(configuration(i))));
      }
      slot = (slot + 1) & mask;
    }
    table_[slot] = i;
  }
  return {};
}

std::optional<std::uint32_t> SearchSpace::find(std::span<const std::uint16_t> wanted) const {
  if (table_.empty() || wanted.size() != parameters_.size()) return {};
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash(wanted) & mask; table_[slot] != kEmpty; slot = (slot + 1) & mask) {
    if (std::ranges::equal(row(table_[slot]), wanted)) return table_[slot];
  }
  return {};
}

void SearchSpace::neighbours(std::uint32_t configuration, std::vector<std::uint32_t>& out) const {
  out.clear();
  const auto from = row(configuration);
  std::vector<std::uint16_t> other(from.begin(), from.end());
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    for (std::size_t v = 0; v < parameters_[p].values.size(); ++v) {
      if (v == from[p]) continue;
      other[p] = static_cast<std::uint16_t>(v);
      if (const auto found = find(other)) out.push_back(*found);
    }
    other[p] = from[p];
  }
}

}  // namespace vyre

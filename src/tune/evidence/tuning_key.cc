#include "vyre/tune/evidence/tuning_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "vyre/base/digest.h"
#include "vyre/tune/evidence/size_axes.h"

namespace vyre {

std::string key_id(const TuningKey& key) {
  constexpr std::size_t kDigits = 32;
  Hasher hasher;
  for (const std::string* part :
       {&key.program, &key.overrides, &key.size, &key.device, &key.driver, &key.generator}) {
    hasher.update_u64(part->size()).update(*part);
  }
  return "t1-" + to_hex(hasher.finish()).substr(0, kDigits);
}

std::optional<SizeAxes> parse_size(std::string_view size) {
  SizeAxes axes;
  while (true) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), value);
    const auto length = static_cast<std::size_t>(end - size.data());
    const bool has_leading_zero = length > 1 && size.front() == '0';
    if (error != std::errc() || has_leading_zero || axes.count == axes.length.size()) {
      return std::nullopt;
    }
    axes.length[axes.count++] = value;
    size.remove_prefix(length);
    if (size.empty()) return axes;
    if (size.front() != 'x') return std::nullopt;
    size.remove_prefix(1);
  }
}

std::string size_bucket(std::string_view size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  const auto axes = parse_size(size);
  if (!axes) return std::string(size);
  std::string bucket = "<=";
  for (std::size_t i = 0; i < axes->count; ++i) {
    if (axes->length[i] > kMost) return std::string(size);
    fmt::format_to(std::back_inserter(bucket), "{}{}", i == 0 ? "" : "x",
                   std::bit_ceil(axes->length[i]));
  }
  return bucket;
}

TuningKey bucket_key(TuningKey key) {
  key.size = size_bucket(key.size);
  return key;
}

std::string size_text(const Extent& extent) {
  return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
}

std::string to_string(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    if (!text.empty()) text += ' ';
    text.append(name).append("=").append(value);
  }
  return text;
}

Result<Configuration> parse_configuration(std::string_view text) {
  Configuration configuration;
  const auto wrong = [&](std::string_view word, std::string_view why) {
    return fail(Code::invalid_input,
                fmt::format("'{}' in the configuration '{}' {}", word, text, why),
                "write NAME=VALUE, with one space between two of them");
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (word.empty() || end + 1 == text.size()) return wrong(" ", "separates nothing");
    at = end + 1;
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos) return wrong(word, "is no NAME=VALUE");
    if (word.find('=', equals + 1) != std::string_view::npos) return wrong(word, "has two '='");
    const std::string_view name = word.substr(0, equals);
    const bool is_there = std::ranges::any_of(
        configuration, [&](const auto& parameter) { return parameter.first == name; });
    if (is_there) return wrong(name, "is set twice");
    configuration.emplace_back(name, word.substr(equals + 1));
  }
  return configuration;
}

}  // namespace vyre

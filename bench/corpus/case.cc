#include "case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "vyre/base/files/files.h"

namespace vyre::bench {
namespace {

using Names = std::map<std::string, std::uint64_t, std::less<>>;
using Words = std::vector<std::uint32_t>;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::vector<std::string> parts_of(std::string_view text, char mark) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == mark) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// A name, or a number such as 16K.
Result<std::uint64_t> value_of(const Names& names, const std::string& text) {
  if (const auto it = names.find(text); it != names.end()) return it->second;
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error == std::errc() && unit.empty()) return out;
  if (error == std::errc() && unit == "K") return out << 10U;
  if (error == std::errc() && unit == "M") return out << 20U;
  return fail(Code::invalid_input, fmt::format("'{}' is no name and no number", text));
}

Result<std::uint64_t> count_of(const Names& names, const std::string& text) {
  std::uint64_t sum = 0;
  for (const std::string& term : parts_of(text, '+')) {
    std::uint64_t product = 1;
    for (const std::string& factor : parts_of(term, '*')) {
      const auto quotient = parts_of(factor, '/');
      VYRE_TRY(std::uint64_t value, value_of(names, quotient[0]));
      product *= value;
      for (std::size_t i = 1; i < quotient.size(); ++i) {
        VYRE_TRY(const std::uint64_t by, value_of(names, quotient[i]));
        product /= std::max<std::uint64_t>(by, 1);
      }
    }
    sum += product;
  }
  return sum;
}

Result<Names> names_of(const std::vector<std::string>& words, CaseSize size) {
  Names out;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) return fail(Code::invalid_input, "sizes: " + word);
    const auto values = parts_of(std::string_view(word).substr(equals + 1), '/');
    if (values.size() != 1 && values.size() != 4) {
      return fail(Code::invalid_input, word + ": give one value or four");
    }
    const auto& value = values.size() == 1 ? values[0] : values[static_cast<std::size_t>(size)];
    VYRE_TRY(out[word.substr(0, equals)], value_of({}, value));
  }
  return out;
}

// The bits of an f16 near the value, which is normal.
std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  const auto exponent = static_cast<std::int32_t>(bits >> 23U & 0xFFU) - 112;
  if (exponent <= 0) return static_cast<std::uint16_t>(sign);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(exponent) << 10U |
                                    (bits >> 13U & 0x3FFU));
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

Words random_words(std::uint64_t count, std::uint32_t below, std::mt19937& random) {
  Words out(count);
  for (auto& w : out) {
    w = static_cast<std::uint32_t>(random());
    if (below != 0) w %= below;
  }
  return out;
}

// The contents that `words` name, from the first one on.
Result<std::vector<std::byte>> contents(const Names& names, std::vector<std::string> words,
                                        std::mt19937& random) {
  const std::string kind = words.front();
  const bool real = kind == "floats" || kind == "halves";
  const bool two = kind == "words" || kind == "ascending" || kind == "starts" || kind == "text";
  if (words.size() != (real ? 4U : two ? 3U : 2U)) {
    return fail(Code::invalid_input, fmt::format("{} takes another number of words", kind));
  }
  VYRE_TRY(const std::uint64_t count, count_of(names, words.back()));
  if (real) {
    const float low = std::stof(words[1]), high = std::stof(words[2]);
    std::vector<float> values(count);
    for (float& v : values) {
      v = low + (high - low) * static_cast<float>(random() >> 8U) * 0x1p-24F;
    }
    if (kind == "floats") return bytes_of(values);
    std::vector<std::uint16_t> halves(count);
    std::ranges::transform(values, halves.begin(), half_of);
    return bytes_of(halves);
  }
  if (kind == "zeros") return std::vector<std::byte>(count * 4);
  if (two) {
    VYRE_TRY(const std::uint64_t first, count_of(names, words[1]));
    if (kind == "text") {
      std::vector<char> letters(count);
      for (char& c : letters)
        c = static_cast<char>('a' + random() % std::max(first, std::uint64_t{1}));
      return bytes_of(letters);
    }
    if (kind == "starts") {
      Words starts(first + 1);
      for (std::uint64_t i = 0; i <= first; ++i) {
        const std::uint64_t late = i == 0 || i == first ? 0 : random() % (count / 2 + 1);
        starts[i] = static_cast<std::uint32_t>(i * count + late);
      }
      return bytes_of(starts);
    }
    Words out = random_words(count, static_cast<std::uint32_t>(first), random);
    if (kind == "ascending") std::ranges::sort(out);
    return bytes_of(out);
  }
  Words out(count);
  std::iota(out.begin(), out.end(), 0U);
  if (kind == "permutation") {
    for (std::uint64_t i = count; i > 1; --i) std::swap(out[i - 1], out[random() % i]);
  } else if (kind != "iota") {
    return fail(Code::invalid_input, "no contents are called " + kind);
  }
  return bytes_of(out);
}

Result<std::vector<std::byte>> uniform(const Names& names, const std::vector<std::string>& words) {
  Words out;
  for (const std::string& word : words) {
    if (word.find('.') != std::string::npos) {
      out.push_back(std::bit_cast<std::uint32_t>(std::stof(word)));
    } else {
      VYRE_TRY(const std::uint64_t value, count_of(names, word));
      out.push_back(static_cast<std::uint32_t>(value));
    }
  }
  return bytes_of(out);
}

Result<CaseBuffer> buffer_of(const Names& names, std::string name, std::vector<std::string> words,
                             std::mt19937& random) {
  CaseBuffer out{std::move(name), words.front() == "uniform", words.front() == "output", {}};
  if (out.uniform || out.output) words.erase(words.begin());
  if (out.output && words.size() == 1) words.insert(words.begin(), "zeros");
  if (words.empty()) return fail(Code::invalid_input, out.name + " has no contents");
  if (out.uniform) {
    VYRE_TRY(out.bytes, uniform(names, words));
  } else {
    VYRE_TRY(out.bytes, contents(names, words, random));
  }
  return out;
}

Result<Case> read_case(Case out, CaseSize size) {
  std::mt19937 random(17);
  Names names;
  std::istringstream lines(out.text);
  for (std::string line; std::getline(lines, line) && line.starts_with("// ");) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;  // a comment for readers
    const std::string key = line.substr(3, colon - 3);
    if (key.find(' ') != std::string::npos) continue;
    auto words = words_of(line.substr(colon + 2));
    if (words.empty()) continue;
    if (key == "sizes") {
      VYRE_TRY(names, names_of(words, size));
    } else if (key == "tolerance") {
      out.relative = std::stod(words[0]);
      out.absolute = words.size() > 1 ? std::stod(words[1]) : 0;
    } else if (key == "run" || key == "groups") {
      out.in_groups = key == "groups";
      for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 3); ++i) {
        VYRE_TRY(const std::uint64_t along, count_of(names, words[i]));
        out.run[i] = static_cast<std::uint32_t>(along);
      }
    } else {
      VYRE_TRY(auto buffer, buffer_of(names, key, std::move(words), random));
      out.buffers.push_back(std::move(buffer));
    }
  }
  return out;
}

}  // namespace

std::vector<std::filesystem::path> corpus_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".wgsl") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

Result<Case> load_case(const std::filesystem::path& path, CaseSize size) {
  Case out;
  out.path = path;
  out.name = path.stem().string();
  out.family = path.parent_path().filename().string();
  VYRE_TRY(out.text, read_file(path));
  auto read = read_case(std::move(out), size);
  if (!read) return fail(read.error().code, path.string() + ": " + read.error().what);
  return read;
}

bool is_held_out(std::string_view family) {
  std::uint32_t hash = 2166136261U;
  for (const char c : family) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash >> 31U != 0;
}

}  // namespace vyre::bench

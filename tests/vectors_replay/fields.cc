#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "replay.h"

namespace vyre {

const Json& at(const Json& object, std::string_view name) {
  if (!object.is_object()) {
    throw MalformedVector("expected an object with the field \"" + std::string(name) + "\", got " +
                          object.dump());
  }
  const auto found = object.find(std::string(name));
  if (found == object.end()) {
    throw MalformedVector("the field \"" + std::string(name) + "\" is missing");
  }
  return *found;
}

std::uint64_t to_u64(const Json& value) {
  if (!value.is_number_unsigned()) {
    throw MalformedVector("expected an integer in 0..2^64-1, got " + value.dump());
  }
  return value.get<std::uint64_t>();
}

namespace {

template <class T>
T to_narrow(const Json& value) {
  const std::uint64_t wide = to_u64(value);
  if (wide > std::numeric_limits<T>::max()) {
    throw MalformedVector("expected an integer up to " +
                          std::to_string(std::numeric_limits<T>::max()) + ", got " + value.dump());
  }
  return static_cast<T>(wide);
}

std::uint64_t bits_of(std::string_view word) {
  std::uint64_t bits = 0;
  const char* end = word.data() + word.size();
  if (word.size() != 18 || !word.starts_with("0x")) {
    throw MalformedVector("expected \"0x\" and 16 hex digits, got " + std::string(word));
  }
  const auto [stop, fault] = std::from_chars(word.data() + 2, end, bits, 16);
  if (fault != std::errc{} || stop != end) {
    throw MalformedVector("expected \"0x\" and 16 hex digits, got " + std::string(word));
  }
  return bits;
}

bool is_f64(const Json& value) {
  return value.is_array() && value.size() == 2 && value[1].is_string() &&
         value[1].get_ref<const std::string&>().starts_with("0x");
}

bool ignored(std::string_view field) { return field.ends_with("_v041"); }

}  // namespace

std::uint32_t to_u32(const Json& value) { return to_narrow<std::uint32_t>(value); }
std::uint16_t to_u16(const Json& value) { return to_narrow<std::uint16_t>(value); }

bool to_bool(const Json& value) {
  if (!value.is_boolean()) throw MalformedVector("expected true or false, got " + value.dump());
  return value.get<bool>();
}

const std::string& to_text(const Json& value) {
  if (!value.is_string()) throw MalformedVector("expected a string, got " + value.dump());
  return value.get_ref<const std::string&>();
}

const Json::array_t& to_list(const Json& value) {
  if (!value.is_array()) throw MalformedVector("expected a list, got " + value.dump());
  return value.get_ref<const Json::array_t&>();
}

Extent to_extent(const Json& value) {
  const auto& list = to_list(value);
  if (list.size() != 3) throw MalformedVector("expected [x, y, z], got " + value.dump());
  return {to_u32(list[0]), to_u32(list[1]), to_u32(list[2])};
}

std::optional<Extent> to_optional_extent(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return to_extent(value);
}

double to_f64(const Json& value) {
  if (!is_f64(value)) throw MalformedVector("expected [decimal, \"0x...\"], got " + value.dump());
  return std::bit_cast<double>(bits_of(to_text(value[1])));
}

std::string bytes_of_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) throw MalformedVector("hex text of odd length: " + std::string(hex));
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned value = 0;
    const auto [stop, fault] = std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    if (fault != std::errc{} || stop != hex.data() + i + 2) {
      throw MalformedVector("not hex digits: " + std::string(hex));
    }
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

Json from_f64(double value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string word = "0x";
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 60; shift >= 0; shift -= 4) word.push_back(kDigits[(bits >> shift) & 15]);
  Json decimal = value;
  if (std::isnan(value)) decimal = "NaN";
  if (std::isinf(value)) decimal = value > 0 ? "inf" : "-inf";
  return Json::array({std::move(decimal), std::move(word)});
}

Json from_optional_extent(const std::optional<Extent>& value) {
  return value ? Json(*value) : Json(nullptr);
}

bool matches(const Json& expected, const Json& got) {
  if (is_f64(expected)) {
    if (!is_f64(got)) return false;
    const double want = to_f64(expected);
    const double have = to_f64(got);
    if (std::isnan(want) && std::isnan(have)) return true;
    return std::bit_cast<std::uint64_t>(want) == std::bit_cast<std::uint64_t>(have);
  }
  if (expected.is_object()) {
    if (!got.is_object()) return false;
    for (const auto& [name, value] : expected.items()) {
      if (ignored(name)) continue;
      const auto found = got.find(name);
      if (found == got.end() || !matches(value, *found)) return false;
    }
    for (const auto& [name, value] : got.items()) {
      if (!ignored(name) && !expected.contains(name)) return false;
    }
    return true;
  }
  if (expected.is_array()) {
    if (!got.is_array() || expected.size() != got.size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!matches(expected[i], got[i])) return false;
    }
    return true;
  }
  if (expected.is_number_integer()) {
    if (!got.is_number_integer()) return false;
    const bool want_negative = !expected.is_number_unsigned() && expected.get<std::int64_t>() < 0;
    const bool have_negative = !got.is_number_unsigned() && got.get<std::int64_t>() < 0;
    return want_negative == have_negative &&
           expected.get<std::uint64_t>() == got.get<std::uint64_t>();
  }
  return expected == got;
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "vyre-replay-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignore;
  std::filesystem::remove_all(path_, ignore);
}

std::string ScratchDirectory::file(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

}  // namespace vyre

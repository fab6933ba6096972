#include "vyre/data/npy/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Text from the file for a message: short, and without control bytes.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return out + (text.size() > kMost ? "...'" : "'");
}

// Bytes of a scalar by its name: "<f4", "|V12", "<U7" (characters of 4 bytes). 0: not understood.
std::uint64_t scalar_bytes(std::string_view descr) {
  if (descr.size() < 3) return 0;
  std::uint64_t bytes = 0;
  const char* end = descr.data() + descr.size();
  const auto [stop, status] = std::from_chars(descr.data() + 2, end, bytes);
  if (status != std::errc() || stop != end) return 0;
  return checked_mul(bytes, std::uint64_t{descr[1] == 'U' ? 4U : 1U}).value_or(0);
}

// The bytes of an array of such elements; empty if they do not fit into 64 bits.
std::optional<std::uint64_t> array_bytes(std::span<const std::uint64_t> shape,
                                         std::uint64_t bytes) {
  bool empty = false;
  for (const std::uint64_t axis : shape) {
    if (axis == 0) {
      empty = true;
      continue;
    }
    const auto product = checked_mul(bytes, axis);
    if (!product) return std::nullopt;
    bytes = *product;
  }
  return empty ? 0 : bytes;
}

// A description of common dtypes: "64-bit floats".
std::string_view descr_meaning(std::string_view descr) {
  if (descr.size() != 3) return "";
  const std::string_view body = descr.substr(1);
  struct Meaning {
    std::string_view body, words;
  };
  static constexpr std::array kMeanings{
      Meaning{"f2", "16-bit floats"},
      Meaning{"f4", "32-bit floats"},
      Meaning{"f8", "64-bit floats"},
      Meaning{"i1", "8-bit integers"},
      Meaning{"i2", "16-bit integers"},
      Meaning{"i4", "32-bit integers"},
      Meaning{"i8", "64-bit integers"},
      Meaning{"u1", "8-bit unsigned integers"},
      Meaning{"u2", "16-bit unsigned integers"},
      Meaning{"u4", "32-bit unsigned integers"},
      Meaning{"u8", "64-bit unsigned integers"},
      Meaning{"b1", "booleans"},
      Meaning{"c8", "complex numbers"},
      Meaning{"O8", "Python objects"},
  };
  for (const Meaning& meaning : kMeanings) {
    if (meaning.body == body) return meaning.words;
  }
  return "";
}

// The header is a Python dictionary with the keys descr, fortran_order and shape.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    bool seen_descr = false, seen_order = false, seen_shape = false;
    VYRE_CHECK(expect('{'));
    while (!accept('}')) {
      VYRE_TRY(const std::string_view key, string());
      VYRE_CHECK(expect(':'));
      bool* seen = key == "descr"           ? &seen_descr
                   : key == "fortran_order" ? &seen_order
                   : key == "shape"         ? &seen_shape
                                            : nullptr;
      if (seen == nullptr) return bad(fmt::format("has the unknown key {}", in_quotes(key)));
      if (*seen) return bad(fmt::format("has the key {} twice", in_quotes(key)));
      *seen = true;
      if (seen == &seen_descr) {
        VYRE_TRY(header.type, element_type(0));
      } else if (seen == &seen_order) {
        VYRE_TRY(header.fortran_order, boolean());
      } else {
        VYRE_TRY(header.shape, tuple());
      }
      if (!accept(',')) {
        VYRE_CHECK(expect('}'));
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) return bad("goes on behind its closing brace");
    for (const auto& [seen, key] :
         {std::pair(seen_descr, "descr"), std::pair(seen_order, "fortran_order"),
          std::pair(seen_shape, "shape")}) {
      if (!seen) return bad(fmt::format("has no '{}'", key));
    }
    return header;
  }

 private:
  std::unexpected<Error> bad(std::string_view what) const {
    return fail(Code::invalid_input, fmt::format("{}: the .npy header {}", name_, what));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool accept(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  Result<void> expect(char wanted) {
    if (accept(wanted)) return {};
    if (at_ >= text_.size()) return bad(fmt::format("ends where '{}' should be", wanted));
    return bad(fmt::format("has {} where '{}' should be", in_quotes(text_.substr(at_, 1)), wanted));
  }

  Result<std::string_view> string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') return bad("is not a Python dictionary of three keys");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return bad("has a string without an end");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  // '<f4', or a list of fields.
  Result<NpyType> element_type(unsigned depth) {
    if (accept('[')) return record(depth);
    VYRE_TRY(const std::string_view text, string());
    return NpyType{std::string(text), {}, scalar_bytes(text)};
  }

  // (name, type) or (name, type, shape), between commas, up to the closing bracket. A name may be a
  // pair of a title and a name; one that is empty is padding.
  Result<NpyType> record(unsigned depth) {
    if (depth == kMaxNpyDepth) {
      return bad(fmt::format("has records in more than {} records", kMaxNpyDepth));
    }
    NpyType type;
    while (!accept(']')) {
      NpyField field;
      VYRE_CHECK(expect('('));
      if (accept('(')) {
        VYRE_CHECK(string());
        VYRE_CHECK(expect(','));
        VYRE_TRY(field.name, name());
        VYRE_CHECK(expect(')'));
      } else {
        VYRE_TRY(field.name, name());
      }
      VYRE_CHECK(expect(','));
      VYRE_TRY(field.type, element_type(depth + 1));
      if (accept(',') && !next_is(')')) {
        VYRE_TRY(field.shape, tuple());
      }
      VYRE_CHECK(expect(')'));
      VYRE_CHECK(place(type, std::move(field)));
      if (!accept(',')) {
        VYRE_CHECK(expect(']'));
        break;
      }
    }
    if (type.fields.empty()) return bad("has a record without fields");
    return type;
  }

  Result<void> place(NpyType& record, NpyField field) const {
    if (field.type.bytes == 0) {
      return bad(fmt::format("has the field {} of {}, which is not understood",
                             in_quotes(field.name), type_text(field.type)));
    }
    for (const NpyField& other : record.fields) {
      if (!field.name.empty() && other.name == field.name) {
        return bad(fmt::format("has the field {} twice", in_quotes(field.name)));
      }
    }
    field.offset = record.bytes;
    const auto bytes = array_bytes(field.shape, field.type.bytes);
    const auto end = bytes ? checked_add(record.bytes, *bytes) : std::nullopt;
    if (!end) return bad("has a record of more bytes than 64 bits can count");
    record.bytes = *end;
    record.fields.push_back(std::move(field));
    return {};
  }

  Result<std::string> name() {
    VYRE_TRY(const std::string_view text, string());
    return std::string(text);
  }

  bool next_is(char wanted) {
    skip_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }

  Result<bool> boolean() {
    skip_space();
    for (const auto& [word, value] :
         {std::pair(std::string_view("True"), true), std::pair(std::string_view("False"), false)}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    return bad("has a fortran_order that is neither True nor False");
  }

  Result<std::vector<std::uint64_t>> tuple() {
    std::vector<std::uint64_t> shape;
    VYRE_CHECK(expect('('));
    while (!accept(')')) {
      skip_space();
      std::uint64_t axis = 0;
      const char* begin = text_.data() + at_;
      const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), axis);
      if (status == std::errc::result_out_of_range) return bad("has an axis that is too long");
      if (status != std::errc()) return bad("has a shape that is not a tuple of whole numbers");
      at_ += static_cast<std::size_t>(end - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long of Python 2
      shape.push_back(axis);
      if (shape.size() > kMaxNpyAxes) {
        return bad(fmt::format("has a shape of more than {} axes", kMaxNpyAxes));
      }
      if (!accept(',')) {
        VYRE_CHECK(expect(')'));
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// As Python writes it.
std::string descr_text(const NpyType& type) {
  if (!type.is_record()) return fmt::format("'{}'", type.descr);
  std::string out;
  for (const NpyField& field : type.fields) {
    out +=
        fmt::format("{}('{}', {}{})", out.empty() ? "" : ", ", field.name, descr_text(field.type),
                    field.shape.empty() ? "" : ", " + shape_text(field.shape));
  }
  return "[" + out + "]";
}

}  // namespace

bool NpyType::operator==(const NpyType& other) const {
  return descr == other.descr && bytes == other.bytes && fields == other.fields;
}

NpyType npy_type(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::f32: return {"<f4", {}, 4};
    case ScalarKind::f16: return {"<f2", {}, 2};
    case ScalarKind::i32: return {"<i4", {}, 4};
    default: return {"<u4", {}, 4};
  }
}

std::string type_text(const NpyType& type) {
  if (type.is_record()) return "records";
  const std::string_view meaning = descr_meaning(type.descr);
  std::string out = in_quotes(type.descr);
  if (!meaning.empty()) {
    out += fmt::format(" ({}{})", type.descr[0] == '>' ? "big-endian " : "", meaning);
  }
  return out;
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

Result<NpyHeader> parse_npy_header(std::string_view file, std::string_view name) {
  if (!file.starts_with(kMagic)) {
    return fail(Code::invalid_input, fmt::format("{}: not a .npy file", name),
                fmt::format("for plain bytes write raw:{}", name));
  }
  if (file.size() < kMagic.size() + 2) {
    return fail(Code::invalid_input, fmt::format("{}: the .npy file ends in its header", name));
  }
  const auto major = static_cast<unsigned char>(file[6]);
  const auto minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return fail(Code::invalid_input, fmt::format("{}: is a .npy file of version {}.{}; versions "
                                                 "1.0, 2.0 and 3.0 are read",
                                                 name, major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kMagic.size() + 2 + length_bytes;
  if (file.size() < begin) {
    return fail(Code::invalid_input, fmt::format("{}: the .npy file ends in its header", name));
  }
  const std::uint64_t length = little_endian(file.substr(8, length_bytes));
  if (length > kMaxNpyHeader) {
    return fail(Code::limit, fmt::format("{}: the .npy header has {} bytes; up to {} are read",
                                         name, length, kMaxNpyHeader));
  }
  if (file.size() - begin < length) {
    return fail(Code::invalid_input,
                fmt::format("{}: the .npy header should have {} bytes, but the file ends after {}",
                            name, length, file.size() - begin));
  }
  VYRE_TRY(NpyHeader header, HeaderParser(file.substr(begin, length), name).parse());
  header.data_offset = begin + length;
  return header;
}

Result<NpyArray> parse_npy(std::string_view file, std::string_view name, ScalarKind kind) {
  VYRE_TRY(const NpyHeader header, parse_npy_header(file, name));
  const NpyType wanted = npy_type(kind);
  if (header.type != wanted) {
    return fail(Code::invalid_input,
                fmt::format("{}: holds {}; {} needs {}", name, type_text(header.type),
                            to_string(kind), type_text(wanted)),
                header.type.is_record() ? "in NumPy: save one field, a['name']"
                                        : fmt::format("in NumPy: a.astype('{}')", wanted.descr));
  }
  return npy_array(file, name, header);
}

Result<NpyArray> npy_array(std::string_view file, std::string_view name, const NpyHeader& header) {
  if (header.fortran_order) {
    return fail(Code::invalid_input,
                fmt::format("{}: is in Fortran order; C order is needed", name),
                "in NumPy: np.ascontiguousarray(a)");
  }
  const auto expected = array_bytes(header.shape, header.type.bytes);
  if (!expected) {
    return fail(Code::limit, fmt::format("{}: the shape {} has more bytes than 64 bits can count",
                                         name, shape_text(header.shape)));
  }
  const std::uint64_t found = file.size() - header.data_offset;
  if (found != *expected) {
    return fail(
        Code::invalid_input,
        fmt::format("{}: the shape {} of {} needs {} bytes of data; the file has {}{}", name,
                    shape_text(header.shape),
                    header.type.is_record() ? fmt::format("records of {} bytes", header.type.bytes)
                                            : in_quotes(header.type.descr),
                    *expected, found, found < *expected ? " (it is cut short)" : ""));
  }
  const std::string_view data = file.substr(header.data_offset);
  return NpyArray{header.shape, std::as_bytes(std::span(data.data(), data.size()))};
}

std::string npy_header(const NpyType& type, std::span<const std::uint64_t> shape) {
  constexpr std::size_t kAlignment = 64;  // of the data, as the format asks
  std::string dictionary = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}",
                                       descr_text(type), shape_text(shape));
  // Version 1 counts up to 65,535 bytes, and its text is Latin-1; that of version 3 is UTF-8.
  const bool plain = std::ranges::all_of(dictionary, [](char c) { return c >= 0; });
  const bool first = plain && dictionary.size() + kAlignment < 65536;
  const std::size_t length_bytes = first ? 2 : 4;
  const std::size_t unpadded = kMagic.size() + 2 + length_bytes + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  std::string out(kMagic);
  out += static_cast<char>(first ? 1 : 3);
  out += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) {
    out += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  }
  return out + dictionary;
}

}  // namespace vyre

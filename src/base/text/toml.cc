#include "vyre/base/text/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "vyre/base/text/toml_scalar.h"

namespace vyre {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_bare_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_word(char c) { return is_bare_key(c) || c == '+' || c == '.' || c == ':'; }

// Characters that are not allowed anywhere, except escaped in strings.
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto continuation = [&out, point](unsigned shift) {
    out.push_back(static_cast<char>(0x80 | (point >> shift & 0x3f)));
  };
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xc0 | point >> 6));
    continuation(0);
  } else if (point < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | point >> 12));
    continuation(6);
    continuation(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | point >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

// How a table was defined, which decides what may still be added to it.
enum class TableOrigin : std::uint8_t {
  implied,  // a header named something inside it
  header,   // it has a header of its own
  dotted,   // a dotted key named something inside it
  inlined,  // complete
};

}  // namespace

// Recursive descent. Functions return false once `fault_` is set, and leave the rest unread.
class TomlParser {
 public:
  explicit TomlParser(std::string_view text) : text_(text) {}

  std::expected<TomlDocument, TomlFault> run() {
    document_.nodes_.emplace_back();
    states_.push_back({TableOrigin::header, 0, false});
    if (text_.size() > kMaxTomlBytes) {
      fail(fmt::format("the text has {} bytes, and TOML may have {}", text_.size(), kMaxTomlBytes));
    } else if (std::size_t valid = 0; !is_utf8(text_, &valid)) {
      position_ = valid;
      fail("this is not UTF-8");
    } else {
      if (text_.starts_with("\xef\xbb\xbf")) position_ = 3;
      read_lines();
    }
    if (fault_) return std::unexpected(*std::move(fault_));
    return std::move(document_);
  }

 private:
  // For each node, what the rules for defining tables need.
  struct State {
    TableOrigin origin = TableOrigin::implied;
    std::uint32_t section = 0;    // of a dotted table: where it was defined
    bool is_table_array = false;  // the array was made by [[headers]]
  };

  bool fail(std::string_view what) {
    if (fault_) return false;
    const std::string_view before = text_.substr(0, position_);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    fault_ = TomlFault{static_cast<std::uint32_t>(line),
                       static_cast<std::uint32_t>(position_ - line_begin + 1), std::string(what)};
    return false;
  }

  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  bool looking_at(std::string_view wanted) const {
    return text_.substr(position_).starts_with(wanted);
  }
  bool accept(std::string_view wanted) {
    if (!looking_at(wanted)) return false;
    position_ += wanted.size();
    return true;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[position_])) ++position_;
  }
  bool accept_newline() {
    if (!accept("\n") && !accept("\r\n")) return false;
    ++line_;
    return true;
  }

  bool read_lines() {
    while (!at_end()) {
      skip_blanks();
      if (peek() == '[') {
        if (!read_header()) return false;
      } else if (is_bare_key(peek()) || peek() == '"' || peek() == '\'') {
        if (!read_member(current_, 0)) return false;
      }
      if (!end_line()) return false;
    }
    return true;
  }

  bool skip_comment() {
    if (!accept("#")) return true;
    while (!at_end() && !is_control(text_[position_])) ++position_;
    if (at_end() || looking_at("\n") || looking_at("\r\n")) return true;
    return fail("a control character in a comment");
  }

  bool end_line() {
    skip_blanks();
    if (!skip_comment()) return false;
    if (at_end() || accept_newline()) return true;
    return fail("the line should end here");
  }

  // Blanks, newlines and comments, as arrays may have anywhere.
  bool skip_space() {
    while (true) {
      skip_blanks();
      if (!skip_comment()) return false;
      if (!accept_newline()) return true;
    }
  }

  TomlNode& node(TomlId id) { return document_.nodes_[static_cast<std::size_t>(id)]; }
  State& state(TomlId id) { return states_[static_cast<std::size_t>(id)]; }

  TomlId add(TomlId parent, std::string_view key, TomlKind kind) {
    const TomlId id{static_cast<std::uint32_t>(document_.nodes_.size())};
    TomlNode& added = document_.nodes_.emplace_back();
    states_.emplace_back();
    added.kind = kind;
    added.line = line_;
    added.key = key;
    TomlNode& above = node(parent);
    if (above.kind == TomlKind::table)
      document_.members_.emplace(TomlDocument::Member{parent, key}, id);
    if (above.last_child == kNoToml) {
      above.first_child = id;
    } else {
      node(above.last_child).next = id;
    }
    above.last_child = id;
    ++above.child_count;
    return id;
  }

  TomlId add_table(TomlId parent, std::string_view key, TableOrigin origin) {
    const TomlId id = add(parent, key, TomlKind::table);
    state(id) = {origin, section_, false};
    return id;
  }

  // Keys.

  bool read_key_part(std::string_view& part) {
    if (peek() == '"') return read_basic_string(part);
    if (peek() == '\'') return read_literal_string(part);
    const std::size_t begin = position_;
    while (!at_end() && is_bare_key(text_[position_])) ++position_;
    if (position_ == begin) return fail("a key is expected here");
    part = text_.substr(begin, position_ - begin);
    return true;
  }

  // Appends the parts of a dotted key to path_, which works as a stack: an inline table reads keys
  // while those around it are still in use.
  bool read_key() {
    for (int parts = 0;; ++parts) {
      if (parts == kMaxTomlNesting) {
        return fail(fmt::format("a key has more than {} parts here", kMaxTomlNesting));
      }
      std::string_view part;
      if (!read_key_part(part)) return false;
      path_.push_back(part);
      skip_blanks();
      if (!accept(".")) return true;
      skip_blanks();
    }
  }

  // Headers.

  // The table that a header's path leads into, over the part `key`.
  TomlId enter_from_header(TomlId table, std::string_view key) {
    TomlId inner = document_.find(table, key);
    if (inner == kNoToml) return add_table(table, key, TableOrigin::implied);
    if (node(inner).kind == TomlKind::array && state(inner).is_table_array) {
      return node(inner).last_child;
    }
    if (node(inner).kind != TomlKind::table || state(inner).origin == TableOrigin::inlined) {
      fail("a part of this path is a value already");
      return kNoToml;
    }
    return inner;
  }

  bool read_header() {
    const bool is_array = looking_at("[[");
    position_ += is_array ? 2 : 1;
    skip_blanks();
    path_.clear();
    if (!read_key()) return false;
    if (!accept(is_array ? "]]" : "]")) return fail("the header should end here");
    ++section_;
    TomlId table = kTomlRoot;
    for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
      table = enter_from_header(table, path_[i]);
      if (table == kNoToml) return false;
    }
    return is_array ? append_to_table_array(table, path_.back())
                    : define_table(table, path_.back());
  }

  bool define_table(TomlId parent, std::string_view key) {
    current_ = document_.find(parent, key);
    if (current_ == kNoToml) {
      current_ = add_table(parent, key, TableOrigin::header);
      return true;
    }
    if (node(current_).kind != TomlKind::table || state(current_).origin != TableOrigin::implied) {
      return fail("this table is defined already");
    }
    state(current_).origin = TableOrigin::header;
    return true;
  }

  bool append_to_table_array(TomlId parent, std::string_view key) {
    TomlId array = document_.find(parent, key);
    if (array == kNoToml) {
      array = add(parent, key, TomlKind::array);
      state(array).is_table_array = true;
    } else if (node(array).kind != TomlKind::array || !state(array).is_table_array) {
      return fail("this is something else than an array of tables already");
    }
    current_ = add_table(array, {}, TableOrigin::header);
    return true;
  }

  // Members.

  TomlId enter_from_dotted_key(TomlId table, std::string_view key) {
    const TomlId inner = document_.find(table, key);
    if (inner == kNoToml) return add_table(table, key, TableOrigin::dotted);
    if (node(inner).kind == TomlKind::table) {
      State& inner_state = state(inner);
      if (inner_state.origin == TableOrigin::implied) {
        inner_state = {TableOrigin::dotted, section_, false};
      }
      if (inner_state.origin == TableOrigin::dotted && inner_state.section == section_)
        return inner;
    }
    fail("a part of this key is defined already");
    return kNoToml;
  }

  // key = value. The caller reads what follows.
  bool read_member(TomlId table, int depth) {
    const std::size_t begin = path_.size();
    if (!read_key()) return false;
    for (std::size_t i = begin; i + 1 < path_.size(); ++i) {
      table = enter_from_dotted_key(table, path_[i]);
      if (table == kNoToml) return false;
    }
    const std::string_view key = path_.back();
    path_.resize(begin);
    if (document_.find(table, key) != kNoToml) return fail("this key is defined already");
    if (!accept("=")) return fail("\"=\" is expected here");
    skip_blanks();
    return read_value(table, key, depth);
  }

  // Values.

  bool read_value(TomlId parent, std::string_view key, int depth) {
    if (depth == kMaxTomlNesting && (peek() == '[' || peek() == '{')) {
      return fail(fmt::format("values are nested more than {} levels deep here", kMaxTomlNesting));
    }
    switch (peek()) {
      case '[': return read_array(add(parent, key, TomlKind::array), depth + 1);
      case '{': return read_inline_table(add_table(parent, key, TableOrigin::dotted), depth + 1);
      case '"':
      case '\'': {
        const TomlId id = add(parent, key, TomlKind::string);
        std::string_view text;
        if (!read_string(text)) return false;
        node(id).text = text;
        return true;
      }
      default: return read_word(add(parent, key, TomlKind::integer));
    }
  }

  bool read_array(TomlId array, int depth) {
    ++position_;
    while (true) {
      if (!skip_space()) return false;
      if (accept("]")) return true;
      if (!read_value(array, {}, depth) || !skip_space()) return false;
      if (accept(",")) continue;
      return accept("]") || fail("\",\" or \"]\" is expected here");
    }
  }

  bool read_inline_table(TomlId table, int depth) {
    ++position_;
    const std::uint32_t outer = std::exchange(section_, ++last_inline_section_);
    while (true) {
      if (!skip_space()) return false;
      if (accept("}")) break;
      if (!read_member(table, depth) || !skip_space()) return false;
      if (accept(",")) continue;
      if (accept("}")) break;
      return fail("\",\" or \"}\" is expected here");
    }
    section_ = outer;
    state(table).origin = TableOrigin::inlined;
    return true;
  }

  bool read_word(TomlId id) {
    const std::size_t begin = position_;
    const auto skip_word = [this] {
      while (!at_end() && is_word(text_[position_])) ++position_;
    };
    skip_word();
    if (position_ == begin) return fail("a value is expected here");
    // A date and a time may have a blank between them.
    const bool is_date = position_ - begin == 10 && text_[begin + 4] == '-';
    if (is_date && position_ + 1 < text_.size() && text_[position_] == ' ' &&
        text_[position_ + 1] >= '0' && text_[position_ + 1] <= '9') {
      ++position_;
      skip_word();
    }
    const std::string_view fault =
        toml_detail::read_word(text_.substr(begin, position_ - begin), node(id));
    if (fault.empty()) return true;
    position_ = begin;
    return fail(fault);
  }

  // Strings.

  bool read_string(std::string_view& out) {
    if (accept("\"\"\"")) return read_long_basic_string(out);
    if (accept("'''")) return read_long_literal_string(out);
    return peek() == '"' ? read_basic_string(out) : read_literal_string(out);
  }

  bool read_literal_string(std::string_view& out) {
    const std::size_t begin = ++position_;
    while (!at_end() && text_[position_] != '\'' && !is_control(text_[position_])) ++position_;
    out = text_.substr(begin, position_ - begin);
    return accept("'") || fail("the string does not end in its line");
  }

  bool read_basic_string(std::string_view& out) {
    const std::size_t begin = ++position_;
    const auto skip_plain = [this] {
      while (!at_end() && text_[position_] != '"' && text_[position_] != '\\' &&
             !is_control(text_[position_])) {
        ++position_;
      }
    };
    skip_plain();
    if (peek() != '\\') {
      out = text_.substr(begin, position_ - begin);
      return accept("\"") || fail("the string does not end in its line");
    }
    std::string& decoded = document_.decoded_.emplace_back(text_.substr(begin, position_ - begin));
    while (!accept("\"")) {
      if (peek() != '\\') return fail("the string does not end in its line");
      if (!read_escape(decoded)) return false;
      const std::size_t plain = position_;
      skip_plain();
      decoded.append(text_.substr(plain, position_ - plain));
    }
    out = decoded;
    return true;
  }

  // Starts after the opening quotes. A newline immediately after them is not part of the string.
  bool read_long_literal_string(std::string_view& out) {
    accept_newline();
    const std::size_t begin = position_;
    while (!looking_at("'''")) {
      if (!skip_long_character()) return false;
    }
    position_ += 3;
    skip_extra_quotes('\'');
    out = text_.substr(begin, position_ - 3 - begin);
    return true;
  }

  bool read_long_basic_string(std::string_view& out) {
    accept_newline();
    std::string& decoded = document_.decoded_.emplace_back();
    while (!looking_at("\"\"\"")) {
      if (peek() == '\\') {
        if (!skip_escaped_newline() && !read_escape(decoded)) return false;
        continue;
      }
      const std::size_t begin = position_;
      if (!skip_long_character()) return false;
      decoded.append(text_.substr(begin, position_ - begin));
    }
    position_ += 3;
    decoded.append(skip_extra_quotes('"'), '"');
    out = decoded;
    return true;
  }

  bool skip_long_character() {
    if (at_end()) return fail("the string does not end");
    if (accept_newline()) return true;
    if (is_control(text_[position_])) return fail("a control character in a string");
    ++position_;
    return true;
  }

  // One or two quotes right before the closing ones belong to the string.
  std::size_t skip_extra_quotes(char quote) {
    std::size_t extra = 0;
    while (extra < 2 && !at_end() && text_[position_] == quote) {
      ++position_;
      ++extra;
    }
    return extra;
  }

  // A backslash at the end of a line takes away all space up to the next character.
  bool skip_escaped_newline() {
    const std::size_t begin = position_++;
    skip_blanks();
    if (!accept_newline()) {
      position_ = begin;
      return false;
    }
    do {
      skip_blanks();
    } while (accept_newline());
    return true;
  }

  bool read_escape(std::string& out) {
    const std::size_t begin = position_++;
    static constexpr std::string_view kLetters = "btnfre\"\\";
    static constexpr std::string_view kMeanings = "\b\t\n\f\r\x1b\"\\";
    const char letter = peek();
    if (const std::size_t found = kLetters.find(letter); !at_end() && found != kLetters.npos) {
      ++position_;
      out.push_back(kMeanings[found]);
      return true;
    }
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const std::string_view code = text_.substr(std::min(position_ + 1, text_.size()), digits);
    std::uint32_t point = 0;
    const auto [stop, fault] = std::from_chars(code.data(), code.data() + code.size(), point, 16);
    const bool is_scalar = point < 0xd800 || (point > 0xdfff && point <= 0x10ffff);
    if (digits == 0 || code.size() != digits || stop != code.data() + digits ||
        fault != std::errc{} || !is_scalar) {
      position_ = begin;
      return fail("there is no such escape");
    }
    position_ += 1 + digits;
    append_utf8(out, point);
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  TomlDocument document_;
  std::vector<State> states_;
  TomlId current_ = kTomlRoot;  // the table of the last header
  // Sections of headers count from 0; those of inline tables are told apart by the high bit.
  std::uint32_t section_ = 0;
  std::uint32_t last_inline_section_ = 0x8000'0000;
  std::vector<std::string_view> path_;
  std::optional<TomlFault> fault_;
};

std::string_view to_string(TomlKind kind) {
  switch (kind) {
    case TomlKind::table: return "table";
    case TomlKind::array: return "array";
    case TomlKind::integer: return "integer";
    case TomlKind::real: return "float";
    case TomlKind::boolean: return "boolean";
    case TomlKind::string: return "string";
    case TomlKind::date_time: return "date-time";
  }
  return "unknown";
}

TomlId TomlDocument::find(TomlId table, std::string_view key) const {
  const auto found = members_.find(Member{table, key});
  return found == members_.end() ? kNoToml : found->second;
}

std::expected<TomlDocument, TomlFault> parse_toml(std::string_view text) {
  return TomlParser(text).run();
}

bool is_utf8(std::string_view bytes, std::size_t* valid) {
  const auto byte = [&bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  std::size_t i = 0;
  while (i < bytes.size()) {
    const unsigned char lead = byte(i);
    std::size_t more = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead == 0xe0) low = 0xa0;   // nothing overlong
      if (lead == 0xed) high = 0x9f;  // no surrogates
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else if (lead >= 0x80) {
      break;
    }
    if (more > 0 && (i + more >= bytes.size() || byte(i + 1) < low || byte(i + 1) > high)) break;
    bool whole = true;
    for (std::size_t k = 2; k <= more; ++k) whole = whole && (byte(i + k) & 0xc0) == 0x80;
    if (!whole) break;
    i += more + 1;
  }
  if (valid != nullptr) *valid = i;
  return i == bytes.size();
}

}  // namespace vyre

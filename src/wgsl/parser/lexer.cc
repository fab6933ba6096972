#include "vyre/wgsl/parser/lexer.h"

#include <cstddef>
#include <cstdint>

#include "vyre/wgsl/parser/keywords.h"
#include "vyre/wgsl/parser/literal.h"
#include "vyre/wgsl/unicode.h"

namespace vyre {
namespace {

using enum TokenKind;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { tokens_.reserve(text.size() / 4 + 16); }

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    add(end_of_text, at_, at_);
    return std::move(tokens_);
  }

 private:
  // A '<' that may turn out to begin a template list.
  struct Candidate {
    std::size_t token;
    std::uint32_t depth;
  };

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  CodePoint decode() const { return decode_utf8(text_, at_); }

  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.push_back({kind, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}});
  }
  void take(TokenKind kind, std::size_t bytes) {
    add(kind, at_, at_ + bytes);
    at_ += bytes;
  }
  // Consecutive invalid text is one token.
  void take_invalid(TokenKind kind, std::size_t bytes) {
    if (!tokens_.empty() && tokens_.back().kind == kind && tokens_.back().span.end == at_) {
      tokens_.back().span.end += static_cast<std::uint32_t>(bytes);
      at_ += bytes;
    } else {
      take(kind, bytes);
    }
  }

  void step() {
    const char c = text_[at_];
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (is_ascii_word(c)) {
      word();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      beyond_ascii();
    } else {
      punctuation(c);
    }
  }

  void beyond_ascii() {
    const CodePoint c = decode();
    if (!c.valid()) {
      take_invalid(invalid_utf8, 1);
    } else if (is_blankspace(c.value)) {
      at_ += c.bytes;
    } else if (is_xid_start(c.value)) {
      word();
    } else {
      take(unknown_character, c.bytes);
    }
  }

  // The end of the run of XID_Continue code points that begins at `at`.
  std::size_t word_end(std::size_t at) const {
    while (at < text_.size()) {
      if (is_ascii_word(text_[at])) {
        ++at;
        continue;
      }
      if (static_cast<unsigned char>(text_[at]) < 0x80) break;
      const CodePoint c = decode_utf8(text_, at);
      if (!c.valid() || !is_xid_continue(c.value)) break;
      at += c.bytes;
    }
    return at;
  }

  void word() {
    const std::size_t end = word_end(at_);
    take(classify_word(text_.substr(at_, end - at_)), end - at_);
  }

  void number() {
    const std::size_t end = at_ + scan_number(text_.substr(at_));
    const std::size_t run = word_end(end);
    // The grammar never has a word or a digit directly after a number.
    take(run == end ? TokenKind::number : malformed_number, run - at_);
  }

  void line_comment() {
    at_ += 2;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c >= '\n' && c <= '\r') return;
      if (static_cast<unsigned char>(c) >= 0x80 && is_line_break(decode().value)) return;
      comment_character();
    }
  }

  void block_comment() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == '/' && peek(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (text_[at_] == '*' && peek(1) == '/') {
        at_ += 2;
        if (--depth == 0) return;
      } else {
        comment_character();
      }
    }
    add(unterminated_comment, begin, begin + 2);
  }

  void comment_character() {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == 0) {
      take_invalid(nul_character, 1);
    } else if (c < 0x80) {
      ++at_;
    } else if (const CodePoint decoded = decode(); decoded.valid()) {
      at_ += decoded.bytes;
    } else {
      take_invalid(invalid_utf8, 1);
    }
  }

  // ---- Template lists

  void drop_candidates_at_this_depth() {
    while (!candidates_.empty() && candidates_.back().depth >= depth_) candidates_.pop_back();
  }
  // No expression, and so no template list, continues after these tokens.
  void take_boundary(TokenKind kind, std::size_t bytes) {
    depth_ = 0;
    candidates_.clear();
    take(kind, bytes);
  }
  void open(TokenKind kind) {
    ++depth_;
    take(kind, 1);
  }
  void close(TokenKind kind) {
    drop_candidates_at_this_depth();
    if (depth_ != 0) --depth_;
    take(kind, 1);
  }

  bool behind_name() const {
    if (tokens_.empty()) return false;
    const TokenKind kind = tokens_.back().kind;
    if (kind == kw_true || kind == kw_false) return false;
    return kind == identifier || kind == reserved_word || kind == reserved_name ||
           (kind >= kw_alias && kind <= kw_while);
  }

  void less_than() {
    if (peek(1) == '<') {
      if (peek(2) == '=') return take_boundary(shift_left_equal, 3);
      return take(shift_left, 2);
    }
    if (peek(1) == '=') return take(less_equal, 2);
    if (behind_name()) candidates_.push_back({tokens_.size(), depth_});
    take(less, 1);
  }

  void greater_than() {
    if (!candidates_.empty() && candidates_.back().depth == depth_) {
      tokens_[candidates_.back().token].kind = template_begin;
      candidates_.pop_back();
      return take(template_end, 1);
    }
    if (peek(1) == '>') {
      if (peek(2) == '=') return take(shift_right_equal, 3);
      return take(shift_right, 2);
    }
    if (peek(1) == '=') return take(greater_equal, 2);
    take(greater, 1);
  }

  void short_circuit(TokenKind kind) {
    drop_candidates_at_this_depth();
    take(kind, 2);
  }

  // An operator that may be followed by '=', which makes it an assignment.
  void arithmetic(TokenKind plain, TokenKind assignment) {
    if (peek(1) == '=') return take_boundary(assignment, 2);
    take(plain, 1);
  }

  void punctuation(char c) {
    const char next = peek(1);
    switch (c) {
      case '\0': return take_invalid(nul_character, 1);
      case '@': return take(at, 1);
      case '{': return take_boundary(brace_left, 1);
      case '}': return take(brace_right, 1);
      case ';': return take_boundary(semicolon, 1);
      case ':': return take_boundary(colon, 1);
      case '(': return open(paren_left);
      case '[': return open(bracket_left);
      case ')': return close(paren_right);
      case ']': return close(bracket_right);
      case ',': return take(comma, 1);
      case '.': return take(period, 1);
      case '~': return take(tilde, 1);
      case '<': return less_than();
      case '>': return greater_than();
      case '!': return next == '=' ? take(not_equal, 2) : take(bang, 1);
      case '=': return next == '=' ? take(equal_equal, 2) : take_boundary(equal, 1);
      case '&': return next == '&' ? short_circuit(and_and) : arithmetic(ampersand, and_equal);
      case '|': return next == '|' ? short_circuit(or_or) : arithmetic(pipe, or_equal);
      case '^': return arithmetic(caret, xor_equal);
      case '%': return arithmetic(percent, percent_equal);
      case '*': return arithmetic(star, star_equal);
      case '+': return next == '+' ? take(plus_plus, 2) : arithmetic(plus, plus_equal);
      case '-':
        if (next == '>') return take(arrow, 2);
        return next == '-' ? take(minus_minus, 2) : arithmetic(minus, minus_equal);
      case '/':
        if (next == '/') return line_comment();
        if (next == '*') return block_comment();
        return arithmetic(slash, slash_equal);
      default: return take(unknown_character, 1);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<Candidate> candidates_;
  std::uint32_t depth_ = 0;  // of parentheses and brackets
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace vyre

#include "vyre/wgsl/parser/keywords.h"

#include <array>
#include <cstddef>

namespace vyre {
namespace {

struct Word {
  std::string_view text;
  TokenKind kind = TokenKind::identifier;
};

constexpr Word kKeywords[] = {
    {"alias", TokenKind::kw_alias},
    {"break", TokenKind::kw_break},
    {"case", TokenKind::kw_case},
    {"const", TokenKind::kw_const},
    {"const_assert", TokenKind::kw_const_assert},
    {"continue", TokenKind::kw_continue},
    {"continuing", TokenKind::kw_continuing},
    {"default", TokenKind::kw_default},
    {"diagnostic", TokenKind::kw_diagnostic},
    {"discard", TokenKind::kw_discard},
    {"else", TokenKind::kw_else},
    {"enable", TokenKind::kw_enable},
    {"false", TokenKind::kw_false},
    {"fn", TokenKind::kw_fn},
    {"for", TokenKind::kw_for},
    {"if", TokenKind::kw_if},
    {"let", TokenKind::kw_let},
    {"loop", TokenKind::kw_loop},
    {"override", TokenKind::kw_override},
    {"requires", TokenKind::kw_requires},
    {"return", TokenKind::kw_return},
    {"struct", TokenKind::kw_struct},
    {"switch", TokenKind::kw_switch},
    {"true", TokenKind::kw_true},
    {"var", TokenKind::kw_var},
    {"while", TokenKind::kw_while},
};

constexpr std::string_view kReservedWords[] = {"NULL",
                                               "Self",
                                               "abstract",
                                               "active",
                                               "alignas",
                                               "alignof",
                                               "as",
                                               "asm",
                                               "asm_fragment",
                                               "async",
                                               "attribute",
                                               "auto",
                                               "await",
                                               "become",
                                               "cast",
                                               "catch",
                                               "class",
                                               "co_await",
                                               "co_return",
                                               "co_yield",
                                               "coherent",
                                               "column_major",
                                               "common",
                                               "compile",
                                               "compile_fragment",
                                               "concept",
                                               "const_cast",
                                               "consteval",
                                               "constexpr",
                                               "constinit",
                                               "crate",
                                               "debugger",
                                               "decltype",
                                               "delete",
                                               "demote",
                                               "demote_to_helper",
                                               "do",
                                               "dynamic_cast",
                                               "enum",
                                               "explicit",
                                               "export",
                                               "extends",
                                               "extern",
                                               "external",
                                               "fallthrough",
                                               "filter",
                                               "final",
                                               "finally",
                                               "friend",
                                               "from",
                                               "fxgroup",
                                               "get",
                                               "goto",
                                               "groupshared",
                                               "highp",
                                               "impl",
                                               "implements",
                                               "import",
                                               "inline",
                                               "instanceof",
                                               "interface",
                                               "layout",
                                               "lowp",
                                               "macro",
                                               "macro_rules",
                                               "match",
                                               "mediump",
                                               "meta",
                                               "mod",
                                               "module",
                                               "move",
                                               "mut",
                                               "mutable",
                                               "namespace",
                                               "new",
                                               "nil",
                                               "noexcept",
                                               "noinline",
                                               "nointerpolation",
                                               "non_coherent",
                                               "noncoherent",
                                               "noperspective",
                                               "null",
                                               "nullptr",
                                               "of",
                                               "operator",
                                               "package",
                                               "packoffset",
                                               "partition",
                                               "pass",
                                               "patch",
                                               "pixelfragment",
                                               "precise",
                                               "precision",
                                               "premerge",
                                               "priv",
                                               "protected",
                                               "pub",
                                               "public",
                                               "readonly",
                                               "ref",
                                               "regardless",
                                               "register",
                                               "reinterpret_cast",
                                               "require",
                                               "resource",
                                               "restrict",
                                               "self",
                                               "set",
                                               "shared",
                                               "sizeof",
                                               "smooth",
                                               "snorm",
                                               "static",
                                               "static_assert",
                                               "static_cast",
                                               "std",
                                               "subroutine",
                                               "super",
                                               "target",
                                               "template",
                                               "this",
                                               "thread_local",
                                               "throw",
                                               "trait",
                                               "try",
                                               "type",
                                               "typedef",
                                               "typeid",
                                               "typename",
                                               "typeof",
                                               "union",
                                               "unless",
                                               "unorm",
                                               "unsafe",
                                               "unsized",
                                               "use",
                                               "using",
                                               "varying",
                                               "virtual",
                                               "volatile",
                                               "wgsl",
                                               "where",
                                               "with",
                                               "writeonly",
                                               "yield"};

constexpr std::size_t kTableSize = 1024;
constexpr std::size_t kLongestWord = 16;

constexpr std::size_t slot_of(std::string_view word) {
  const auto at = [&](std::size_t i) -> std::size_t { return static_cast<unsigned char>(word[i]); };
  const std::size_t n = word.size();
  return (n * 5 + at(0) * 131 + at(n - 1) * 17 + at(n / 2) * 61 + at(n > 1 ? 1 : 0) * 7) %
         kTableSize;
}

// Open addressing, at most a fifth full.
constexpr std::array<Word, kTableSize> make_table() {
  std::array<Word, kTableSize> table{};
  const auto insert = [&](Word word) {
    std::size_t slot = slot_of(word.text);
    while (!table[slot].text.empty()) slot = (slot + 1) % kTableSize;
    table[slot] = word;
  };
  for (const Word& word : kKeywords) insert(word);
  for (const std::string_view text : kReservedWords) insert({text, TokenKind::reserved_word});
  return table;
}

constexpr std::array<Word, kTableSize> kTable = make_table();

constexpr bool fits_longest_word() {
  for (const Word& word : kTable) {
    if (word.text.size() > kLongestWord) return false;
  }
  return true;
}
static_assert(fits_longest_word());

}  // namespace

TokenKind classify_word(std::string_view word) {
  if (word[0] == '_') {
    if (word.size() == 1) return TokenKind::underscore;
    return word[1] == '_' ? TokenKind::reserved_name : TokenKind::identifier;
  }
  if (word.size() > kLongestWord) return TokenKind::identifier;
  for (std::size_t slot = slot_of(word); !kTable[slot].text.empty();
       slot = (slot + 1) % kTableSize) {
    if (kTable[slot].text == word) return kTable[slot].kind;
  }
  return TokenKind::identifier;
}

}  // namespace vyre

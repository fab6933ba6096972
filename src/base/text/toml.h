// Reads TOML 1.0, and the syntax that 1.1 adds: \e and \xHH, date-times without seconds, newlines
// and a trailing comma in inline tables. Any input is safe: the work is linear in its size, and its
// size and nesting are limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vyre {

// A short member such as `a=1` takes about forty times the memory of its text.
inline constexpr std::size_t kMaxTomlBytes = std::size_t{16} << 20;
// Of arrays and inline tables inside each other, and of the parts of a key.
inline constexpr int kMaxTomlNesting = 128;

enum class TomlKind : std::uint8_t { table, array, integer, real, boolean, string, date_time };

std::string_view to_string(TomlKind kind);

enum class TomlId : std::uint32_t {};
inline constexpr TomlId kTomlRoot{0};
inline constexpr TomlId kNoToml{0xffff'ffff};

struct TomlNode {
  TomlKind kind = TomlKind::table;
  bool boolean = false;
  std::uint32_t line = 1;         // where it begins
  std::uint32_t child_count = 0;  // members of a table, elements of an array
  TomlId first_child = kNoToml;
  TomlId last_child = kNoToml;
  TomlId next = kNoToml;  // the next member or element
  std::string_view key;   // of a member of a table
  std::string_view text;  // the value of a string; a date-time as written
  std::int64_t integer = 0;
  double real = 0.0;
};

struct TomlFault {
  std::uint32_t line = 0;  // from 1
  std::uint32_t column = 0;
  std::string what;

  bool operator==(const TomlFault&) const = default;
};

// Nodes are in one array and refer to each other by number, so that neither a walk nor the
// destructor recurses. Keys and strings are views into the text, which must outlive the document.
class TomlDocument {
 public:
  // Members and elements in the order of the text.
  class Children {
   public:
    class Iterator {
     public:
      using value_type = TomlId;
      using difference_type = std::ptrdiff_t;
      Iterator() = default;
      Iterator(const TomlDocument* document, TomlId id) : document_(document), id_(id) {}
      TomlId operator*() const { return id_; }
      Iterator& operator++() {
        id_ = document_->node(id_).next;
        return *this;
      }
      Iterator operator++(int) {
        Iterator before = *this;
        ++*this;
        return before;
      }
      bool operator==(const Iterator& other) const { return id_ == other.id_; }

     private:
      const TomlDocument* document_ = nullptr;
      TomlId id_ = kNoToml;
    };
    Children(const TomlDocument* document, TomlId first) : begin_(document, first) {}
    Iterator begin() const { return begin_; }
    Iterator end() const { return {}; }

   private:
    Iterator begin_;
  };

  const TomlNode& node(TomlId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Children children(TomlId id) const { return {this, node(id).first_child}; }
  // The member of a table, or kNoToml.
  TomlId find(TomlId table, std::string_view key) const;

 private:
  friend class TomlParser;

  struct Member {
    TomlId table;
    std::string_view key;
    bool operator==(const Member&) const = default;
  };
  struct MemberHash {
    std::size_t operator()(const Member& member) const {
      return std::hash<std::string_view>{}(member.key) ^
             (static_cast<std::size_t>(member.table) * 0x9e3779b97f4a7c15);
    }
  };

  std::vector<TomlNode> nodes_;
  std::unordered_map<Member, TomlId, MemberHash> members_;
  std::deque<std::string> decoded_;  // strings that have escapes in the text
};

// A byte-order mark at the beginning is ignored. Text that is not UTF-8 is a fault.
std::expected<TomlDocument, TomlFault> parse_toml(std::string_view text);

// Whether the bytes are well-formed UTF-8 (no surrogates, no overlong forms). `*valid` is set to
// the length of the well-formed beginning.
bool is_utf8(std::string_view bytes, std::size_t* valid = nullptr);

}  // namespace vyre

// Columns of text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/cli/streams.h"

namespace vyre {

// Rows of cells under a heading; a column is as wide as its widest cell. Columns are aligned to the
// left unless they are named in `right`.
class Table {
 public:
  explicit Table(std::vector<std::string> heading, const std::vector<std::size_t>& right = {});

  // Adds a row, which must have as many cells as the heading.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }

  void print(Output& out, std::string_view indent = "") const;

 private:
  std::vector<std::string> heading_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns a terminal takes for the text: its code points.
std::size_t text_width(std::string_view text);

}  // namespace vyre

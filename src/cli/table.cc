#include "vyre/cli/table.h"

#include <algorithm>
#include <cassert>

namespace vyre {

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

Table::Table(std::vector<std::string> heading, const std::vector<std::size_t>& right)
    : heading_(std::move(heading)), right_(heading_.size(), false) {
  for (const std::size_t column : right) right_[column] = true;
}

void Table::add(std::vector<std::string> row) {
  assert(row.size() == heading_.size());
  rows_.push_back(std::move(row));
}

void Table::print(Output& out, std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : heading_) widths.push_back(text_width(cell));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], text_width(row[i]));
    }
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - text_width(row[i]), ' ');
      if (i != 0) text += "  ";
      text += right_[i] ? space + row[i] : row[i] + space;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  out.print("{}{}\n", indent, faint(out, line(heading_)));
  for (const auto& row : rows_) out.print("{}{}\n", indent, line(row));
}

}  // namespace vyre

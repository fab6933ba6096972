#include "vyre/cli/replay/replay_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "vyre/cli/table.h"

namespace vyre {
namespace {

constexpr std::size_t kLeft = 6;  // " 0.5 ┤"
constexpr std::array kColours{"\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[32m", "\x1b[34m"};

// A canvas of braille cells, two dots wide and four high; a cell has the colour of its last dot.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : columns_(columns), dots_(columns * rows), owner_(columns * rows, 0) {}

  void dot(std::size_t x, std::size_t y, std::size_t owner) {
    static constexpr std::array<std::array<std::uint8_t, 2>, 4> kBits{
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    const std::size_t cell = y / 4 * columns_ + x / 2;
    dots_[cell] = static_cast<std::uint8_t>(dots_[cell] | kBits[y % 4][x % 2]);
    owner_[cell] = owner;
  }

  std::string row(std::size_t row, bool colour) const {
    std::string text;
    for (std::size_t c = 0; c < columns_; ++c) {
      const std::uint8_t dots = dots_[row * columns_ + c];
      if (dots == 0) {
        text += ' ';
        continue;
      }
      const std::uint32_t point = 0x2800U + dots;
      std::string glyph;
      glyph += static_cast<char>(0xe0 | (point >> 12));
      glyph += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
      glyph += static_cast<char>(0x80 | (point & 0x3f));
      const char* paint = kColours[owner_[row * columns_ + c] % kColours.size()];
      text += colour ? paint + glyph + "\x1b[0m" : glyph;
    }
    return text;
  }

 private:
  std::size_t columns_;
  std::vector<std::uint8_t> dots_;
  std::vector<std::size_t> owner_;
};

std::size_t row_of(double fraction, double floor, std::size_t steps) {
  const double share = std::clamp((fraction - floor) / (1 - floor), 0.0, 1.0);
  return static_cast<std::size_t>(std::lround((1 - share) * static_cast<double>(steps - 1)));
}

// The names of the curves, each in a row of its own near the end of its curve.
std::vector<std::string> labels(std::span<const ReplayCurve> curves, double floor, std::size_t rows,
                                bool colour) {
  std::vector<std::string> out(rows);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < curves.size(); ++i) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-curves[i].mean.back(), i); });
  std::size_t free = 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const ReplayCurve& curve = curves[order[n]];
    const std::size_t last = rows - (order.size() - n);  // leave room for those below
    const std::size_t row = std::min(std::max(free, row_of(curve.mean.back(), floor, rows)), last);
    const std::string text = fmt::format(" {} {:.3f}", curve.strategy, curve.mean.back());
    out[row] = colour ? kColours[order[n] % kColours.size()] + text + "\x1b[0m" : text;
    free = row + 1;
  }
  return out;
}

std::string axis_text(std::size_t columns, std::uint32_t budget) {
  std::string ticks = std::string(kLeft - 1, ' ') + "└";
  std::string names(kLeft, ' ');
  std::size_t next = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    ticks += "─";
    names += ' ';
  }
  for (const std::uint32_t mark : replay_marks(budget)) {
    const std::string text = fmt::format("{}", mark);
    auto at = static_cast<std::size_t>(
        std::lround(evaluation_place(mark, budget) * static_cast<double>(columns - 1)));
    at = std::min(at, columns - std::min(columns, text.size()));
    if (at < next) continue;
    names.replace(kLeft + at, text.size(), text);
    next = at + text.size() + 1;
  }
  return fmt::format("{}\n{}  evaluations\n", ticks, names);
}

}  // namespace

double evaluation_place(double evaluation, double budget) {
  return budget > 1 ? std::log(evaluation) / std::log(budget) : 0.0;
}

double fraction_floor(std::span<const ReplayCurve> curves) {
  double least = 1;
  for (const ReplayCurve& curve : curves) least = std::min(least, curve.mean.front());
  return std::clamp(std::floor(least * 10 - 1e-9) / 10, 0.0, 0.9);
}

std::string replay_plot(std::span<const ReplayCurve> curves, std::size_t width, bool colour) {
  std::size_t names = 0;
  for (const ReplayCurve& curve : curves) names = std::max(names, curve.strategy.size() + 7);
  const std::size_t columns = width > kLeft + names + 20 ? width - kLeft - names : 20;
  const double floor = fraction_floor(curves);
  // Some fourteen rows, as many for each tenth.
  const auto tenths = static_cast<std::size_t>(std::lround((1 - floor) * 10));
  const std::size_t rows_of_tenth = std::max<std::size_t>(1, (14 + tenths / 2) / tenths);
  const std::size_t rows = tenths * rows_of_tenth + 1;
  Canvas canvas(columns, rows);
  // The first curve is drawn last, above the others.
  for (std::size_t i = curves.size(); i-- > 0;) {
    const ReplayCurve& curve = curves[i];
    const double budget = static_cast<double>(curve.mean.size());
    std::size_t before = 0;
    for (std::size_t x = 0; x < columns * 2; ++x) {
      const double place = static_cast<double>(x) / static_cast<double>(columns * 2 - 1);
      const auto e = static_cast<std::size_t>(std::exp(place * std::log(budget)) + 1e-9);
      const double value = curve.mean[std::clamp<std::size_t>(e, 1, curve.mean.size()) - 1];
      const std::size_t y = row_of(value, floor, rows * 4);
      canvas.dot(x, y, i);
      for (std::size_t between = y + 1; x > 0 && between < before; ++between) {
        canvas.dot(x, between, i);
      }
      before = y;
    }
  }
  const auto ends = labels(curves, floor, rows, colour);
  std::string out = "      fraction of the optimum, mean of the runs\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t tenths = row / rows_of_tenth;
    const double value = 1 - static_cast<double>(tenths) / 10;
    out += row % rows_of_tenth == 0 ? fmt::format(" {:.1f} ┤", value) : "     │";
    out += canvas.row(row, colour) + ends[row];
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out + axis_text(columns, static_cast<std::uint32_t>(curves.front().mean.size()));
}

}  // namespace vyre

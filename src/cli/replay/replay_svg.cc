#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "vyre/cli/replay/replay_plot.h"

namespace vyre {
namespace {

constexpr double kPanelWidth = 460, kPanelHeight = 320;
constexpr double kLeft = 46, kRight = 16, kTop = 52, kBottom = 40;
constexpr double kHeader = 56;
// Colours that people with colour blindness can tell apart (Okabe and Ito).
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        // Control characters may not stand in XML; other bytes above ASCII are UTF-8 or replaced.
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

// The first bytes of a text, where they are UTF-8; otherwise with question marks.
std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size() && count < most; ++count) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xc2 && lead <= 0xdf ? 2
                               : lead >= 0xe1 && lead <= 0xec ? 3
                                                              : 0;
    bool whole = length != 0 && i + length <= text.size();
    for (std::size_t k = 1; whole && k < length; ++k) {
      whole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    }
    if (whole) {
      out += text.substr(i, length);
      i += length;
    } else {
      out += '?';
      ++i;
    }
  }
  if (count == most && out.size() < text.size()) out += "…";
  return escaped(out);
}

struct Frame {
  double left = 0, top = 0, width = 0, height = 0, floor = 0, budget = 1;

  double x(double evaluation) const { return left + width * evaluation_place(evaluation, budget); }
  double y(double fraction) const {
    return top + height * (1 - std::clamp((fraction - floor) / (1 - floor), 0.0, 1.0));
  }
};

// Evaluations at which a line needs a point: not more than the eye sees.
std::vector<std::size_t> sampled(std::size_t budget) {
  std::vector<std::size_t> at;
  double next = 0;
  for (std::size_t e = 1; e <= budget; ++e) {
    const double place = evaluation_place(static_cast<double>(e), static_cast<double>(budget));
    if (place + 1e-9 < next && e != budget) continue;
    at.push_back(e);
    next = place + 1.0 / 400;
  }
  return at;
}

void add_curve(std::string& out, const Frame& frame, const ReplayCurve& curve,
               std::string_view colour) {
  const auto at = sampled(curve.mean.size());
  std::string band, line;
  for (const std::size_t e : at) {
    const double x = frame.x(static_cast<double>(e));
    band += fmt::format("{:.1f},{:.1f} ", x, frame.y(curve.high[e - 1]));
    line += fmt::format("{:.1f},{:.1f} ", x, frame.y(curve.mean[e - 1]));
  }
  for (const std::size_t e : std::views::reverse(at)) {
    band +=
        fmt::format("{:.1f},{:.1f} ", frame.x(static_cast<double>(e)), frame.y(curve.low[e - 1]));
  }
  out += fmt::format("<polygon points=\"{}\" fill=\"{}\" opacity=\"0.12\"/>\n", band, colour);
  out += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
      "stroke-linejoin=\"round\"><title>{}: {:.3f} after {} evaluations</title></polyline>\n",
      line, colour, escaped(curve.strategy), curve.mean.back(), curve.mean.size());
}

void add_axes(std::string& out, const Frame& frame) {
  const int from = static_cast<int>(std::lround(frame.floor * 10));
  const int step = 10 - from > 5 ? 2 : 1;
  for (int tenth = 10; tenth >= from; tenth -= step) {
    const double y = frame.y(tenth / 10.0);
    out += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.1f}</text>\n",
        frame.left, y, frame.left + frame.width, y, frame.left - 6, y + 4, tenth / 10.0);
  }
  double next = 0;
  for (const std::uint32_t mark : replay_marks(static_cast<std::uint32_t>(frame.budget))) {
    const double x = frame.x(mark);
    if (x < next) continue;
    next = x + 26;
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
        x, frame.top, frame.top + frame.height, frame.top + frame.height + 16, mark);
  }
}

void add_panel(std::string& out, const ReplayPanel& panel, double left, double top) {
  const Frame frame{.left = left + kLeft,
                    .top = top + kTop,
                    .width = kPanelWidth - kLeft - kRight,
                    .height = kPanelHeight - kTop - kBottom,
                    .floor = fraction_floor(panel.curves),
                    .budget = static_cast<double>(panel.curves.front().mean.size())};
  out += fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + kLeft,
                     top + 22, printable(panel.title, 56));
  out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + kLeft,
                     top + 40, printable(panel.subtitle, 70));
  add_axes(out, frame);
  for (std::size_t i = panel.curves.size(); i-- > 0;) {
    add_curve(out, frame, panel.curves[i], kColours[i % kColours.size()]);
  }
  out += fmt::format(
      "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">"
      "evaluations</text>\n",
      frame.left + frame.width / 2, frame.top + frame.height + 34);
}

}  // namespace

std::string replay_svg(std::span<const ReplayPanel> panels) {
  const std::size_t columns = panels.size() < 2 ? 1 : panels.size() < 7 ? 2 : 3;
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double width = kPanelWidth * static_cast<double>(columns);
  const double height = kHeader + kPanelHeight * static_cast<double>(rows);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"system-ui, sans-serif\">\n"
      "<title>Fraction of the optimum against evaluations</title>\n"
      "<style>.grid{{stroke:#d8dce2;stroke-width:1}}.tick{{fill:#5b6470;font-size:12px}}"
      ".title{{fill:#1c2128;font-size:14px;font-weight:600}}"
      ".name{{fill:#1c2128;font-size:13px}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height);
  double x = kLeft;
  const auto& curves = panels.front().curves;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"14\" width=\"14\" height=\"4\" rx=\"2\" fill=\"{}\"/>"
        "<text class=\"name\" x=\"{:.1f}\" y=\"21\">{}</text>\n",
        x, kColours[i % kColours.size()], x + 20, escaped(curves[i].strategy));
    x += 34 + 8.0 * static_cast<double>(curves[i].strategy.size());
  }
  out += fmt::format(
      "<text class=\"tick\" x=\"{:.1f}\" y=\"42\">fraction of the optimum: mean of {} "
      "runs, band from quartile to quartile</text>\n",
      kLeft, curves.front().runs);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t row = i / columns;
    add_panel(out, panels[i], kPanelWidth * static_cast<double>(i % columns),
              kHeader + kPanelHeight * static_cast<double>(row));
  }
  return out + "</svg>\n";
}

}  // namespace vyre

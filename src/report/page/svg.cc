#include "vyre/report/page/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "vyre/report/report_text.h"

namespace vyre {
namespace {

// The side of a plane in units.
constexpr double kPlane = 10'000;

template <class... Arguments>
void add(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

int plane_unit(double share) { return static_cast<int>(std::lround(share * kPlane)); }

constexpr std::array<std::string_view, 8> kShapeNames{"disc",  "square", "diamond", "triangle",
                                                      "cross", "plus",   "ring",    "dot"};
std::string_view name_of(MarkShape shape) { return kShapeNames[static_cast<std::size_t>(shape)]; }

void add_points(std::string& out, const std::vector<ChartPlace>& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    add(out, "{}{} {}", i == 0 ? "M" : "L", plane_unit(points[i].x), plane_unit(points[i].y));
}

}  // namespace

std::string share_text(double share) {
  std::string text = fmt::format("{:.2f}", 100 * (std::isfinite(share) ? share : 0));
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return (text == "-0" ? "0" : text) + "%";
}

void open_chart(std::string& out, const ChartFrame& frame) {
  add(out,
      "<svg class=\"chart {}\" id=\"{}\" role=\"img\" aria-labelledby=\"{}-t {}-d\" "
      "style=\"--height:{:.1f}rem;--gutter:{:.1f}em\">\n"
      "<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>\n",
      frame.classes, frame.id, frame.id, frame.id, frame.height_rem, frame.gutter_em, frame.id,
      html_escaped(frame.title), frame.id, html_escaped(frame.description));
}

void close_chart(std::string& out) { out += "</svg>\n"; }

void add_line(std::string& out, std::string_view classes, ChartPlace from, ChartPlace to) {
  add(out, "<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", classes,
      share_text(from.x), share_text(from.y), share_text(to.x), share_text(to.y));
}

void add_box(std::string& out, std::string_view classes, ChartPlace corner, double width,
             double height) {
  add(out, "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", classes,
      share_text(corner.x), share_text(corner.y), share_text(std::max(width, 0.0)),
      share_text(std::max(height, 0.0)));
}

void add_text(std::string& out, std::string_view classes, ChartPlace at, std::string_view text,
              std::string_view attributes) {
  add(out, "<text class=\"{}\" x=\"{}\" y=\"{}\"{}{}>{}</text>\n", classes, share_text(at.x),
      share_text(at.y), attributes.empty() ? "" : " ", attributes, html_escaped(text));
}

void add_mark(std::string& out, MarkStyle style, ChartPlace at) {
  add(out, "<use class=\"{}\" href=\"#m-{}\" x=\"{}\" y=\"{}\"/>\n", style.colour,
      name_of(style.shape), share_text(at.x), share_text(at.y));
}

std::string shape_definitions() {
  return R"(<svg class="definitions" width="0" height="0" aria-hidden="true" focusable="false"><defs>
<circle id="m-disc" r="4.5"/>
<rect id="m-square" x="-4" y="-4" width="8" height="8"/>
<path id="m-diamond" d="M0-5.5L5.5 0L0 5.5L-5.5 0Z"/>
<path id="m-triangle" d="M0-5L5 4H-5Z"/>
<path id="m-cross" d="M-4.5-3L-3-4.5L0-1.5L3-4.5L4.5-3L1.5 0L4.5 3L3 4.5L0 1.5L-3 4.5L-4.5 3L-1.5 0Z"/>
<path id="m-plus" d="M-1.2-5H1.2V-1.2H5V1.2H1.2V5H-1.2V1.2H-5V-1.2H-1.2Z"/>
<path id="m-ring" fill-rule="evenodd" d="M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0ZM-2.4 0a2.4 2.4 0 1 1 4.8 0a2.4 2.4 0 1 1-4.8 0Z"/>
<circle id="m-dot" r="1.7"/>
</defs></svg>
)";
}

std::string legend_mark(MarkStyle style) {
  return fmt::format(
      R"(<svg class="key" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true"><use class="{}" href="#m-{}"/></svg>)",
      style.colour, name_of(style.shape));
}

std::string legend_stroke(std::string_view classes) {
  return fmt::format(
      R"(<svg class="key" width="22" height="14" viewBox="0 0 22 14" aria-hidden="true"><line class="{}" x1="1" y1="7" x2="21" y2="7"/></svg>)",
      classes);
}

void add_hint_box(std::string& out, ChartPlace corner, double width, double height,
                  std::string_view hint) {
  add(out,
      "<rect class=\"hit\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
      share_text(corner.x), share_text(corner.y), share_text(width), share_text(height),
      html_escaped(hint));
}

void open_plane(std::string& out) {
  add(out,
      "<svg class=\"plane\" width=\"100%\" height=\"100%\" viewBox=\"0 0 {0} {0}\" "
      "preserveAspectRatio=\"none\">\n",
      kPlane);
}

void close_plane(std::string& out) { out += "</svg>\n"; }

void add_path(std::string& out, std::string_view classes, const std::vector<ChartPlace>& points) {
  if (points.empty()) return;
  add(out, "<path class=\"{}\" d=\"", classes);
  add_points(out, points);
  out += "\"/>\n";
}

void add_steps(std::string& out, std::string_view classes, const std::vector<ChartPlace>& points) {
  if (points.empty()) return;
  add(out, "<path class=\"{}\" d=\"M{} {}", classes, plane_unit(points[0].x),
      plane_unit(points[0].y));
  for (std::size_t i = 1; i < points.size(); ++i) {
    add(out, "H{}", plane_unit(points[i].x));
    if (plane_unit(points[i].y) != plane_unit(points[i - 1].y))
      add(out, "V{}", plane_unit(points[i].y));
  }
  out += "\"/>\n";
}

void add_area(std::string& out, std::string_view classes, const std::vector<ChartPlace>& points) {
  if (points.empty()) return;
  add(out, "<path class=\"{}\" d=\"", classes);
  add_points(out, points);
  add(out, "L{} {}L{} {}Z\"/>\n", plane_unit(points.back().x), plane_unit(1),
      plane_unit(points.front().x), plane_unit(1));
}

void add_axis(std::string& out, const Axis& axis, Side side) {
  bool is_second = false;
  for (const Tick& tick : axis.ticks) {
    const double at = axis.at(tick.value);
    // Every second label is hidden on a narrow page.
    const std::string middle = is_second ? "tick middle second" : "tick middle";
    is_second = !is_second;
    switch (side) {
      case Side::left:
        add_line(out, "grid", {0, 1 - at}, {1, 1 - at});
        add_text(out, "tick end", {0, 1 - at}, tick.text, R"(dx="-0.6em" dy="0.35em")");
        break;
      case Side::bottom:
        add_line(out, "grid", {at, 0}, {at, 1});
        add_text(out, middle, {at, 1}, tick.text, R"(dy="1.4em")");
        break;
      case Side::top:
        add_line(out, "grid", {at, 0}, {at, 1});
        add_text(out, middle, {at, 0}, tick.text, R"(dy="-0.6em")");
        break;
    }
  }
}

}  // namespace vyre

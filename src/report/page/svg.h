// Parts of the page's charts. A chart is as wide as its column and keeps the size of its texts: it
// has no view box, places are shares of its width and height, and gutters for texts are padding
// around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/report/page/axis.h"

namespace vyre {

// 0.125 as "12.5%".
std::string share_text(double share);

struct ChartFrame {
  std::string id{};           // of the element; its title and description are named after it
  std::string title{};        // for screen readers
  std::string description{};  // of what it shows
  std::string classes{};
  double height_rem = 20;
  double gutter_em = 4;  // for labels at the left
};

void open_chart(std::string& out, const ChartFrame& frame);
void close_chart(std::string& out);

struct ChartPlace {
  double x = 0, y = 0;  // shares of the width, and of the height from the top
};

void add_line(std::string& out, std::string_view classes, ChartPlace from, ChartPlace to);
void add_box(std::string& out, std::string_view classes, ChartPlace corner, double width,
             double height);
// `attributes` are written unescaped: dx="0.5em".
void add_text(std::string& out, std::string_view classes, ChartPlace at, std::string_view text,
              std::string_view attributes = {});

// Shapes that distinguish candidates without colours.
enum class MarkShape : std::uint8_t { disc, square, diamond, triangle, cross, plus, ring, dot };
struct MarkStyle {
  std::string_view colour = "c-rest";  // a CSS class
  MarkShape shape = MarkShape::disc;
};
void add_mark(std::string& out, MarkStyle style, ChartPlace at);
// The definitions of the shapes, once per page.
std::string shape_definitions();
// A mark for a legend, and a stroke.
std::string legend_mark(MarkStyle style);
std::string legend_stroke(std::string_view classes);

// A hint, for the element that `box_classes` draws over these.
void add_hint_box(std::string& out, ChartPlace corner, double width, double height,
                  std::string_view hint);

// Lines through points. Strokes keep their width inside a plane.
void open_plane(std::string& out);
void close_plane(std::string& out);
void add_path(std::string& out, std::string_view classes, const std::vector<ChartPlace>& points);
// Steps: level until the next point.
void add_steps(std::string& out, std::string_view classes, const std::vector<ChartPlace>& points);
// An area down to the bottom.
void add_area(std::string& out, std::string_view classes, const std::vector<ChartPlace>& points);

enum class Side : std::uint8_t { top, bottom, left };
// Lines across the chart at the ticks, with labels at the given side.
void add_axis(std::string& out, const Axis& axis, Side side);

}  // namespace vyre

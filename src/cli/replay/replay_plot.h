// Pictures of curves over evaluations: as text of braille dots, and as SVG.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/cli/replay/replay_summary.h"

namespace vyre {

// The mean curves over the logarithm of evaluations, `width` columns wide; names stand at the ends
// of the curves. With `colour`, each is in its own.
std::string replay_plot(std::span<const ReplayCurve> curves, std::size_t width, bool colour);

struct ReplayPanel {
  std::string title, subtitle;
  std::span<const ReplayCurve> curves;
};

// One picture of all panels, with quartiles as bands; self-contained.
std::string replay_svg(std::span<const ReplayPanel> panels);

// Where an evaluation stands on the logarithmic axis, from 0 to 1.
double evaluation_place(double evaluation, double budget);
// The floor of the vertical axis: a tenth below the least value that matters.
double fraction_floor(std::span<const ReplayCurve> curves);

}  // namespace vyre

#include <fmt/format.h>

#include <algorithm>

#include "vyre/report/page/charts.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

constexpr std::size_t kLabelCharacters = 28;

std::vector<Cell> overview_row(const KernelView& view) {
  const TuneRecord& record = view.record;
  const auto cell = [](double value, std::string (*text)(double)) {
    return Cell{is_known(value) ? text(value) : "\xE2\x80\x93", is_known(value) ? value : 0};
  };
  const std::string decision = !record.untunable.empty() ? "not tuned"
                               : view.findings.chosen ? view.findings.labels[*view.findings.chosen]
                                                      : record.decision;
  return {{record.kernel, {}, "wrap"},
          {record.size, {}, "wrap"},
          {decision, {}, "wrap"},
          cell(view.findings.chosen_ns, time_text),
          cell(gain_over_start(view.findings), ratio_text),
          cell(gain_over_declared(view.findings), ratio_text),
          cell(record.ledger.spent_ns > 0 ? record.ledger.lost_ns / record.ledger.spent_ns : 0,
               percent_text)};
}

// Names, with the size if a name occurs twice.
std::vector<std::string> row_labels(std::span<const KernelView> kernels) {
  std::vector<std::string> labels;
  for (const KernelView& view : kernels) {
    const auto same = [&](const KernelView& other) {
      return other.record.kernel == view.record.kernel;
    };
    const bool alone = std::ranges::count_if(kernels, same) < 2;
    labels.push_back(shortened(
        view.record.kernel + (alone || view.record.size.empty() ? "" : ", " + view.record.size),
        kLabelCharacters));
  }
  return labels;
}

}  // namespace

std::string overview_figure(std::span<const KernelView> kernels) {
  const std::vector<std::string> labels = row_labels(kernels);
  double least = 1, most = 1.05;
  std::size_t longest = 4;
  for (const KernelView& view : kernels) {
    for (const double gain : {gain_over_start(view.findings), gain_over_declared(view.findings)}) {
      if (!is_known(gain)) continue;
      least = std::min(least, gain);
      most = std::max(most, gain);
    }
  }
  for (const std::string& label : labels) longest = std::max(longest, character_count(label));
  std::string out;
  open_figure(out, "overview", "What tuning gained",
              "How many times as fast the chosen candidate is: as the first guess, and as the "
              "kernel as it was declared.");
  open_legend(out);
  add_legend(out, legend_mark({"c-start", MarkShape::square}), "over the first guess");
  add_legend(out, legend_mark({"c-declared", MarkShape::diamond}), "over the declared workgroup");
  close_legend(out);
  Axis axis = ratio_axis(least, most, 5);
  open_chart(out, {.id = "overview",
                   .title = "What tuning gained",
                   .description = "A row a kernel; the figures are in the table below.",
                   .classes = "rows overview",
                   .height_rem = 1.7 * static_cast<double>(kernels.size()),
                   .gutter_em = 0.58 * static_cast<double>(longest) + 1.4});
  add_axis(out, axis, Side::top);
  add_line(out, "one", {axis.at(1), 0}, {axis.at(1), 1});
  std::vector<std::vector<Cell>> rows;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const KernelView& view = kernels[row];
    const double height = 1 / static_cast<double>(kernels.size());
    const double middle = (static_cast<double>(row) + 0.5) * height;
    out += fmt::format("<a href=\"#{}\">", view.id);
    add_text(out, "label end strong", {0, middle}, labels[row], R"(dx="-0.7em" dy="0.35em")");
    out += "</a>";
    const double declared = gain_over_declared(view.findings);
    const double start = gain_over_start(view.findings);
    const double longer = std::max(is_known(declared) ? declared : 1, is_known(start) ? start : 1);
    add_line(out, "stem", {axis.at(1), middle}, {axis.at(longer), middle});
    if (is_known(start)) add_mark(out, {"c-start", MarkShape::square}, {axis.at(start), middle});
    if (is_known(declared))
      add_mark(out, {"c-declared", MarkShape::diamond}, {axis.at(declared), middle});
    std::string hint = fmt::format("{}\n{}", shortened(view.record.kernel, 60),
                                   headline(view.record, view.findings));
    add_text(out, "value", {1, middle},
             is_known(view.findings.chosen_ns) ? time_text(view.findings.chosen_ns) : "not timed",
             R"(dx="0.7em" dy="0.35em")");
    add_hint_box(out, {0, middle - height / 2}, 1, height, hint);
    rows.push_back(overview_row(view));
  }
  close_chart(out);
  add_table(out, "The same as a table", "Every kernel of this run",
            {"kernel", "size", "chosen", "time", "over the first guess", "over the declared",
             "lost to the search"},
            rows);
  close_figure(out);
  return out;
}

}  // namespace vyre

#include "vyre/cli/stage_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vyre/base/text/toml.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/stage_file.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

std::string stage_name(const StageFile& file, std::size_t position) {
  const std::string id = fmt::format("{}", file.stages[position].id);
  return file.names[position].empty() ? id : fmt::format("{} {}", id, file.names[position]);
}

// Why the group does not belong to the one before it.
std::string boundary_reason(const StageFile& file, const FusionPlan& plan, std::size_t index) {
  const FusionGroup& group = plan.groups[index];
  const std::string first = stage_name(file, group.first_stage);
  switch (group.boundary) {
    case FusionBoundary::first_stage: return "the first stage";
    case FusionBoundary::host_materialization:
      return fmt::format("{} needs the host to read what comes before it", first);
    case FusionBoundary::layout_differs:
      return fmt::format("{} has the layout {}, not {}", first, file.layouts[group.first_stage],
                         file.layouts[plan.groups[index - 1].first_stage]);
    case FusionBoundary::over_budget:
      return fmt::format("with {} the launch would need {} bytes", first,
                         with_commas(group.refused_bytes));
  }
  return "";
}

std::string budget_bar(std::uint64_t required, std::uint64_t budget) {
  constexpr int kCells = 20;
  const double share = static_cast<double>(required) / static_cast<double>(budget);
  const int full = static_cast<int>(
      std::clamp(std::lround(share * kCells), required > 0 ? 1L : 0L, long{kCells}));
  return fmt::format("[{}{}] {:.0f}%", std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(kCells - full), '.'), share * 100);
}

void print_group(Output& out, const StageFile& file, const FusionPlan& plan, std::size_t index,
                 std::size_t name_width) {
  const FusionGroup& group = plan.groups[index];
  for (std::size_t i = 0; i < group.stage_count; ++i) {
    const std::size_t position = group.first_stage + i;
    const FusionStage& stage = file.stages[position];
    const std::string name = stage_name(file, position);
    const std::string_view frame = group.stage_count == 1       ? "-"
                                   : i == 0                     ? "/"
                                   : i + 1 == group.stage_count ? "\\"
                                                                : "|";
    out.print("{:<10} {} {}{}  in {}, out {}, scratch {}{}\n",
              i == 0 ? fmt::format("launch {}", index + 1) : "", frame, name,
              std::string(name_width - text_width(name), ' '), with_commas(stage.input_bytes),
              with_commas(stage.output_bytes), with_commas(stage.scratch_bytes),
              stage.needs_host_materialization ? ", host" : "");
  }
  std::string saved;
  if (group.stage_count > 1) {
    saved =
        fmt::format("; saves {} and {} bytes in between", counted(group.stage_count - 1, "launch"),
                    with_commas(group.avoided_intermediate_bytes));
  }
  out.print("{:<12} {} bytes {}{}\n", "", with_commas(group.required_bytes),
            budget_bar(group.required_bytes, plan.budget_bytes), saved);
}

void print_plan(Output& out, const StageFile& file, const FusionPlan& plan) {
  std::size_t name_width = 0;
  for (std::size_t i = 0; i < file.stages.size(); ++i) {
    name_width = std::max(name_width, text_width(stage_name(file, i)));
  }
  out.print("{} in {}: {} fewer, {} bytes of intermediates avoided; budget {} bytes\n",
            counted(file.stages.size(), "stage"), bold(out, counted(plan.launch_count, "launch")),
            plan.avoided_launches, with_commas(plan.avoided_intermediate_bytes),
            with_commas(plan.budget_bytes));
  for (std::size_t index = 0; index < plan.groups.size(); ++index) {
    if (index == 0) {
      out.write("\n");
    } else {
      out.write(faint(out, fmt::format("---- {}", boundary_reason(file, plan, index))));
      out.write("\n");
    }
    print_group(out, file, plan, index, name_width);
  }
}

Json to_json(const StageFile& file, const FusionPlan& plan) {
  Json json;
  json["budget_bytes"] = plan.budget_bytes;
  json["stage_count"] = file.stages.size();
  json["launch_count"] = plan.launch_count;
  json["avoided_launches"] = plan.avoided_launches;
  json["avoided_intermediate_bytes"] = plan.avoided_intermediate_bytes;
  json["groups"] = Json::array();
  for (std::size_t index = 0; index < plan.groups.size(); ++index) {
    const FusionGroup& group = plan.groups[index];
    Json each;
    each["boundary"] = to_string(group.boundary);
    each["reason"] = boundary_reason(file, plan, index);
    each["required_bytes"] = group.required_bytes;
    each["avoided_intermediate_bytes"] = group.avoided_intermediate_bytes;
    each["stages"] = Json::array();
    for (std::size_t i = 0; i < group.stage_count; ++i) {
      const std::size_t position = group.first_stage + i;
      each["stages"].push_back({{"id", file.stages[position].id}, {"name", file.names[position]}});
    }
    json["groups"].push_back(std::move(each));
  }
  return json;
}

}  // namespace

Exit plan_stages(const PlanOptions& options, Streams& streams) {
  const auto text = options.stages == "-" ? streams.read_input(kMaxTomlBytes)
                                          : read_input_file(options.stages, kMaxTomlBytes);
  if (!text) return report(streams, text.error());
  const auto file = parse_stages(*text, source_name(options.stages));
  if (!file) return report(streams, file.error());
  const auto budget = options.budget ? options.budget : file->budget;
  if (!budget) {
    return report(streams, {Code::invalid_input, "the stages have no byte budget",
                            "give --budget BYTES, or a budget in the file"});
  }
  const auto plan = plan_launch_fusion(file->stages, *budget);
  if (!plan) return report(streams, to_error(plan.error()));
  if (options.run.json) {
    write_json(streams.out, to_json(*file, *plan));
  } else {
    print_plan(streams.out, *file, *plan);
  }
  return Exit::done;
}

}  // namespace vyre

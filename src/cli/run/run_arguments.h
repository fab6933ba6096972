// What --in, --out, --uniform, --set and --print say, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/data/sink.h"
#include "vyre/data/source.h"

namespace vyre {

struct InputArgument {
  std::string name;
  DataSource source;
};
// "name=SOURCE", where SOURCE is as data/source.h describes it.
Result<InputArgument> parse_input(std::string_view text);

struct OutputArgument {
  std::string name;
  DataSink sink;
};
// "name=SINK", where SINK is as data/sink.h describes it.
Result<OutputArgument> parse_output(std::string_view text);

struct DimArgument {
  std::string name;
  std::uint64_t value = 0;
};
// "name=N", where N is at least 1.
Result<DimArgument> parse_dim(std::string_view text);

struct Assignment {
  std::string path;                 // p, p.n, p.items[2], p.direction.x
  std::vector<std::string> values;  // several for a vector, a matrix, an array or a struct
};
// Assignments separated by commas, values by colons: "p.n=4,p.direction=0:0:1".
Result<std::vector<Assignment>> parse_assignments(std::string_view text);

struct Setting {
  std::string name;
  double value = 0;
};
// "name=value" pairs separated by commas.
Result<std::vector<Setting>> parse_settings(std::string_view text);

struct PrintArgument {
  std::string name;
  std::optional<std::uint64_t> elements;
};
// "name", or "name:N" for the first N elements.
Result<PrintArgument> parse_print(std::string_view text);

}  // namespace vyre

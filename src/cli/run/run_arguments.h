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
// name=SOURCE, as data/source.h reads it
Result<InputArgument> parse_input(std::string_view text);

struct OutputArgument {
  std::string name;
  DataSink sink;
};
// name=SINK
Result<OutputArgument> parse_output(std::string_view text);

struct DimArgument {
  std::string name;
  std::uint64_t value = 0;
};
// name=N, from 1 on
Result<DimArgument> parse_dim(std::string_view text);

struct Assignment {
  std::string path;                 // p, p.n, p.items[2], p.direction.x
  std::vector<std::string> values;  // several for a vector, a matrix, an array or a struct
};
// Assignments between commas; the values of one between colons: p.n=4,p.direction=0:0:1
Result<std::vector<Assignment>> parse_assignments(std::string_view text);

struct Setting {
  std::string name;
  double value = 0;
};
// name=value between commas.
Result<std::vector<Setting>> parse_settings(std::string_view text);

struct PrintArgument {
  std::string name;
  std::optional<std::uint64_t> elements;
};
// name or name:n
Result<PrintArgument> parse_print(std::string_view text);

}  // namespace vyre

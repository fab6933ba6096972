// The decision files, one for each adapter, for `vyre cache`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/cli/json_text.h"
#include "vyre/tune/decisions/decision_cache.h"

namespace vyre {

// The decision file of one adapter.
struct DecisionFile {
  std::string adapter;
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  ParsedDecisions content;
  std::optional<Error> fault;  // why it is not understood
};

std::filesystem::path decision_folder();

// Reads every *.toml file of the folder, sorted by name, or only that of the given adapter.
Result<std::vector<DecisionFile>> read_decision_files(const std::string& adapter);

Json to_json(const DecisionFile& file);
void print_decision_files(Output& out, std::span<const DecisionFile> files);

struct ClearedDecisions {
  std::size_t decisions = 0;
  std::size_t files = 0;
  std::size_t kept = 0;       // files that were left alone
  std::vector<Error> faults;  // why
};
// Removes the keys from the files, or all decisions if no keys are given. A file that contains
// anything but decisions is not changed.
ClearedDecisions clear_decisions(std::span<const DecisionFile> files,
                                 std::span<const std::string> keys);

// The adapter of a decision file: the given one, or else the one in the file's name.
Result<std::string> adapter_of_file(const std::string& file, const std::string& given);
// Adds the decisions of a file to those of the adapter.
struct ImportedDecisions {
  std::filesystem::path into;
  std::size_t taken = 0, known = 0, skipped = 0;  // skipped: values that are not decisions
};
Result<ImportedDecisions> import_decisions(const std::string& file, const std::string& adapter,
                                           Streams& streams);

}  // namespace vyre

// The files of decisions, one for each adapter, as `vyre cache` shows and clears them.
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

// One adapter's file of decisions.
struct DecisionFile {
  std::string adapter;
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  ParsedDecisions content;
  std::optional<Error> fault;  // why it is not understood
};

std::filesystem::path decision_folder();

// Every *.toml of the folder, by name; those of one adapter if one is given.
Result<std::vector<DecisionFile>> read_decision_files(const std::string& adapter);

Json to_json(const DecisionFile& file);
void print_decision_files(Output& out, std::span<const DecisionFile> files);

struct ClearedDecisions {
  std::size_t decisions = 0;
  std::size_t files = 0;
  std::size_t kept = 0;       // files that were left alone
  std::vector<Error> faults;  // why
};
// Takes the keys out of the files, or all decisions when there are no keys. A file with anything in
// it that is not a decision stays as it is.
ClearedDecisions clear_decisions(std::span<const DecisionFile> files,
                                 std::span<const std::string> keys);

// The adapter that a file of decisions is of: as it is given, or as the file is named after it.
Result<std::string> adapter_of_file(const std::string& file, const std::string& given);
// Takes the decisions of a file over into the adapter's.
struct ImportedDecisions {
  std::filesystem::path into;
  std::size_t taken = 0, known = 0, skipped = 0;  // skipped: values that are no decisions
};
Result<ImportedDecisions> import_decisions(const std::string& file, const std::string& adapter,
                                           Streams& streams);

}  // namespace vyre

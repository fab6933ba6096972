// Shared by all subcommands: exit codes, errors, and reading programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/cli/run/run_arguments.h"
#include "vyre/cli/streams.h"
#include "vyre/data/number_text.h"
#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"

namespace vyre {

enum class Exit : int {
  done = 0,
  failed = 1,  // the run failed, or its output could not be written
  wrong = 2,   // the command or its input was wrong
};

// Prints "vyre: what; fix" on the error output.
Exit report(Streams& streams, const Error& error, Exit exit = Exit::wrong);

// Exit::wrong for errors that the user can mend by changing the input, which includes limits of a
// device; Exit::failed for all others.
Exit exit_for(const Error& error);

// Prints the errors and warnings of a module on the error output.
void show_diagnostics(Streams& streams, const ParsedModule& parsed);

// The text of a WGSL file, or of the standard input for "-".
Result<std::string> read_source(const std::string& path, Streams& streams);
// The name of the file in messages.
std::string source_name(const std::string& path);

// Reads a file that the user named as input. Every error, also of the operating system, counts as
// wrong input.
Result<std::string> read_input_file(const std::string& path, std::uint64_t max_bytes);

// The one entry point to use: the named one, or the only one.
Result<const Program*> choose_entry(const Module& module, const std::string& file,
                                    const std::string& entry);

// The settings that belong to the program's overrides (by name or @id), as values for it.
std::vector<OverrideValue> settings_for(const Program& program, const std::vector<Setting>& all);
bool has_override(const Program& program, std::string_view name);
// Overrides that have neither a default nor a setting.
std::vector<std::string> unset_overrides(const Program& program, const std::vector<Setting>& all);
// Fails for a setting given twice (the same override may be named by name and by @id).
Result<void> check_settings_once(const Program& program, const std::vector<Setting>& all);

// The program's entry as a kernel with these settings; unknown names are listed together with the
// known ones.
Result<Kernel> make_kernel_with(const Program& program, const std::vector<Setting>& settings);

// "a, b and c"; empty text for an empty list.
std::string join_words(const std::vector<std::string>& words);

}  // namespace vyre

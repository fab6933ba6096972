// The record as JSON, for programs. docs/reading-a-report.md lists the fields.
#pragma once

#include <string>

#include "vyre/report/tune_record.h"

namespace vyre {

// One object, indented, with a line end. Numbers that are not finite are null; bytes that are no
// UTF-8 become the replacement character. Everything of the record but the trace's spans.
std::string tune_json(const TuneReport& report);

}  // namespace vyre

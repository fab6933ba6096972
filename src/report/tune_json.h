// The record as JSON, for programs. docs/reading-a-report.md lists the fields.
#pragma once

#include <string>

#include "vyre/report/tune_record.h"

namespace vyre {

// One indented object with a line feed: the whole record except for the spans of the trace. Numbers
// that are not finite are null; invalid UTF-8 becomes the replacement character.
std::string tune_json(const TuneReport& report);

}  // namespace vyre

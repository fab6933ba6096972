// The record as one HTML page that loads nothing and can be read without its script, which shows
// hints and sorts tables.
#pragma once

#include <string>

#include "vyre/report/tune_record.h"

namespace vyre {

// Below a megabyte for any number of calls of a few kernels: long series are thinned, but keep
// their extremes and promotions.
std::string tune_html(const TuneReport& report);

}  // namespace vyre

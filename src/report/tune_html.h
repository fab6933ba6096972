// The record as one page that needs nothing else: no network, no other file, and no script to be
// read (a script adds hints under the pointer and sorts tables).
#pragma once

#include <string>

#include "vyre/report/tune_record.h"

namespace vyre {

// Below a megabyte for any number of calls of a few kernels: long series are thinned, and keep
// their extremes and their promotions.
std::string tune_html(const TuneReport& report);

}  // namespace vyre

// What every page carries: its style, and a script that adds hints under the pointer and sorts
// tables. Nothing of the page depends on the script to be read.
#pragma once

#include <string_view>

namespace vyre {

std::string_view page_style();
std::string_view page_script();

}  // namespace vyre

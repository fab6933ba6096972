// How a time is written for people, by every form that shows one: two forms of one run never round
// the same time differently.
#pragma once

#include <string>

namespace vyre {

// "850 ns", "12.3 us", "4.56 ms", "7.89 s". A value that is not finite is "-".
std::string time_words(double ns);

}  // namespace vyre

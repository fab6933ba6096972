// fmt, compiled once. Its headers alone would compile all of it again in every file that formats
// anything, which is most of the time those files take; its shared library would have to be there
// at run time.
#include <fmt/format-inl.h>

template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);

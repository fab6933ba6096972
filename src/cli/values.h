// Parses and prints numbers of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"
#include "vyre/data/number_text.h"
#include "vyre/ir/scalar.h"

namespace vyre {

// "64", "64,32" or "64x32x1" (with any of the separators): axes that are left out are 1, none is 0.
Result<Extent> parse_extent(std::string_view text, std::string_view separators = ",x");

// "4096", "64KiB", "1.5 MiB", "2GB": a number of bytes (KiB = 1024, KB = 1000).
Result<std::uint64_t> parse_bytes(std::string_view text);

// A number for an override: any decimal number or hexadecimal integer, true or false.
Result<double> parse_number(std::string_view text);
// Seconds, more than 0.
Result<double> parse_deadline(const std::string& text);

// The shortest decimal text that reads back as the same value; "nan", "inf", "-inf".
std::string format_scalar(const Scalar& scalar);

// "16x16x1"
std::string format_extent(const Extent& extent);
// "512 bytes", "64 KiB", "1.5 MiB".
std::string format_bytes(std::uint64_t bytes);
// "850 ns", "12.3 us", "4.56 ms", "7.89 s".
std::string format_duration(std::uint64_t ns);
// "950.0 MB/s", "18.2 GB/s", "4.21 TB/s"
std::string format_rate(std::uint64_t bytes_per_second);

}  // namespace vyre

#include "vyre/base/golden_testing.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>

#include "vyre/base/files/files.h"

namespace vyre {
namespace {

// Fingerprints say that two programs are the same, not what they are.
std::string without_fingerprints(std::string text) {
  constexpr std::size_t kDigits = 64;
  std::size_t digits = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool digit = i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    if (digit) {
      ++digits;
    } else {
      if (digits == kDigits) {
        text.replace(i - kDigits, kDigits, "(fingerprint)");
        i -= kDigits;
      }
      digits = 0;
    }
  }
  return text;
}

}  // namespace

void expect_golden(const std::string& output, const std::string& file) {
  const std::string text = without_fingerprints(output);
  const std::string path = "golden/" + file;
  if (std::getenv("VYRE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(replace_file(path, text));
    return;
  }
  const auto expected = read_file(path);
  ASSERT_TRUE(expected) << describe(expected.error());
  EXPECT_EQ(text, *expected) << "the golden text is " << path;
}

}  // namespace vyre

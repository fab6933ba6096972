// Chromium without a window: loads one file, and tells what it said, asked for and made of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vyre {

// VYRE_CHROMIUM of the environment, else the first of its usual names in PATH.
std::optional<std::string> find_browser();

struct Loaded {
  bool finished = false;                // within the time that it was given
  std::string document{};               // as it stands after its scripts ran
  std::vector<std::string> console{};   // every message, of any level
  std::vector<std::string> requests{};  // that the page made, other than of files
  std::string log{};                    // all that the browser wrote, for the message of a test
};

// `options` are added to the browser's own.
Loaded load_page(const std::string& browser, const std::filesystem::path& page,
                 const std::filesystem::path& scratch,
                 const std::vector<std::string>& options = {});

}  // namespace vyre

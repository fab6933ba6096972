// All that was measured of one kernel at one size, as a line of text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "online.h"
#include "setup.h"

namespace vyre::bench {

struct Row {
  std::string kernel, size;
  Exhaustive measured, again;  // every variant; and those that matter, once more
  Swept swept;
  std::vector<Online> trials;  // of the search beside calls, each from nothing

  double of_best(const Variant& variant) const {
    for (const Timed& t : again.all) {
      if (t.variant == variant && t.ns > 0) return again.all[again.best].ns / t.ns;
    }
    return 0;
  }
};

void print(const Row& row);
nlohmann::ordered_json json_of(const Row& row);

}  // namespace vyre::bench

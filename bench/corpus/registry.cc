#include "registry.h"

#include <map>

namespace vyre::bench {
namespace {
std::map<std::string_view, Twin>& twins() {
  static std::map<std::string_view, Twin> all;
  return all;
}
}  // namespace

Registered::Registered(std::string_view name, Twin twin) { twins().emplace(name, twin); }

Twin find_twin(std::string_view name) {
  const auto it = twins().find(name);
  return it == twins().end() ? Twin{} : it->second;
}

}  // namespace vyre::bench

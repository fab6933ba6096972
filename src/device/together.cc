#include "vyre/device/together.h"

#include <fmt/format.h>

namespace vyre {

std::unexpected<Error> too_many_together(std::string_view kernel, std::uint64_t groups,
                                         std::string_view device, std::uint64_t at_once) {
  return fail(Code::limit,
              fmt::format("kernel '{}' has {} workgroups that wait for each other; {} runs {} of "
                          "them at once",
                          kernel, groups, device, at_once));
}

}  // namespace vyre

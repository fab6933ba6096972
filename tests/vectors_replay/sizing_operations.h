// The worker sizing operations that two families share.
#pragma once

#include "replay.h"

namespace vyre {

Json worker_workgroup_size_case(const Json& in);
Json padded_slot_count_case(const Json& in);
Json dispatch_grid_for_case(const Json& in);
Json default_worker_groups_from_limits_case(const Json& in);

}  // namespace vyre

// Resident values in the form of the vectors.
#pragma once

#include "replay.h"
#include "vyre/resident/recommend.h"

namespace vyre {

ResidentPolicy resident_policy_from(const Json& value);  // "standard" or all twelve fields
ResidentRequest resident_request_from(const Json& value);
std::optional<Topology> topology_field(const Json& value);  // null is absent

Json to_json(const ResidentPolicy& policy);
Json to_json(const ResidentRequest& request);
Json to_json(const RingGeometry& geometry);
Json to_json(const ResidentError& error);  // kind and the fields the vectors compare

}  // namespace vyre

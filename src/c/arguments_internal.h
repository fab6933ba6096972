// What callers hand over, as the rooms below want it.
#pragma once

#include <vector>

#include "vyre/c/objects_internal.h"

namespace vyre {

// Null stands for the options of the environment.
Outcome<SessionOptions> options_of(const vyre_session_options* given);

// A handle for a session that was just opened with these options.
Outcome<std::uint64_t> publish_session(Session session, const vyre_session_options* given);

// All of the buffers must be of the session.
Outcome<std::vector<Binding>> bindings_of(const SharedSession& session, const vyre_binding* given,
                                          std::uint64_t count);

Outcome<DispatchSize> size_of(const vyre_grid* grid);

RunLimits limits_of(std::uint64_t deadline_ns);

// A vyre_tuner_mode; absent: the default. `name` is the field's.
Outcome<std::optional<TunerMode>> mode_of(std::uint32_t given, std::string_view name);

}  // namespace vyre

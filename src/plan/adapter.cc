#include "vyre/plan/adapter.h"

#include <utility>

#include "vyre/tune/decisions/decision_cache.h"

namespace vyre {

Adapter make_adapter(Limits limits, DeviceIdentity identity) {
  const AdapterId id = adapter_id(limits, identity);
  return {std::move(limits), std::move(identity), id,
          decision_cache_path(CacheEnvironment::of_process(), id)};
}

}  // namespace vyre

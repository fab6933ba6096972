#include "vyre/resident/geometry_cache.h"

#include <array>

#include "vyre/base/memory/lru_index.h"

namespace vyre {
namespace {

template <std::size_t kWords, class Value>
class Memo {
 public:
  using Key = std::array<std::uint64_t, kWords>;

  // The remembered value, which then counts as used, or null.
  const Value* find(const Key& key, std::uint64_t hash) {
    const auto slot = index_.find(hash, [&](auto at) { return entries_[at].key == key; });
    if (!slot) return nullptr;
    index_.touch(*slot);
    return &entries_[*slot].value;
  }
  void insert(const Key& key, std::uint64_t hash, const Value& value) {
    entries_[index_.insert(hash)] = {key, value};
  }
  std::size_t size() const { return index_.size(); }
  void clear() { index_.clear(); }

 private:
  struct Entry {
    Key key{};
    Value value;
  };
  LruIndex<kGeometryCacheCapacity> index_;
  std::array<Entry, kGeometryCacheCapacity> entries_{};
};

constinit thread_local Memo<3, GridPlan> grid_plans;
constinit thread_local Memo<2, RingGeometry> geometries;

}  // namespace

ResidentResult<GridPlan> cached_grid_plan(const GridPlanInput& input) {
  const std::array<std::uint64_t, 3> key = {
      pack_word(input.queue_len, input.requested_worker_groups),
      pack_word(input.max_workgroup_size_x, input.max_compute_workgroups_per_dimension),
      input.max_compute_invocations_per_workgroup};
  const std::uint64_t hash = hash_words(key);
  if (const GridPlan* known = grid_plans.find(key, hash)) return *known;
  auto planned = plan_grid(kStandardSizing, input);
  if (planned) grid_plans.insert(key, hash, *planned);
  return planned;
}

RingGeometry cached_ring_geometry(std::uint32_t slot_count, std::uint32_t worker_count,
                                  std::uint32_t max_workgroup_size_x) {
  const std::array<std::uint64_t, 2> key = {pack_word(slot_count, worker_count),
                                            max_workgroup_size_x};
  const std::uint64_t hash = hash_words(key);
  if (const RingGeometry* known = geometries.find(key, hash)) return *known;
  const RingGeometry geometry =
      ring_geometry(kStandardSizing, slot_count, worker_count, max_workgroup_size_x);
  geometries.insert(key, hash, geometry);
  return geometry;
}

GeometryCacheStats geometry_cache_stats() { return {grid_plans.size(), geometries.size()}; }

void reset_geometry_cache() {
  grid_plans.clear();
  geometries.clear();
}

}  // namespace vyre

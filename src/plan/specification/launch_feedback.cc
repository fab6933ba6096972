#include "vyre/plan/specification/launch_feedback.h"

#include <algorithm>
#include <cstring>

#include "vyre/plan/specification/cold_start.h"

namespace vyre {
namespace {

std::uint64_t word_at(const void* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// The hexadecimal digits of an adapter's id, after the name of the format.
std::uint64_t adapter_word(const AdapterId& id) {
  return word_at(id.characters.data() + id.characters.size() - sizeof(std::uint64_t));
}

bool is_valid(const Extent& stored, const Limits& limits) {
  return stored[1] == 1 && stored[2] == 1 && fits_limits(stored[0], limits);
}

// Keeps the smaller time of each workgroup. False when there is no room for another width.
bool keep_measurement(std::vector<Measurement>& measured, const Measurement& taken) {
  const auto at = std::ranges::lower_bound(measured, taken.workgroup, {}, &Measurement::workgroup);
  if (at != measured.end() && at->workgroup == taken.workgroup) {
    at->elapsed_ns = std::min(at->elapsed_ns, taken.elapsed_ns);
    return true;
  }
  if (measured.size() >= kMaxMeasuredWidths) return false;
  measured.insert(at, taken);
  return true;
}

RecordRefusal refusal(const ProgramFacts& program, const Adapter& adapter,
                      const LaunchObservation& observation, TunerMode mode) {
  if (mode != TunerMode::natural_gradient) return RecordRefusal::mode;
  if (observation.elapsed_ns == 0) return RecordRefusal::no_time;
  if (observation.config.workgroup_override || observation.config.grid_override)
    return RecordRefusal::overridden;
  if (!is_valid(observation.workgroup, adapter.limits)) return RecordRefusal::does_not_fit;
  if (eligibility(program, program.workgroup, observation.element_count) != Ineligible::none)
    return RecordRefusal::ineligible;
  return RecordRefusal::none;
}

}  // namespace

LaunchFeedback::KeyView::KeyView(const ProgramFacts& program, const Adapter& device,
                                 std::uint32_t elements)
    : fingerprint(program.fingerprint),
      declared(program.workgroup),
      element_count(elements),
      adapter(device.id) {
  const std::uint64_t words[] = {word_at(fingerprint.bytes.data()),
                                 word_at(fingerprint.bytes.data() + 8),
                                 pack_word(declared[0], element_count), adapter_word(adapter)};
  hash = hash_words(words);
}

bool LaunchFeedback::KeyView::operator==(const Key& key) const {
  return element_count == key.element_count && declared == key.declared &&
         fingerprint == key.fingerprint && adapter == key.adapter;
}

LaunchFeedback::Entry* LaunchFeedback::find(const KeyView& key) {
  const auto slot = index_.find(key.hash, [&](auto at) { return key == entries_[at].key; });
  if (!slot) return nullptr;
  index_.touch(*slot);
  return &entries_[*slot];
}

LaunchFeedback::Entry& LaunchFeedback::insert(const KeyView& key) {
  if (index_.size() < kMaxFeedbackEntries && entries_.size() == index_.size())
    entries_.emplace_back();
  Entry& entry = entries_[index_.insert(key.hash)];
  entry.key = key.copy();
  entry.measured.clear();
  return entry;
}

Resolution LaunchFeedback::resolve(const ProgramFacts& program, const Adapter& adapter,
                                   std::uint32_t element_count) {
  const Ineligible reason = eligibility(program, program.workgroup, element_count);
  if (reason != Ineligible::none) return {std::nullopt, FeedbackSource::cold_start, reason};

  const KeyView key(program, adapter, element_count);
  {
    const std::lock_guard lock(mutex_);
    if (const Entry* entry = find(key)) return {entry->selected, entry->source};
  }

  FeedbackSource source = FeedbackSource::stored;
  auto selected = store_of(adapter)->find(
      feedback_key(program.fingerprint, program.workgroup, element_count, adapter.limits));
  if (!selected || !is_valid(*selected, adapter.limits)) {
    source = FeedbackSource::cold_start;
    selected = select_workgroup(program.workgroup, element_count, adapter.limits, {});
    if (!selected) return {};
  }

  // If another thread has resolved or recorded the same launch meanwhile, its result is kept.
  const std::lock_guard lock(mutex_);
  if (const Entry* entry = find(key)) return {entry->selected, entry->source};
  Entry& entry = insert(key);
  entry.selected = *selected;
  entry.source = source;
  return {selected, source};
}

RecordAnswer LaunchFeedback::record(const ProgramFacts& program, const Adapter& adapter,
                                    const LaunchObservation& observation, TunerMode mode) {
  if (const RecordRefusal reason = refusal(program, adapter, observation, mode);
      reason != RecordRefusal::none)
    return {reason};

  const KeyView key(program, adapter, observation.element_count);
  const Measurement taken{observation.workgroup, observation.elapsed_ns};
  const FeedbackKey text = feedback_key(program.fingerprint, program.workgroup,
                                        observation.element_count, adapter.limits);
  const std::shared_ptr<FeedbackStore> store = store_of(adapter);
  Extent selected;
  bool to_be_saved;
  {
    const std::lock_guard lock(mutex_);
    Entry* entry = find(key);
    std::vector<Measurement> measured = entry ? entry->measured : std::vector<Measurement>{};
    if (!keep_measurement(measured, taken)) return {RecordRefusal::too_many_widths};
    const auto choice =
        select_workgroup(program.workgroup, observation.element_count, adapter.limits, measured);
    if (!choice) return {RecordRefusal::no_selection};
    if (!entry) entry = &insert(key);
    entry->selected = selected = *choice;
    entry->source = FeedbackSource::measured;
    entry->measured = std::move(measured);
    // Noted in the order of the choices, so that the file gets the newest one.
    to_be_saved = store->note(text, selected);
  }
  if (to_be_saved) store->save();
  return {RecordRefusal::none, selected};
}

std::vector<Measurement> LaunchFeedback::measurements(const ProgramFacts& program,
                                                      const Adapter& adapter,
                                                      std::uint32_t element_count) const {
  const KeyView key(program, adapter, element_count);
  const std::lock_guard lock(mutex_);
  const auto slot = index_.find(key.hash, [&](auto at) { return key == entries_[at].key; });
  return slot ? entries_[*slot].measured : std::vector<Measurement>{};
}

std::size_t LaunchFeedback::size() const {
  const std::lock_guard lock(mutex_);
  return index_.size();
}

std::shared_ptr<FeedbackStore> LaunchFeedback::store_of(const Adapter& adapter) {
  const std::lock_guard lock(stores_mutex_);
  std::shared_ptr<FeedbackStore>& store = stores_[adapter.decisions];
  if (!store) store = std::make_shared<FeedbackStore>(adapter.decisions, kMaxFeedbackEntries);
  return store;
}

void LaunchFeedback::forget_memory() {
  const std::scoped_lock lock(mutex_, stores_mutex_);
  index_.clear();
  entries_.clear();
  stores_.clear();
}

}  // namespace vyre

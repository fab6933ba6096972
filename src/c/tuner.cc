#include <cstddef>
#include <cstring>

#include "vyre/c/arguments_internal.h"
#include "vyre/c/objects_internal.h"
#include "vyre/tune/foreign/kernel_tuner.h"

namespace vyre {
namespace {

std::string text_of(const char* text) { return text == nullptr ? std::string() : text; }

Outcome<KernelKey> key_of(const vyre_tuner_key* given) {
  VYRE_CHECK(check_struct(given, "key"));
  if (given->name == nullptr) return null_pointer("key.name");
  if (given->reserved != 0) return failure(VYRE_INVALID_INPUT, "key.reserved is not 0");
  return KernelKey{.name = given->name,
                   .version = text_of(given->version),
                   .size = text_of(given->size),
                   .device = text_of(given->device),
                   .driver = text_of(given->driver),
                   .settings = text_of(given->settings)};
}

Outcome<std::vector<Configuration>> candidates_of(const char* const* given, std::uint64_t count) {
  if (given == nullptr) return null_pointer("candidates");
  if (count > kMaxKernelCandidates) {
    return failure(VYRE_LIMIT, fmt::format("{} candidates; the most is {}", count,
                                           std::size_t{kMaxKernelCandidates}));
  }
  std::vector<Configuration> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (given[i] == nullptr) return null_pointer(fmt::format("candidates[{}]", i));
    VYRE_TRY(Configuration candidate, parse_configuration(given[i]));
    out.push_back(std::move(candidate));
  }
  return out;
}

// The caller's options, of this version or of the one before the least gain was added.
Outcome<KernelTunerOptions> tuner_options_of(const vyre_tuner_options* asked) {
  constexpr std::uint32_t before_gain = offsetof(vyre_tuner_options, least_gain);
  KernelTunerOptions options;
  if (asked == nullptr) return options;
  if (asked->struct_size != before_gain) VYRE_CHECK(check_struct(asked, "options"));
  vyre_tuner_options known{};
  std::memcpy(&known, asked, asked->struct_size);
  const vyre_tuner_options* given = &known;
  if (given->reserved != 0) return failure(VYRE_INVALID_INPUT, "options.reserved is not 0");
  VYRE_TRY(options.mode, mode_of(given->mode, "options.mode"));
  options.start = given->start;
  if (given->expected_ns != nullptr) {
    options.expected_ns = [ns = given->expected_ns](const Choice& choice) {
      return ns[choice.index()];
    };
  }
  if (given->share != 0) options.share = given->share;
  if (given->allowance_ns != 0) options.allowance_ns = given->allowance_ns;
  if (given->clock_tick_ns != 0) options.clock_tick_ns = given->clock_tick_ns;
  if (given->least_gain != 0) options.least_gain = given->least_gain;
  return options;
}

Outcome<> open_tuner(const char* store, const vyre_tuner_key* key, const char* const* candidates,
                     std::uint64_t count, const vyre_tuner_options* given, vyre_tuner* out) {
  if (out == nullptr) return null_pointer("tuner");
  VYRE_TRY(const KernelKey its_key, key_of(key));
  VYRE_TRY(std::vector<Configuration> list, candidates_of(candidates, count));
  VYRE_TRY(KernelTunerOptions options, tuner_options_of(given));
  if (store != nullptr && *store == '\0') {
    options.store = EvidenceStore::in_memory();
  } else if (store != nullptr) {
    options.path = store;
  }
  VYRE_TRY(KernelTuner tuner, KernelTuner::open(its_key, std::move(list), std::move(options)));
  const std::uint64_t id =
      table<TunerObject>().insert(std::make_unique<TunerObject>(TunerObject{std::move(tuner)}));
  if (id == 0) return too_many_handles();
  *out = id;
  return {};
}

Outcome<> close_tuner(vyre_tuner id) {
  if (id == 0) return {};
  VYRE_TRY(const auto pin, find<TunerObject>(id));
  if (!table<TunerObject>().close(id)) return invalid_handle(id, HandleKind::tuner);
  VYRE_CHECK(pin->tuner.close());
  return {};
}

Outcome<> set_verifier(vyre_tuner id, vyre_tuner_verifier verifier, void* user_data) {
  VYRE_TRY(const auto pin, find<TunerObject>(id));
  if (verifier == nullptr) return null_pointer("verifier");
  VYRE_CHECK(pin->tuner.verify([verifier, user_data](const Choice& choice) -> Result<Verdict> {
    vyre_tuner_verdict verdict{};
    verdict.struct_size = sizeof verdict;
    verdict.cost_ns = -1;
    const int said = verifier(user_data, choice.index(), &verdict);
    if (said == 0 || said == 1) return Verdict(said == 1, verdict.cost_ns);
    verdict.why[sizeof verdict.why - 1] = '\0';
    if (verdict.why[0] != '\0') return fail(Code::device, verdict.why);
    return fail(Code::device, fmt::format("the verifier gave {}", said));
  }));
  return {};
}

Outcome<> next_call(vyre_tuner id, vyre_tuner_call* out) {
  VYRE_TRY(const auto pin, find<TunerObject>(id));
  VYRE_CHECK(check_struct(out, "call"));
  const KernelCall call = pin->tuner.next();
  out->candidate = call.choice.index();
  out->timed = call.timed ? 1 : 0;
  out->probe = call.probe ? 1 : 0;
  out->id = call.id;
  return {};
}

Outcome<Choice> choice_of(const KernelTuner& tuner, std::uint32_t candidate) {
  if (candidate < tuner.candidates().size()) {
    return Choice(candidate, tuner.candidates()[candidate]);
  }
  return failure(VYRE_INVALID_INPUT, fmt::format("there is no candidate {}: there are {}",
                                                 candidate, tuner.candidates().size()));
}

Outcome<KernelCall> call_of(const KernelTuner& tuner, const vyre_tuner_call* given) {
  VYRE_CHECK(check_struct(given, "call"));
  VYRE_TRY(const Choice choice, choice_of(tuner, given->candidate));
  return KernelCall{choice, given->timed != 0, given->probe != 0, given->id};
}

// A function of KernelTuner for a call that it gave out.
template <class Function>
vyre_code with_call(vyre_tuner id, const vyre_tuner_call* given, const Function& function) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<TunerObject>(id));
    VYRE_TRY(const KernelCall call, call_of(pin->tuner, given));
    VYRE_CHECK(function(pin->tuner, call));
    return {};
  });
}

template <class Function>
vyre_code with_tuner(vyre_tuner id, const Function& function) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<TunerObject>(id));
    return function(pin->tuner);
  });
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_tuner_open(const char* store, const vyre_tuner_key* key,
                          const char* const* candidates, uint64_t candidate_count,
                          const vyre_tuner_options* options, vyre_tuner* tuner) {
  return guarded(
      [&] { return open_tuner(store, key, candidates, candidate_count, options, tuner); });
}

vyre_code vyre_tuner_close(vyre_tuner tuner) {
  return guarded([&] { return close_tuner(tuner); });
}

vyre_code vyre_tuner_save(vyre_tuner tuner) {
  return with_tuner(tuner, [](KernelTuner& its) -> Outcome<> {
    VYRE_CHECK(its.save());
    return {};
  });
}

vyre_code vyre_tuner_verify(vyre_tuner tuner, vyre_tuner_verifier verifier, void* user_data) {
  return guarded([&] { return set_verifier(tuner, verifier, user_data); });
}

vyre_code vyre_tuner_next(vyre_tuner tuner, vyre_tuner_call* call) {
  return guarded([&] { return next_call(tuner, call); });
}

vyre_code vyre_tuner_report(vyre_tuner tuner, const vyre_tuner_call* call, double ns) {
  return with_call(tuner, call,
                   [&](KernelTuner& its, const KernelCall& c) { return its.report(c, ns); });
}

vyre_code vyre_tuner_abandon(vyre_tuner tuner, const vyre_tuner_call* call) {
  return with_call(tuner, call,
                   [](KernelTuner& its, const KernelCall& c) { return its.abandon(c); });
}

vyre_code vyre_tuner_fail(vyre_tuner tuner, const vyre_tuner_call* call, const char* why) {
  return with_call(tuner, call, [&](KernelTuner& its, const KernelCall& c) {
    return its.failed(c, text_of(why));
  });
}

vyre_code vyre_tuner_best(vyre_tuner tuner, uint32_t* candidate) {
  return with_tuner(tuner, [&](KernelTuner& its) -> Outcome<> {
    if (candidate == nullptr) return null_pointer("candidate");
    *candidate = its.best().index();
    return {};
  });
}

vyre_code vyre_tuner_value(vyre_tuner tuner, uint32_t candidate, const char* name, int64_t* value) {
  return with_tuner(tuner, [&](KernelTuner& its) -> Outcome<> {
    if (name == nullptr) return null_pointer("name");
    if (value == nullptr) return null_pointer("value");
    VYRE_TRY(const Choice choice, choice_of(its, candidate));
    VYRE_TRY(*value, choice.number(name));
    return {};
  });
}

vyre_code vyre_tuner_value_text(vyre_tuner tuner, uint32_t candidate, const char* name, char* text,
                                uint64_t capacity, uint64_t* length) {
  return with_tuner(tuner, [&](KernelTuner& its) -> Outcome<> {
    if (name == nullptr) return null_pointer("name");
    VYRE_TRY(const Choice choice, choice_of(its, candidate));
    VYRE_TRY(const std::string_view value, choice.value(name));
    return give_text(value, text, capacity, length);
  });
}

vyre_code vyre_tuner_status(vyre_tuner tuner, vyre_tuner_state* state) {
  return with_tuner(tuner, [&](KernelTuner& its) -> Outcome<> {
    constexpr std::uint32_t before_doubt = offsetof(vyre_tuner_state, doubted_ns);
    const bool is_old = state != nullptr && state->struct_size == before_doubt;
    if (!is_old) VYRE_CHECK(check_struct(state, "state"));
    const Ledger ledger = its.ledger();
    state->settled = its.settled() ? 1 : 0;
    state->spent_ns = ledger.spent_ns;
    state->lost_ns = ledger.lost_ns;
    state->allowed_ns = ledger.bound_ns;
    if (is_old) return {};
    state->doubted_ns = ledger.doubted_ns;
    state->disturbed_ns = ledger.disturbed_ns;
    return {};
  });
}

vyre_code vyre_tuner_explain(vyre_tuner tuner, char* text, uint64_t capacity, uint64_t* length) {
  return with_tuner(
      tuner, [&](KernelTuner& its) { return give_text(its.explain(), text, capacity, length); });
}

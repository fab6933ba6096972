#include "vyre/frontier/synthesis.h"

#include <algorithm>
#include <string>
#include <utility>

#include "vyre/frontier/synthesis_group_internal.h"
#include "vyre/frontier/synthesis_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

// Vertices that a worker keeps before it appends them to the queue with one atomic.
constexpr std::uint32_t kKept = 256;

constexpr std::array<std::string_view, kFrontierKernels> kNames{
    "init",          "start",         "fill_queue", "push_queue",     "push_hybrid", "push_bits",
    "hubs_queue",    "hubs_bits",     "pull",       "pull_after",     "after_queue", "after_bits",
    "gather",        "apply",         "solo",       "count_incoming", "sum_blocks",  "place_blocks",
    "fill_incoming", "sort_incoming", "crowd"};

constexpr std::array<std::string_view, kEngineBuffers> kBufferNames{
    "control", "offsets", "columns", "in_offsets", "in_columns", "in_edges",
    "queue",   "bits",    "pieces",  "sums",       "records",    "counts",
    "blocks",  "starts",  "sources", "origins",    "inputs"};

void write(KernelWriter& w, FrontierKernel kernel) {
  switch (kernel) {
    case FrontierKernel::init: return write_init(w);
    case FrontierKernel::start: return write_start(w);
    case FrontierKernel::fill_queue: return write_fill_queue(w);
    case FrontierKernel::push_queue: return write_push(w, true, true);
    case FrontierKernel::push_hybrid: return write_push(w, true, false);
    case FrontierKernel::push_bits: return write_push(w, false, false);
    case FrontierKernel::hubs_queue: return write_hubs(w, true);
    case FrontierKernel::hubs_bits: return write_hubs(w, false);
    case FrontierKernel::pull: return write_pull(w, false);
    case FrontierKernel::pull_after: return write_pull(w, true);
    case FrontierKernel::after_queue: return write_after_queue(w);
    case FrontierKernel::after_bits: return write_after_bits(w);
    case FrontierKernel::gather: return write_gather(w);
    case FrontierKernel::apply: return write_apply(w);
    case FrontierKernel::solo: return write_solo(w);
    case FrontierKernel::count_incoming: return write_count_incoming(w);
    case FrontierKernel::sum_blocks: return write_sum_blocks(w);
    case FrontierKernel::place_blocks: return write_place_blocks(w);
    case FrontierKernel::fill_incoming: return write_fill_incoming(w);
    case FrontierKernel::sort_incoming: return write_sort_incoming(w);
    case FrontierKernel::crowd: break;  // only workgroups run it
  }
}

// The functions that a kernel calls. Others are left out, because the kernel would have to bind
// their variables as well.
std::vector<FunctionId> used_by(const FrontierFunctions& f, FrontierKernel kernel) {
  std::vector<FunctionId> out;
  const auto take = [&](const std::optional<FunctionId>& id) {
    if (id) out.push_back(*id);
  };
  using enum FrontierKernel;
  switch (kernel) {
    case init: take(f.init); break;
    case start: take(f.start); break;
    case gather: take(f.gather); break;
    case apply: take(f.apply); break;
    case after_queue:
    case after_bits: take(f.after); break;
    case push_queue:
    case crowd:
    case push_hybrid:
    case push_bits:
      take(f.visit);
      take(f.wants);
      take(f.waits);
      break;
    case hubs_queue:
    case hubs_bits:
    case pull:
      take(f.visit);
      take(f.wants);
      break;
    case pull_after:
      take(f.visit);
      take(f.wants);
      take(f.after);
      break;
    case solo:
      take(f.visit);
      take(f.wants);
      take(f.waits);
      take(f.after);
      break;
    default: break;
  }
  return out;
}

}  // namespace

std::string_view to_string(FrontierKernel kernel) {
  return kNames[static_cast<std::size_t>(kernel)];
}

KernelWriter::KernelWriter(const FrontierFunctions& functions, FrontierKernel kernel,
                           std::uint32_t lanes)
    : b("frontier_" + std::string(to_string(kernel)), {lanes, 1, 1}),
      functions_(functions),
      lanes_(lanes),
      ids_(used_by(functions, kernel)),
      copied_(b.copy_functions(functions.library, ids_)) {}

Value KernelWriter::call(std::optional<FunctionId> FrontierFunctions::* function,
                         std::initializer_list<Arg> arguments) {
  const auto at = std::ranges::find(ids_, *(functions_.*function));
  return b.call(copied_[static_cast<std::size_t>(at - ids_.begin())], arguments);
}

Ref KernelWriter::buffer(EngineBuffer which) {
  const auto i = static_cast<std::size_t>(which);
  if (buffers_[i]) return *buffers_[i];
  const BindingPoint at{functions_.group, static_cast<std::uint32_t>(i)};
  const std::string name = "frontier_" + std::string(kBufferNames[i]);
  const TypeId words = b.array(b.u32), atomics = b.array(b.atomic(b.u32));
  switch (which) {
    case EngineBuffer::control:
    case EngineBuffer::bits:
    case EngineBuffer::counts: buffers_[i].emplace(b.storage(name, atomics, at)); break;
    case EngineBuffer::queue:
    case EngineBuffer::pieces:
    case EngineBuffer::records:
    case EngineBuffer::blocks:
    case EngineBuffer::starts:
    case EngineBuffer::sources:
    case EngineBuffer::origins: buffers_[i].emplace(b.storage(name, words, at)); break;
    case EngineBuffer::inputs: {
      const TypeId quads = b.array(b.vec(b.u32, 4), control::kInputs / 4);
      buffers_[i].emplace(b.uniform(name, quads, at));
      break;
    }
    case EngineBuffer::sums: buffers_[i].emplace(b.storage(name, b.array(sum_type()), at)); break;
    default: buffers_[i].emplace(b.storage_read(name, words, at)); break;
  }
  return *buffers_[i];
}

Ref KernelWriter::plain_bits() {
  const auto i = static_cast<std::size_t>(EngineBuffer::bits);
  const BindingPoint at{functions_.group, static_cast<std::uint32_t>(i)};
  if (!buffers_[i]) {
    buffers_[i].emplace(b.storage("frontier_bits", b.array(b.u32), at));
  }
  return *buffers_[i];
}

Ref KernelWriter::word(control::Word which) {
  const Ref words = buffer(EngineBuffer::control);
  if (!in_groups()) return words[Arg(std::uint32_t(which))];
  return words[input(control::bank) * control::kBankWords + (which - control::kInputs)];
}

TypeId KernelWriter::sum_type() {
  const auto kind = functions_.library.types.scalar_kind(functions_.sum);
  return kind == ScalarKind::f32 ? b.f32 : kind == ScalarKind::i32 ? b.i32 : b.u32;
}

Ref KernelWriter::make_variable(control::Word which, const char* name) {
  variables_[which].emplace(b.var(name, input(which)));
  return *variables_[which];
}

Value KernelWriter::input(control::Word which) {
  if (variables_[which]) return variables_[which]->load();
  if (in_groups()) {
    const Ref quad = buffer(EngineBuffer::inputs)[Arg(which / 4U)];
    return quad[Arg(which % 4U)].load();
  }
  if (!loaded_[which]) {
    inputs_[which] = word(which).atomic_load();
    loaded_[which] = true;
  }
  return inputs_[which];
}

void KernelWriter::begin_worker() {
  // The words are loaded here, at the outermost level, so that every block may use them.
  for (std::uint32_t i = 0; i < control::bank; ++i) input(static_cast<control::Word>(i));
  b.if_(b.workgroup_id().x() >= input(control::workers), [&] { b.return_(); });
}

void KernelWriter::for_work(const std::function<void(Value)>& body) {
  const Value count = input(control::count), chunk = input(control::chunk);
  b.loop([&] {
    const Value begin = b.let("begin", word(control::cursor).atomic_add(chunk));
    b.if_(begin >= count, [&] { b.break_(); });
    b.for_("item", begin, begin + min(chunk, count - begin), body);
  });
}

void KernelWriter::for_bits(const Value& word_index, const Value& bits,
                            const std::function<void(Value)>& body) {
  const Ref rest = b.var("rest", bits);
  b.while_([&] { return rest != 0U; },
           [&] {
             const Value now = b.let("now", rest.load());
             rest = now & (now - 1U);
             body(b.let("vertex", (word_index << 5U) + count_trailing_zeros(now)));
           });
}

void KernelWriter::begin_counting(Keep keep, bool to_queue, bool counted) {
  keep_ = keep;
  to_queue_ = to_queue;
  counted_ = counted;
  reached_.emplace(b.var("reached", b.u32));
  edges_.emplace(b.var("edges", b.u32));
  if (keep == Keep::nothing) return;
  kept_.emplace(b.var("kept", b.array(b.u32, kKept)));
  kept_count_.emplace(b.var("kept_count", b.u32));
}

Value KernelWriter::degree(const Value& vertex) {
  const Ref offsets = buffer(EngineBuffer::offsets);
  return offsets[vertex + 1U] - offsets[vertex];
}

void KernelWriter::count(const Value& vertex) {
  *reached_ += 1U;
  *edges_ += degree(vertex);
}

void KernelWriter::keep(const Value& vertex) {
  (*kept_)[*kept_count_] = vertex;
  *kept_count_ += 1U;
  b.if_(*kept_count_ == kKept, [&] { flush(); });
}

void KernelWriter::reach(const Value& vertex) {
  const Value word =
      buffer(EngineBuffer::bits)[input(control::out_bits) + (vertex >> 5U)].atomic_load();
  b.if_(((word >> (vertex & 31U)) & 1U) == 0U, [&] { keep(vertex); });
}

Value KernelWriter::set_bits(const Value& kept) {
  const Ref fresh = b.var("fresh", b.u32);
  b.for_("i", 0U, kept, [&](const Value& i) {
    const Value vertex = b.let("vertex", (*kept_)[i]);
    const Value bit = b.let("bit", b.constant(b.u32, 1U) << (vertex & 31U));
    const Ref word = buffer(EngineBuffer::bits)[input(control::out_bits) + (vertex >> 5U)];
    b.if_((word.atomic_or(bit) & bit) == 0U, [&] {
      (*kept_)[fresh] = vertex;
      fresh += 1U;
    });
  });
  return b.let("fresh_now", fresh.load());
}

// The atomics are in separate loops, because the processor cannot execute ahead across an atomic.
void KernelWriter::flush() {
  const Value kept = b.let("kept_now", kept_count_->load());
  const Value count = keep_ == Keep::reached ? set_bits(kept) : kept;
  if (keep_ == Keep::reached && counted_) {
    *reached_ += count;
    b.for_("i", 0U, count,
           [&](const Value& i) { *edges_ += degree(b.let("vertex", (*kept_)[i])); });
  }
  *kept_count_ = 0U;
  if (!to_queue_) return;
  const Ref queue = buffer(EngineBuffer::queue);
  b.if_(count != 0U, [&] {
    const Value first = b.let("first_place", word(control::appended).atomic_add(count));
    b.for_("i", 0U, count, [&](const Value& i) {
      const Value place = b.let("place", first + i);
      b.if_(place < input(control::capacity),
            [&] { queue[input(control::out_queue) + place] = (*kept_)[i]; });
    });
  });
}

void KernelWriter::end_counting() {
  if (keep_ != Keep::nothing) flush();
  b.if_(*reached_ != 0U, [&] {
    word(control::reached).atomic_add(*reached_);
    word(control::edges).atomic_add(*edges_);
  });
}

Result<Kernel> make_frontier_kernel(const FrontierFunctions& functions, FrontierKernel kernel,
                                    std::uint32_t lanes) {
  KernelWriter w(functions, kernel, lanes);
  lanes == 1 ? write(w, kernel) : write_for_groups(w, kernel);
  VYRE_TRY(Program program, std::move(w.b).build());
  return make_kernel(std::move(program));
}

}  // namespace vyre

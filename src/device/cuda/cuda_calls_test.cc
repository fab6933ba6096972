// The driver calls of each operation, and the outcome of the operation if any one of these calls
// fails. Both are recorded, so that an additional call, a missing call, an ignored error or a leak
// shows as a difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "vyre/base/golden_testing.h"
#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/deadlines_internal.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/device/cuda/staging_internal.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

// A device on a fake driver, and everything that the operations below make of it.
struct World {
  explicit World(bool is_guest) : guest(is_guest) {
    fake.kernels["k"] = {.parameter_bytes = {8, 8, 8}, .run = {}, .registers = 40};
    if (!guest) return;
    theirs = fake.make_context();
    FakeDriver::set_current(theirs);
    (void)fake.table.stream_create(&stream, 0);
    FakeDriver::set_current(nullptr);
    (void)fake.take_log();
  }

  Launch launch() {
    bindings = {BoundMemory{first ? first->address : 0, 4096}};
    return {.code = code.get(), .kernel = "k", .bindings = bindings, .workgroup = {64, 1, 1}};
  }
  BoundMemory part(std::uint64_t offset, std::uint64_t bytes) const {
    return {large->address + offset, bytes};
  }

  const bool guest;
  FakeDriver fake;
  CuContext theirs = nullptr;
  CuStream stream = nullptr;
  std::shared_ptr<CudaDevice> device;
  std::shared_ptr<Queue> queue, side;
  std::shared_ptr<const LoadedCode> code;
  std::optional<DeviceMemory> first, second, beside, large;
  std::shared_ptr<Event> begin, end;
  std::shared_ptr<WorkRecording> recording;
  std::array<BoundMemory, 1> bindings{};
};

struct Operation {
  const char* name;
  std::function<Result<void>(World&)> run;
  bool slow = false;  // left out of the way to a later operation
};

template <class T, class U>
Result<void> into(T& place, Result<U> result) {
  if (!result) return std::unexpected(result.error());
  place = *std::move(result);
  return {};
}
template <class T>
Result<void> plain(const Result<T>& result) {
  if (!result) return std::unexpected(result.error());
  return {};
}

Result<void> write_and_read(World& w, std::size_t bytes) {
  std::vector<std::byte> sent(bytes), got(bytes);
  for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 255 + 1);
  VYRE_CHECK(w.queue->write(w.part(0, bytes), sent));
  VYRE_CHECK(w.queue->read(w.part(0, bytes), got));
  EXPECT_EQ(sent, got);
  return {};
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      {"open",
       [](World& w) {
         CudaOptions options;
         if (w.guest) options = {.context = w.theirs, .stream = w.stream};
         return into(w.device, open_cuda(w.fake.table, 0, options));
       }},
      {"tell the memory",
       [](World& w) -> Result<void> {
         VYRE_TRY(const MemoryInfo info, w.device->memory_info());
         EXPECT_EQ(info.total, w.fake.memory_bytes);
         EXPECT_LT(info.free, info.total);
         return {};
       }},
      {"make a queue", [](World& w) { return into(w.queue, w.device->make_queue()); }},
      {"make a side queue", [](World& w) { return into(w.side, w.device->make_side_queue()); }},
      {"allocate", [](World& w) { return into(w.first, w.device->allocate(4096)); }},
      {"allocate again", [](World& w) { return into(w.second, w.device->allocate(4000)); }},
      {"allocate beside", [](World& w) { return into(w.beside, w.device->allocate_beside(9000)); }},
      {"allocate much", [](World& w) { return into(w.large, w.device->allocate(9 << 20)); }},
      {"load",
       [](World& w) {
         return into(w.code, w.device->load(fake_code("k", {{.kind = GpuParameterKind::address},
                                                            {.kind = GpuParameterKind::deadline},
                                                            {.kind = GpuParameterKind::status}})));
       }},
      {"tell the occupancy",
       [](World& w) -> Result<void> {
         VYRE_TRY(const Occupancy told, w.device->occupancy(*w.code, {64, 2, 2}));
         EXPECT_EQ(told.groups_per_multiprocessor, 8U);
         EXPECT_EQ(told.suggested_groups, 264U);
         return {};
       }},
      {"launch", [](World& w) { return w.queue->launch(w.launch()); }},
      {"launch again", [](World& w) { return w.queue->launch(w.launch()); }},
      {"launch in the side queue", [](World& w) { return w.side->launch(w.launch()); }},
      {"launch with a deadline",
       [](World& w) {
         Launch l = w.launch();
         l.deadline = 1s;
         return w.queue->launch(l);
       }},
      {"launch with a deadline again",
       [](World& w) {
         Launch l = w.launch();
         l.deadline = 1s;
         return w.queue->launch(l);
       }},
      {"launch with deadlines until the ring is used again",
       [](World& w) -> Result<void> {
         Launch l = w.launch();
         l.deadline = 1s;
         for (unsigned i = 0; i < 2 * Deadlines::kSlots; ++i) VYRE_CHECK(w.queue->launch(l));
         return {};
       },
       true},
      {"time three launches", [](World& w) { return plain(w.queue->time(w.launch(), 3)); }},
      {"time one launch", [](World& w) { return plain(w.queue->time(w.launch(), 1)); }},
      {"time launches with a deadline",
       [](World& w) {
         Launch l = w.launch();
         l.deadline = 1s;
         return plain(w.queue->time(l, 3));
       }},
      {"move few bytes", [](World& w) { return write_and_read(w, 100); }},
      {"move as many as a small piece",
       [](World& w) { return write_and_read(w, Staging::kSmallBytes); }},
      {"move one more", [](World& w) { return write_and_read(w, Staging::kSmallBytes + 1); }},
      {"move three large pieces",
       [](World& w) { return write_and_read(w, 2 * Staging::kLargeBytes + 5); }, true},
      {"move nothing",
       [](World& w) -> Result<void> {
         VYRE_CHECK(w.queue->write(w.part(0, 0), {}));
         VYRE_CHECK(w.queue->copy(w.part(0, 0), w.part(64, 0)));
         VYRE_CHECK(w.queue->copy(w.part(8, 8), w.part(8, 8)));
         VYRE_CHECK(w.queue->clear(w.part(0, 0)));
         return w.queue->read(w.part(0, 0), {});
       }},
      {"copy", [](World& w) { return w.queue->copy(w.part(0, 64), w.part(64, 64)); }},
      {"copy onto itself", [](World& w) { return w.queue->copy(w.part(0, 64), w.part(63, 64)); }},
      {"clear words", [](World& w) { return w.queue->clear(w.part(4, 8)); }},
      {"clear bytes", [](World& w) { return w.queue->clear(w.part(4, 7)); }},
      {"clear bytes between words", [](World& w) { return w.queue->clear(w.part(2, 8)); }},
      {"record work",
       [](World& w) {
         std::vector<WorkItem> items(3);
         items[0] = {.kind = WorkItem::Kind::clear, .to = w.part(0, 64)};
         items[1] = {.kind = WorkItem::Kind::copy,
                     .from = w.part(0, 64),
                     .to = w.part(64, 64),
                     .after = {0}};
         items[2] = {.kind = WorkItem::Kind::launch, .launch = w.launch(), .after = {1}};
         return into(w.recording, w.queue->record_work(items));
       }},
      {"play", [](World& w) { return w.queue->play(*w.recording); }},
      {"play with a deadline",
       [](World& w) { return w.queue->play(*w.recording, {.deadline = 1s}); }},
      {"change an item", [](World& w) { return w.recording->set(2, w.launch()); }},
      {"let the recording go",
       [](World& w) -> Result<void> {
         w.recording = nullptr;
         return w.queue->wait();
       }},
      {"record", [](World& w) { return into(w.begin, w.queue->record()); }},
      {"record again", [](World& w) { return into(w.end, w.queue->record()); }},
      {"ask an event",
       [](World& w) -> Result<void> {
         VYRE_TRY(const bool ready, w.end->ready());
         EXPECT_TRUE(ready);
         return {};
       }},
      {"wait for an event", [](World& w) { return w.end->wait(); }},
      {"tell the time between", [](World& w) { return plain(w.end->since(*w.begin)); }},
      {"wait", [](World& w) { return w.queue->wait(); }},
      {"wait again", [](World& w) { return w.queue->wait(); }},
      {"wait for the side queue", [](World& w) { return w.side->wait(); }},
      {"let memory go",
       [](World& w) -> Result<void> {
         w.second.reset();
         w.beside.reset();
         return {};
       }},
      {"allocate what was let go",
       [](World& w) { return into(w.second, w.device->allocate(4096)); }},
      {"trim", [](World& w) { return w.device->trim(); }},
      {"let code go",
       [](World& w) -> Result<void> {
         w.code.reset();
         return {};
       }},
      {"sweep", [](World& w) { return w.queue->wait(); }},
      {"let the side queue go",
       [](World& w) -> Result<void> {
         w.side.reset();
         return {};
       }},
  };
  return all;
}

// "a, b x2, a"
std::string shown(const std::vector<std::string>& log) {
  std::string out;
  for (std::size_t i = 0; i < log.size();) {
    std::size_t end = i;
    while (end < log.size() && log[end] == log[i]) ++end;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", log[i]);
    if (end - i > 1) out += fmt::format(" x{}", end - i);
    i = end;
  }
  return out;
}

// What is still allocated after everything was released.
std::string remains(std::unique_ptr<World> world) {
  FakeDriver& fake = world->fake;
  world->begin = world->end = nullptr;
  world->recording = nullptr;
  world->code = nullptr;
  world->first = world->second = world->beside = world->large = std::nullopt;
  world->queue = world->side = nullptr;
  world->device = nullptr;
  return fmt::format(
      "left: {} contexts, {} streams, {} allocations, {} pinned, {} modules, {} "
      "graphs",
      fake.live_contexts(), fake.live_streams(), fake.live_allocations(), fake.live_pinned(),
      fake.live_modules(), fake.live_graphs());
}

std::unique_ptr<World> world_before(bool guest, std::size_t operation) {
  auto world = std::make_unique<World>(guest);
  for (std::size_t i = 0; i < operation; ++i) {
    if (operations()[i].slow) continue;
    const auto done = operations()[i].run(*world);
    EXPECT_TRUE(done) << operations()[i].name << ": " << done.error().what;
  }
  (void)world->fake.take_log();
  return world;
}

// An error like any other, one that loses the context, and for what allocates, that there is no
// memory.
std::vector<CuResult> failures_of(const std::string& call) {
  std::vector<CuResult> out = {401, cu::kIllegalAddress};
  if (call.contains("Alloc") || call == "cuCtxCreate") out.push_back(cu::kOutOfMemory);
  return out;
}

std::vector<std::string> distinct(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

void record_calls(bool guest, const std::string& file) {
  std::string text;
  std::vector<std::vector<std::string>> asked;
  auto world = world_before(guest, 0);
  for (const Operation& operation : operations()) {
    ASSERT_TRUE(operation.run(*world)) << operation.name;
    asked.push_back(world->fake.take_log());
    text += fmt::format("{}: {}\n", operation.name, shown(asked.back()));
  }
  text += remains(std::move(world)) + "\n\n";
  for (std::size_t i = 0; i < operations().size(); ++i) {
    for (const std::string& call : distinct(asked[i])) {
      for (const CuResult result : failures_of(call)) {
        world = world_before(guest, i);
        world->fake.fail_next(call, result);
        const auto failed = operations()[i].run(*world);
        text +=
            fmt::format("{}, {} answers {}: {}", operations()[i].name, call, result,
                        failed ? "done"
                               : fmt::format("error {}: {}", static_cast<int>(failed.error().code),
                                             failed.error().what));
        if (!failed && result != cu::kIllegalAddress) {
          const auto again = operations()[i].run(*world);
          text += again ? "; then done" : fmt::format("; then {}", again.error().what);
        }
        text += "; " + remains(std::move(world)) + "\n";
      }
    }
  }
  expect_golden(text, file);
}

TEST(CudaCalls, OfADeviceWithItsOwnContext) { record_calls(false, "calls_of_own_context.txt"); }
TEST(CudaCalls, InTheApplicationsContext) { record_calls(true, "calls_of_guest.txt"); }

}  // namespace
}  // namespace vyre

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "vyre/device/cuda/reclaim_internal.h"

namespace vyre {

void Reclaim::add_stream(CuStream stream, std::shared_ptr<LaunchNotes> notes) {
  const std::scoped_lock lock(mutex_);
  live_.push_back({stream, std::move(notes)});
}

void Reclaim::drop_stream(CuStream stream, const std::shared_ptr<LaunchNotes>& notes) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(live_, [&](const Live& l) { return l.notes == notes; });
  }
  if (context_.lost()) return;
  auto last = take_shared(events_);
  if (!last) return;
  if (!context_.check(context_.driver().event_record(last->get(), stream), "cuEventRecord")) return;
  const std::scoped_lock lock(mutex_);
  ended_.push_back({*std::move(last), notes});
}

void Reclaim::add(ReleaseWhen when, std::uint64_t born, std::function<void()> release) {
  const std::scoped_lock lock(mutex_);
  fresh_.push_back({when, born, std::move(release)});
  retired_.store(true, std::memory_order_relaxed);
}

CuResult Reclaim::note(CuResult result) {
  if (result != cu::kSuccess && loses_context(result)) trouble_ = result;
  return result;
}

bool Reclaim::passed(const SharedEvent& event) {
  const CuResult result = note(context_.driver().event_query(event.get()));
  return result != cu::kNotReady && !loses_context(result);
}

// A stream that is being captured must not be queried, because that would end the capture.
bool Reclaim::busy(const Live& live) {
  int capturing = 0;
  if (context_.guest() &&
      (context_.driver().stream_is_capturing(live.stream, &capturing) != cu::kSuccess ||
       capturing != 0)) {
    return true;
  }
  return note(context_.driver().stream_query(live.stream)) != cu::kSuccess;
}

bool Reclaim::seal() {
  const CudaDriver& driver = context_.driver();
  std::vector<SharedFence> fences;
  for (const Live& l : live_) {
    // Read before the event: work that is submitted meanwhile does not concern things already
    // retired.
    const std::uint64_t newest = l.notes->newest_allocation();
    if (!busy(l)) continue;
    int capturing = 0;
    if (context_.guest()) driver.stream_is_capturing(l.stream, &capturing);
    CuEvent event = nullptr;
    if (capturing != 0 || note(events_.try_take(event)) != cu::kSuccess) return false;
    fences.push_back(std::make_shared<Fence>(Fence{share(event, events_), false, newest}));
    if (note(driver.event_record(event, l.stream)) != cu::kSuccess) return false;
  }
  for (const Ended& e : ended_) {
    fences.push_back(std::make_shared<Fence>(Fence{e.last, false, e.notes->newest_allocation()}));
  }
  for (Thing& t : fresh_) {
    std::ranges::copy_if(fences, std::back_inserter(t.behind),
                         [&](const SharedFence& f) { return f->newest_allocation >= t.born; });
  }
  std::ranges::move(fresh_, std::back_inserter(fenced_));
  std::ranges::move(fences, std::back_inserter(fences_));
  fresh_.clear();
  return true;
}

bool Reclaim::idle_locked() {
  return ended_.empty() && std::ranges::none_of(live_, [&](const Live& l) { return busy(l); });
}

bool Reclaim::idle() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(ended_, [&](const Ended& e) { return passed(e.last); });
  return idle_locked();
}

void Reclaim::sweep() {
  if (context_.lost()) return release_all();
  std::vector<Thing> due;
  CuResult trouble = cu::kSuccess;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(ended_, [&](const Ended& e) { return passed(e.last); });
    if (!fresh_.empty()) seal();
    for (const SharedFence& f : fences_) f->passed = passed(f->event);
    std::erase_if(fences_, [](const SharedFence& f) { return f->passed; });
    for (Thing& t : fenced_) {
      std::erase_if(t.behind, [](const SharedFence& f) { return f->passed; });
      if (!t.behind.empty()) continue;
      (t.when == ReleaseWhen::idle ? until_idle_ : due).push_back(std::move(t));
    }
    std::erase_if(fenced_, [](const Thing& t) { return t.behind.empty(); });
    if (!until_idle_.empty() && idle_locked()) {
      std::ranges::move(until_idle_, std::back_inserter(due));
      until_idle_.clear();
    }
    retired_.store(!fresh_.empty() || !fenced_.empty() || !until_idle_.empty(),
                   std::memory_order_relaxed);
    trouble = std::exchange(trouble_, cu::kSuccess);
  }
  if (trouble != cu::kSuccess) context_.error_of(trouble, "cuEventQuery");
  for (const Thing& t : due) t.release();
}

bool Reclaim::drain(std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  for (;;) {
    sweep();
    if (!anything_retired()) return true;
    if (context_.lost() || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void Reclaim::release_all() {
  std::vector<Thing> due;
  {
    const std::scoped_lock lock(mutex_);
    due = std::move(fresh_);
    std::ranges::move(fenced_, std::back_inserter(due));
    std::ranges::move(until_idle_, std::back_inserter(due));
    fresh_.clear();
    fenced_.clear();
    fences_.clear();
    until_idle_.clear();
    ended_.clear();
    retired_.store(false, std::memory_order_relaxed);
  }
  for (const Thing& t : due) t.release();
}

std::vector<std::string> Reclaim::suspects() const {
  std::vector<std::string> names;
  const std::scoped_lock lock(mutex_);
  for (const Ended& e : ended_) e.notes->collect(names);
  for (const Live& l : live_) l.notes->collect(names);
  return names;
}

}  // namespace vyre

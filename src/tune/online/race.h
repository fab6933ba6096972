// Which of several seem faster than a favourite, by timing them in turns: everything that may be, a
// few times; what still may be, more often.
//
// What disturbs a time makes it longer. So the quieter half of the rounds counts, a time is judged
// beside the quickest of its round, and of these shares an entrant is known by the better ones. On
// two processors that others use as well this finds the fastest of eight more often than medians,
// least times or paired times do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace vyre {

struct RaceOptions {
  double sample_ns = 0;   // what it takes to time one, at least
  double stage_ns = 1e9;  // rounds beyond the fewest are held only as long as this, in each stage
};

struct RaceResult {
  // Those that seem faster than the favourite, the fastest first. Whether they are, others must say
  // (paired_finals.h): of many equals one seems faster by luck.
  std::vector<std::uint32_t> ranking{};
  std::size_t entrants = 0;  // at the start
  std::size_t rounds = 0;    // that were held
};

// Nanoseconds of one run of an entrant; 0 when it was not timed, which says nothing of it; nothing
// when it fails, and then it is out.
using TimeEntrant = std::function<std::optional<double>(std::uint32_t)>;

// `times`: of everything, by number, from before; who has none takes no part. The times of the race
// are appended. It ends early, with what it knows, when `is_over` says so. The favourite is one of
// them.
RaceResult race(std::vector<std::vector<double>>& times, std::uint32_t favourite,
                const TimeEntrant& time, const RaceOptions& options,
                const std::function<bool()>& is_over);

// How long each of several takes beside the others, from times taken in rounds: times[round][i].
// Scaled to nanoseconds. A time that is not there is 0, and so is the figure of one without any.
std::vector<double> figures_of_rounds(std::span<const std::vector<double>> times);

}  // namespace vyre

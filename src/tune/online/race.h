// A race finds the candidates that seem faster than a favourite. It times them in turns: all that
// may be faster a few times, and those that still may be faster more often.
//
// Disturbances only make times longer. Therefore the quieter half of the rounds counts, each time
// is divided by the shortest of its round, and an entrant is judged by the smaller ones of these
// ratios. On two shared processors this finds the fastest of eight candidates more often than
// medians, least times or paired times do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace vyre {

struct RaceOptions {
  double sample_ns = 0;   // the least time that one sample takes
  double stage_ns = 1e9;  // a stage ends after this time, once it has had the fewest rounds
};

struct RaceResult {
  // The candidates that seem faster than the favourite, the fastest first. Only pairs can prove it
  // (paired_finals.h): of many equal candidates one seems faster by luck.
  std::vector<std::uint32_t> ranking{};
  std::size_t entrants = 0;  // at the start
  std::size_t rounds = 0;
};

// The nanoseconds of one run of an entrant. 0: it was not timed, which says nothing about it.
// Absent: it failed, and takes no further part.
using TimeEntrant = std::function<std::optional<double>(std::uint32_t)>;

// `times` has the earlier times of each candidate, the favourite among them; a candidate without
// any takes no part. The times of the race are appended. When `is_over` returns true, the race ends
// with what it knows.
RaceResult race(std::vector<std::vector<double>>& times, std::uint32_t favourite,
                const TimeEntrant& time, const RaceOptions& options,
                const std::function<bool()>& is_over);

// The times of several candidates relative to each other, scaled to nanoseconds, from rounds:
// times[round][i]. A missing time is 0, and so is the result of a candidate without times.
std::vector<double> figures_of_rounds(std::span<const std::vector<double>> times);

}  // namespace vyre

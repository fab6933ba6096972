// An OpenMP program that tunes a kernel of its own while it works: a sparse matrix times a few
// dense columns, where rows differ much in length. What is searched: how OpenMP hands out rows, how
// many at a time, and how many columns are computed in one pass over a row.
//
//   g++ -std=c++23 -O2 -fopenmp main.cc $(pkg-config --cflags --libs vyre) -o spmm
//   ./spmm [ROWS [CALLS]]
//
// The second run begins with what the first one found; `vyre cache list` shows it.
#include <omp.h>
#include <vyre/tuner.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

constexpr std::int64_t kColumns = 32;

struct Matrix {
  std::vector<std::int64_t> begin{0};  // of each row, and the end
  std::vector<std::int32_t> column;
  std::vector<float> value;

  std::int64_t rows() const { return static_cast<std::int64_t>(begin.size()) - 1; }
};

// Long rows come first, so that an even split of the rows is a bad split of the work.
Matrix make_matrix(std::int64_t rows) {
  Matrix matrix;
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int32_t> any_row(0, static_cast<std::int32_t>(rows) - 1);
  std::uniform_real_distribution<float> any_value(-1, 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double place = static_cast<double>(row + 1) / static_cast<double>(rows);
    const auto length = static_cast<int>(2 + 6 / std::sqrt(place));
    for (int i = 0; i < length; ++i) {
      matrix.column.push_back(any_row(random));
      matrix.value.push_back(any_value(random));
    }
    matrix.begin.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

// The kernel: the first rows of y = a * x, kBlock columns in one pass.
template <int kBlock>
void multiply(const Matrix& a, std::int64_t rows, const std::vector<float>& x,
              std::vector<float>& y) {
#pragma omp parallel for schedule(runtime)
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t first = 0; first < kColumns; first += kBlock) {
      float sum[kBlock] = {};
      for (std::int64_t i = a.begin[row]; i < a.begin[row + 1]; ++i) {
        const float* from = &x[a.column[i] * kColumns + first];
        for (int j = 0; j < kBlock; ++j) sum[j] += a.value[i] * from[j];
      }
      for (int j = 0; j < kBlock; ++j) y[row * kColumns + first + j] = sum[j];
    }
  }
}

void run(const vyre::Choice& choice, const Matrix& a, std::int64_t rows,
         const std::vector<float>& x, std::vector<float>& y) {
  const std::string_view schedule = choice.value("schedule").value();
  omp_set_schedule(schedule == "static"    ? omp_sched_static
                   : schedule == "dynamic" ? omp_sched_dynamic
                                           : omp_sched_guided,
                   static_cast<int>(choice.number("chunk").value()));
  switch (choice.number("block").value()) {
    case 4: return multiply<4>(a, rows, x, y);
    case 8: return multiply<8>(a, rows, x, y);
    case 16: return multiply<16>(a, rows, x, y);
    default: return multiply<32>(a, rows, x, y);
  }
}

// The plain loop that results are compared with.
std::vector<float> multiply_plainly(const Matrix& a, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    for (std::int64_t i = a.begin[row]; i < a.begin[row + 1]; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) {
        y[row * kColumns + j] += a.value[i] * x[a.column[i] * kColumns + j];
      }
    }
  }
  return y;
}

bool same(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(
      a, b, [](float p, float q) { return std::abs(p - q) <= 1e-4F * (1 + std::abs(q)); });
}

double milliseconds(const vyre::Choice& choice, const Matrix& a, const std::vector<float>& x,
                    std::vector<float>& y) {
  const double began = omp_get_wtime();
  run(choice, a, a.rows(), x, y);
  return (omp_get_wtime() - began) * 1e3;
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

int main(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20000;
  const int calls = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1500;
  const Matrix a = make_matrix(rows);
  std::vector<float> x(static_cast<std::size_t>(rows * kColumns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) / 97;
  std::vector<float> y(x.size());
  const std::vector<float> expected = multiply_plainly(a, x);

  // The first combination is the start: what the program would run without a tuner.
  const auto candidates = vyre::combinations({{"schedule", {"static", "dynamic", "guided"}},
                                              {"chunk", {0, 16, 64, 256, 1024}},
                                              {"block", {32, 16, 8, 4}}},
                                             [](const vyre::Choice& choice) {
                                               // 0 stands for the schedule's own chunk.
                                               return choice.value("schedule") == "static" ||
                                                      choice.number("chunk") != 0;
                                             });
  if (!candidates) {
    std::fprintf(stderr, "%s\n", vyre::describe(candidates.error()).c_str());
    return 1;
  }
  auto tuner = vyre::KernelTuner::open({.name = "spmm",
                                        .version = "1",
                                        .size = std::to_string(rows),
                                        .settings = "columns=" + std::to_string(kColumns)},
                                       *candidates);
  if (!tuner) {
    std::fprintf(stderr, "%s\n", vyre::describe(tuner.error()).c_str());
    return 1;
  }
  // Called before a candidate runs for the first time: on an eighth of the rows, because its time
  // counts, and with a result of its own, never the program's.
  const std::int64_t some = (rows + 7) / 8;
  std::vector<float> scratch(static_cast<std::size_t>(some * kColumns));
  const auto verified = tuner->verify([&](const vyre::Choice& choice) {
    std::ranges::fill(scratch, -1.0F);
    run(choice, a, some, x, scratch);
    return same(scratch, std::span(expected).first(scratch.size()));
  });
  if (!verified) return 1;
  std::printf("%lld rows, %zu candidates; begins with %s\n", static_cast<long long>(rows),
              candidates->size(), tuner->why().c_str());

  // The program's own work: it asks, runs, and the time is reported at the end of the block.
  for (int i = 1; i <= calls; ++i) {
    {
      const vyre::HostCall call = tuner->timed();
      run(call.choice(), a, rows, x, y);
    }
    if (!same(y, expected)) {
      std::fprintf(stderr, "call %d gave a wrong result\n", i);
      return 1;
    }
    if (i % std::max(1, calls / 8) != 0) continue;
    const vyre::Ledger ledger = tuner->ledger();
    std::printf("call %5d  %-36s lost %6.2f ms of %6.2f ms allowed%s\n", i,
                tuner->best().text().c_str(), ledger.lost_ns / 1e6, ledger.bound_ns / 1e6,
                tuner->settled() ? ", settled" : "");
  }

  // What it was worth: both choices in turns.
  const vyre::Choice first(0, tuner->candidates()[0]);
  std::vector<double> with_first, with_best;
  for (int i = 0; i < 15; ++i) {
    with_first.push_back(milliseconds(first, a, x, y));
    with_best.push_back(milliseconds(tuner->best(), a, x, y));
  }
  std::printf("first choice %-36s %8.3f ms\n", first.text().c_str(), median(with_first));
  std::printf("tuned choice %-36s %8.3f ms, %.2f times as fast; results are right\n",
              tuner->best().text().c_str(), median(with_best),
              median(with_first) / median(with_best));
  if (const auto closed = tuner->close(); !closed) {
    std::fprintf(stderr, "%s\n", vyre::describe(closed.error()).c_str());
    return 1;
  }
}

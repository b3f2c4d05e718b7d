#include "estimator/learned_neighbours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "data/kept_inputs.h"
#include "estimator/row_scores.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kFewestToLearn = 100, kMostColumns = 100, kMostNumbers = 2'000'000;
// Columns are stretched as it suits so many rows, among so many; the kernel as it suits more of them, among all.
constexpr std::size_t kStretchingRows = 600, kStretchedAmong = 5000, kChoosingRows = 1500;
constexpr int kPasses = 3;
constexpr std::size_t kMostTrials = 160;  // for one measure
constexpr double kStretches[] = {0.5, 2, 0.25, 4};
constexpr double kWorthStretching = 0.001;  // nats
using Numbers = std::vector<double>;
// In typical distances of the nearest row.
const Numbers kLengths{0.25, 0.5, 1, 2, 4};
const Numbers kCorrelations{0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98};
const Numbers kShares{0.3, 0.5, 0.7, 0.85, 0.95};

// Asked by the thread that learns.
class Asked {
 public:
  Asked(Workers& workers, const std::function<bool()>& interrupted)
      : workers_(workers), interrupted_(interrupted) {}

  // task(k) for all k, in blocks; false if somebody interrupts.
  template <class Task>
  bool run(std::size_t count, Task&& task) const {
    constexpr std::size_t kBlock = 512;
    for (std::size_t first = 0; first < count; first += kBlock) {
      if (interrupted_ && interrupted_()) return false;
      workers_.run(std::min(kBlock, count - first), [&](std::size_t k) { task(first + k); });
    }
    return true;
  }

 private:
  Workers& workers_;
  const std::function<bool()>& interrupted_;
};

std::vector<std::uint32_t> evenly_spaced(std::size_t of, std::size_t most) {
  std::vector<std::uint32_t> out;
  const std::size_t count = std::min(of, most);
  for (std::size_t k = 0; k < count; ++k) out.push_back(static_cast<std::uint32_t>(k * of / count));
  return out;
}

std::vector<DistanceScale> scales_of(const JudgedResiduals& rows, std::span<const double> numbers,
                                     bool by_ranks) {
  const std::size_t columns = rows.inputs.columns();
  std::vector<DistanceScale> out;
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<double> own;
    for (std::size_t at = column; at < numbers.size(); at += columns) own.push_back(numbers[at]);
    out.push_back(by_ranks ? DistanceScale::ranks(std::move(own)) : DistanceScale::standard(own));
  }
  return out;
}

// All rows as points, and some of them as possible neighbours.
class MeasuredRows {
 public:
  MeasuredRows(const JudgedResiduals& rows, std::span<const double> numbers,
               std::vector<DistanceScale> scales, std::size_t most_kept)
      : told_(&rows),
        scales_(std::move(scales)),
        kept_(evenly_spaced(rows.below.size(), most_kept)),
        points_(points(numbers)),
        nearest_(by_column(), scales_.size()) {
    for (const std::uint32_t row : kept_) scores_.push_back(kept_score(rows.below[row]));
  }

  std::size_t columns() const { return scales_.size(); }
  const JudgedResiduals& told() const { return *told_; }
  const std::vector<DistanceScale>& scales() const { return scales_; }
  const std::vector<double>& scores() const { return scores_; }
  Neighbourhood around(std::uint32_t row) const {
    return {nearest_, std::span(points_).subspan(row * columns(), columns()),
            [&](std::uint32_t k) { return is_same(kept_[k], row); }};
  }
  ResidualNeighbours with(const ResidualNeighbours::Kernel& kernel) const {
    return {scales_, nearest_, scores_, kernel};
  }
  // By a power of two, which can be undone to the bit.
  void stretch(std::size_t column, double factor) {
    scales_[column].stretch(factor);
    nearest_.stretch(column, static_cast<float>(factor));
    for (std::size_t at = column; at < points_.size(); at += columns())
      points_[at] *= static_cast<float>(factor);
  }

 private:
  bool is_same(std::uint32_t a, std::uint32_t b) const {
    return a == b || (!told_->groups.empty() && told_->groups[a] == told_->groups[b]);
  }
  std::vector<float> points(std::span<const double> numbers) const {
    std::vector<float> out;
    for (std::size_t at = 0; at < numbers.size(); at += columns()) {
      const std::vector<float> point = point_of(scales_, numbers.subspan(at, columns()));
      out.insert(out.end(), point.begin(), point.end());
    }
    return out;
  }
  std::vector<float> by_column() const {
    std::vector<float> out;
    for (std::size_t column = 0; column < columns(); ++column)
      for (const std::uint32_t row : kept_) out.push_back(points_[row * columns() + column]);
    return out;
  }

  const JudgedResiduals* told_;
  std::vector<DistanceScale> scales_;
  std::vector<std::uint32_t> kept_;
  std::vector<float> points_;  // row by row
  NearestRows nearest_;
  std::vector<double> scores_;  // of those that are kept
};

struct Choice {
  ResidualNeighbours::Kernel kernel{1, 0, 0};
  double gain = -std::numeric_limits<double>::infinity();
};

// Kernels to be tried.
struct Kernels {
  Numbers lengths, correlations, shares;
};

double typical_distance(std::span<const Neighbourhood> rows) {
  std::vector<double> nearest;
  for (const Neighbourhood& each : rows)
    if (!each.to_row.empty() && each.to_row.front() > 0) nearest.push_back(each.to_row.front());
  if (nearest.empty()) return 1;  // all rows are alike
  const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::ranges::nth_element(nearest, middle);
  return *middle;
}

// The best of these kernels for some rows; none if somebody interrupts. Lengths are in units of the typical distance, or as they are.
Choice best_kernel(const MeasuredRows& rows, std::span<const std::uint32_t> choosing,
                   const Kernels& kernels, bool are_typical, const Asked& asked) {
  std::vector<Neighbourhood> around(choosing.size());
  if (!asked.run(choosing.size(), [&](std::size_t k) { around[k] = rows.around(choosing[k]); }))
    return {};
  const double unit = are_typical ? typical_distance(around) : 1;
  const JudgedResiduals& told = rows.told();
  Choice best;
  std::vector<double> ratio(choosing.size());
  for (const double length : kernels.lengths)
    for (const double correlation : kernels.correlations) {
      const ResidualNeighbours::Kernel whole{length * unit, correlation, 1};
      const auto judge = [&](std::size_t k) {
        ratio[k] = told.ratio(told_by(around[k], rows.scores(), whole), choosing[k]);
      };
      if (!asked.run(choosing.size(), judge)) return {};
      for (const double share : kernels.shares) {
        WeightedMean gain;
        for (std::size_t k = 0; k < choosing.size(); ++k)
          gain.add(std::log(1 - share + share * ratio[k]), told.weights[choosing[k]]);
        if (gain.mean() > best.gain) best = {{whole.length, correlation, share}, gain.mean()};
      }
    }
  return best;
}

// Kernels near one.
Kernels near(const ResidualNeighbours::Kernel& kernel) {
  constexpr double kStep = 0.15;
  return {
      {0.5 * kernel.length, kernel.length, 2 * kernel.length},
      {kernel.correlation},
      {std::max(0.1, kernel.share - kStep), kernel.share, std::min(0.95, kernel.share + kStep)}};
}

Kernels only(const ResidualNeighbours::Kernel& kernel) {
  return {{kernel.length}, {kernel.correlation}, {kernel.share}};
}

// What each of these rows gains by a kernel; nothing if somebody interrupts.
Numbers gains_of(const MeasuredRows& rows, std::span<const std::uint32_t> judging,
                 const ResidualNeighbours::Kernel& kernel, const Asked& asked) {
  Numbers out(judging.size());
  const auto judge = [&](std::size_t k) {
    const LocalNormal told = told_by(rows.around(judging[k]), rows.scores(), kernel);
    out[k] = std::log(rows.told().ratio(told, judging[k]));
  };
  return asked.run(judging.size(), judge) ? out : Numbers();
}

// Whether a quarter of the rows leaves it open that a stretch gains enough; most do not, and the other rows need not be asked.
bool is_promising(const MeasuredRows& rows, std::span<const std::uint32_t> quarter,
                  const Numbers& before, const ResidualNeighbours::Kernel& kernel,
                  const Asked& asked) {
  const Numbers after = gains_of(rows, quarter, kernel, asked);
  if (after.empty() || before.empty()) return false;
  WeightedMean gain;
  for (std::size_t k = 0; k < quarter.size(); ++k)
    gain.add(after[k] - before[k], rows.told().weights[quarter[k]]);
  return gain.may_be(kWorthStretching);
}

// Stretches columns, one after the other, as long as it makes scores more predictable.
void stretch_columns(MeasuredRows& rows, std::span<const std::uint32_t> choosing, Choice best,
                     const Asked& asked) {
  std::vector<std::uint32_t> quarter;
  for (std::size_t k = 0; k < choosing.size(); k += 4) quarter.push_back(choosing[k]);
  Numbers now = gains_of(rows, quarter, best.kernel, asked);
  std::size_t trials = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double before = best.gain;
    for (const double factor : kStretches)
      for (std::size_t column = 0; column < rows.columns(); ++column) {
        if (rows.scales()[column].at().empty() || ++trials > kMostTrials) continue;
        rows.stretch(column, factor);
        const Choice found = is_promising(rows, quarter, now, best.kernel, asked)
                                 ? best_kernel(rows, choosing, only(best.kernel), false, asked)
                                 : Choice();
        if (found.gain > best.gain + kWorthStretching) {
          best = best_kernel(rows, choosing, near(found.kernel), false, asked);
          now = gains_of(rows, quarter, best.kernel, asked);
        } else {
          rows.stretch(column, 1 / factor);
        }
      }
    if (!(best.gain > before)) return;
  }
}

// A measure and a kernel that some rows have chosen.
struct Learned {
  MeasuredRows rows;
  Choice choice;

  LocalNormal tell(std::size_t row) const {
    return told_by(rows.around(static_cast<std::uint32_t>(row)), rows.scores(), choice.kernel);
  }
};

std::vector<std::uint32_t> some_of(const std::vector<std::uint32_t>& rows, std::size_t most) {
  std::vector<std::uint32_t> out = evenly_spaced(rows.size(), most);
  for (std::uint32_t& each : out) each = rows[each];
  return out;
}

std::optional<Learned> learned_by(const std::vector<std::uint32_t>& choosing,
                                  const JudgedResiduals& rows, std::span<const double> numbers,
                                  const Asked& asked) {
  const std::vector<std::uint32_t> stretching = some_of(choosing, kStretchingRows),
                                   judging = some_of(choosing, kChoosingRows);
  const Kernels all{kLengths, kCorrelations, kShares};
  std::optional<Learned> best;
  for (const bool by_ranks : {false, true}) {
    MeasuredRows some(rows, numbers, scales_of(rows, numbers, by_ranks), kStretchedAmong);
    stretch_columns(some, stretching, best_kernel(some, stretching, all, true, asked), asked);
    MeasuredRows tried(rows, numbers, some.scales(), kMostNumbers / rows.inputs.columns());
    const Choice found = best_kernel(tried, judging, all, true, asked);
    if (found.gain > (best ? best->choice.gain : 0)) best.emplace(Learned{std::move(tried), found});
  }
  return best;
}

}  // namespace

// Each half of the rows, or of the groups, chooses for the other one to judge.
std::optional<LearnedNeighbours> learn_neighbours(const JudgedResiduals& rows, Workers& workers,
                                                  const std::function<bool()>& interrupted) {
  const std::size_t count = rows.below.size();
  if (count < kFewestToLearn || rows.inputs.columns() > kMostColumns) return {};
  const Asked asked(workers, interrupted);
  const std::vector<double> numbers = all_numbers(rows.inputs);
  const auto half_of = [&](std::size_t row) {
    return (rows.groups.empty() ? row : rows.groups[row]) % 2;
  };
  std::array<std::vector<std::uint32_t>, 2> halves;
  for (std::size_t row = 0; row < count; ++row)
    halves[half_of(row)].push_back(static_cast<std::uint32_t>(row));
  std::array<std::optional<Learned>, 2> learned;
  for (std::size_t half = 0; half < 2; ++half) {
    learned[half] = learned_by(halves[half], rows, numbers, asked);
    if (!learned[half]) return {};
  }
  std::vector<LocalNormal> of_rows(count, LocalNormal(0, 1, 1));
  const auto tell = [&](std::size_t row) { of_rows[row] = learned[1 - half_of(row)]->tell(row); };
  if (!asked.run(count, tell)) return {};
  WeightedMean all;
  std::array<WeightedMean, 2> by_choice;
  for (std::size_t row = 0; row < count; ++row) {
    const double gain = std::log(rows.ratio(of_rows[row], row));
    all.add(gain, rows.weights[row]);
    by_choice[1 - half_of(row)].add(gain, rows.weights[row]);
  }
  if (!all.is_clear()) return {};
  const Learned& kept = *learned[by_choice[1].mean() > by_choice[0].mean() ? 1 : 0];
  return LearnedNeighbours{kept.rows.with(kept.choice.kernel), std::move(of_rows)};
}

}  // namespace postrider::internal

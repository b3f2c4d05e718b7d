#include "encode/supervised_cuts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace postrider::internal {
namespace {

// Numbers are first put into so many cells of about equally many rows.
constexpr std::size_t kMostCells = 256;
// In units of the numbers' variance: less is not worth a cut, however exactly the leaves tell them.
constexpr double kLeastVariance = 1e-3;

// The largest value of each cell but the last.
std::vector<double> cell_ends(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (!std::isnan(value)) sorted.push_back(value);
  std::ranges::sort(sorted);
  std::vector<double> different = sorted;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.empty()) return {};
  if (different.size() <= kMostCells) {
    different.pop_back();
    return different;
  }
  std::vector<double> out;
  for (std::size_t k = 1; k < kMostCells; ++k) {
    const double end = sorted[k * sorted.size() / kMostCells];
    if (end < sorted.back() && (out.empty() || end > out.back())) out.push_back(end);
  }
  return out;
}

// What is known of the targets of the rows in each cell: sums over all cells before it.
class Tallies {
 public:
  Tallies(std::span<const double> values, const TargetsToTell& targets,
          std::span<const double> ends)
      : targets_(targets),
        size_(targets.classes > 0 ? targets.classes : 1 + 2 * targets.outputs),
        cells_(ends.size() + 1),
        sums_((cells_ + 1) * size_) {
    standardise();
    for (std::size_t row = 0; row < targets.rows(); ++row) {
      if (std::isnan(values[row])) continue;
      const auto cell =
          static_cast<std::size_t>(std::ranges::lower_bound(ends, values[row]) - ends.begin());
      add(row, std::span(sums_).subspan((cell + 1) * size_, size_));
    }
    for (std::size_t i = size_; i < sums_.size(); ++i) sums_[i] += sums_[i - size_];
  }

  std::size_t cells() const { return cells_; }
  // Numbers that describe the rows of a leaf.
  double numbers_per_leaf() const {
    return static_cast<double>(targets_.classes > 0 ? targets_.classes - 1 : targets_.outputs);
  }
  double rows(std::size_t begin, std::size_t end) const {
    double out = 0;
    const std::size_t counts = targets_.classes > 0 ? size_ : 1;
    for (std::size_t k = 0; k < counts; ++k) out += of(begin, end, k);
    return out;
  }

  // The largest log-likelihood of the targets in these cells, up to a constant per row: sum n_k log(n_k/n) of
  // classes, and of numbers minus half the squares around the mean, for a variance of 1.
  double log_likelihood(std::size_t begin, std::size_t end) const {
    const double count = rows(begin, end);
    if (!(count > 0)) return 0;
    double out = 0;
    if (targets_.classes > 0) {
      for (std::size_t k = 0; k < size_; ++k)
        if (const double own = of(begin, end, k); own > 0) out += own * std::log(own / count);
      return out;
    }
    for (std::size_t o = 0; o < targets_.outputs; ++o) {
      const double sum = of(begin, end, 1 + 2 * o), squares = of(begin, end, 2 + 2 * o);
      out -= 0.5 * (squares - sum * sum / count);
    }
    return out;
  }

 private:
  double of(std::size_t begin, std::size_t end, std::size_t k) const {
    return sums_[end * size_ + k] - sums_[begin * size_ + k];
  }
  double weight(std::size_t row) const {
    return targets_.weights.empty() ? 1 : targets_.weights[row];
  }

  void standardise() {
    if (targets_.classes > 0) return;
    mean_.assign(targets_.outputs, 0);
    unit_.assign(targets_.outputs, 1);
    for (std::size_t o = 0; o < targets_.outputs; ++o) {
      double count = 0, sum = 0, squares = 0;
      const auto for_each = [&](auto&& visit) {
        for (std::size_t row = 0; row < targets_.rows(); ++row)
          if (const double y = targets_.values[row * targets_.outputs + o]; !std::isnan(y))
            visit(y, weight(row));
      };
      for_each([&](double y, double w) {
        count += w;
        sum += w * y;
      });
      if (!(count > 0)) continue;
      mean_[o] = sum / count;
      for_each([&](double y, double w) { squares += w * (y - mean_[o]) * (y - mean_[o]); });
      if (squares > 0) unit_[o] = std::sqrt(squares / count);
    }
  }

  void add(std::size_t row, std::span<double> to) const {
    const double w = weight(row);
    if (targets_.classes > 0) {
      to[static_cast<std::size_t>(targets_.values[row])] += w;
      return;
    }
    to[0] += w;
    for (std::size_t o = 0; o < targets_.outputs; ++o) {
      const double y = (targets_.values[row * targets_.outputs + o] - mean_[o]) / unit_[o];
      if (std::isnan(y)) continue;
      to[1 + 2 * o] += w * y;
      to[2 + 2 * o] += w * y * y;
    }
  }

  const TargetsToTell& targets_;
  std::size_t size_, cells_;
  std::vector<double> sums_, mean_, unit_;
};

// A run of cells, and the best place to cut it.
struct Leaf {
  std::size_t begin, end;
  double gain = -std::numeric_limits<double>::infinity();
  std::size_t cut = 0;

  Leaf(const Tallies& tallies, const CutLimits& limits, std::size_t first, std::size_t last)
      : begin(first), end(last) {
    const double uncut = tallies.log_likelihood(begin, end);
    for (std::size_t at = begin + 1; at < end; ++at) {
      if (tallies.rows(begin, at) < limits.rows_per_leaf ||
          tallies.rows(at, end) < limits.rows_per_leaf)
        continue;
      const double found =
          tallies.log_likelihood(begin, at) + tallies.log_likelihood(at, end) - uncut;
      if (found > gain) {
        gain = found;
        cut = at;
      }
    }
  }
};

}  // namespace

std::vector<double> supervised_cuts(std::span<const double> values, const TargetsToTell& targets,
                                    const CutLimits& limits) {
  const std::vector<double> ends = cell_ends(values);
  const Tallies tallies(values, targets, ends);
  const double cost =
      0.5 * tallies.numbers_per_leaf() * std::log(std::max(1.0, tallies.rows(0, tallies.cells()))) +
      std::log(static_cast<double>(std::max<std::size_t>(2, tallies.cells())));
  // For numbers: the variance that the leaves leave. The smaller it is, the more a cut tells.
  double variance = 1;
  const double per_row = 2 / (tallies.rows(0, tallies.cells()) * tallies.numbers_per_leaf());
  std::vector<Leaf> leaves{{tallies, limits, 0, tallies.cells()}};
  std::vector<std::size_t> cuts;
  while (leaves.size() < limits.leaves) {
    const auto best = std::ranges::max_element(leaves, {}, &Leaf::gain);
    if (!(best->gain > cost * variance)) break;
    if (targets.classes == 0) variance = std::max(kLeastVariance, variance - best->gain * per_row);
    cuts.push_back(best->cut);
    const Leaf right(tallies, limits, best->cut, best->end);
    *best = Leaf(tallies, limits, best->begin, best->cut);
    leaves.push_back(right);
  }
  std::ranges::sort(cuts);
  std::vector<double> out;
  for (const std::size_t cut : cuts) {
    // Half way to the next number that is there.
    double next = std::numeric_limits<double>::infinity();
    for (const double value : values)
      if (value > ends[cut - 1]) next = std::min(next, value);
    out.push_back(ends[cut - 1] + 0.5 * (next - ends[cut - 1]));
  }
  return out;
}

}  // namespace postrider::internal

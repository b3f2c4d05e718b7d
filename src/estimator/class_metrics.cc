// How well probabilities tell classes apart, with standard errors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "postrider/error.h"
#include "postrider/metrics.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kResamples = 100;  // a standard error within about 7 %
constexpr double kNoMetric = std::numeric_limits<double>::quiet_NaN();
constexpr Estimate kNoEstimate{kNoMetric, kNoMetric};

// For each of `values` the share of `others` below it, ties counting half.
std::vector<double> shares_below(std::span<const double> values, std::span<const double> others) {
  std::vector<double> sorted(others.begin(), others.end());
  std::ranges::sort(sorted);
  std::vector<double> out;
  out.reserve(values.size());
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    out.push_back(
        (static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first)) /
        static_cast<double>(sorted.size()));
  }
  return out;
}

// Rows from the highest score down, and where rows of one score end.
struct Ranking {
  std::vector<std::size_t> order;
  std::vector<bool> ends;

  explicit Ranking(std::span<const double> scores) : order(scores.size()), ends(scores.size()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t row) { return scores[row]; });
    for (std::size_t k = 0; k < order.size(); ++k)
      ends[k] = k + 1 == order.size() || scores[order[k]] != scores[order[k + 1]];
  }
};

// Each row counts so many times.
double precision_over(const Ranking& ranking, const std::vector<bool>& is_of_class,
                      const std::vector<double>& counts) {
  double found = 0, seen = 0, recalled = 0, sum = 0;
  for (std::size_t k = 0; k < ranking.order.size(); ++k) {
    const std::size_t row = ranking.order[k];
    seen += counts[row];
    if (is_of_class[row]) found += counts[row];
    if (!ranking.ends[k] || seen == 0) continue;
    sum += (found - recalled) * found / seen;
    recalled = found;
  }
  return found > 0 ? sum / found : kNoMetric;
}

struct Choices {
  std::vector<std::size_t> chosen;  // the most probable class of each row
  std::size_t classes = 0;
};

Choices choices_of(std::span<const double> probabilities, std::span<const std::size_t> labels) {
  if (labels.empty()) reject("labels", labels.size(), "must hold at least one row");
  if (probabilities.empty() || probabilities.size() % labels.size() != 0)
    reject("probabilities", probabilities.size(),
           "must hold the same number of classes for every label");
  Choices out{{}, probabilities.size() / labels.size()};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] >= out.classes)
      reject("labels", labels[row], "must be below the number of classes");
    const auto of_row = probabilities.subspan(row * out.classes, out.classes);
    out.chosen.push_back(
        static_cast<std::size_t>(std::ranges::max_element(of_row) - of_row.begin()));
  }
  return out;
}

// Hits, with how often the class was chosen, how often it was there, and the sum of both.
void add_decisions(const Choices& choices, std::span<const std::size_t> labels, std::size_t k,
                   ClassMetrics& to) {
  std::vector<double> hits, chosen, there, both, twice;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    chosen.push_back(choices.chosen[row] == k ? 1 : 0);
    there.push_back(labels[row] == k ? 1 : 0);
    hits.push_back(chosen.back() * there.back());
    twice.push_back(2 * hits.back());
    both.push_back(chosen.back() + there.back());
    to.rows += labels[row] == k;
    to.chosen += choices.chosen[row] == k;
  }
  to.precision = ratio_estimate(hits, chosen);
  to.recall = ratio_estimate(hits, there);
  to.f1 = ratio_estimate(twice, both);
}

void add_curves(std::span<const double> probabilities, std::span<const std::size_t> labels,
                std::size_t classes, std::size_t k, ClassMetrics& to) {
  std::vector<double> scores, lower, higher;
  std::vector<bool> is_of_class;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    scores.push_back(probabilities[row * classes + k]);
    is_of_class.push_back(labels[row] == k);
    (is_of_class.back() ? higher : lower).push_back(scores.back());
  }
  to.area_under_curve =
      lower.empty() || higher.empty() ? kNoEstimate : area_under_curve_estimate(lower, higher);
  to.average_precision = average_precision(scores, is_of_class);
}

}  // namespace

// With v the share of lower values below each higher one, and w the share of higher values above each lower one:
// variance = var(v)/#higher + var(w)/#lower.
Estimate area_under_curve_estimate(std::span<const double> lower, std::span<const double> higher) {
  if (lower.empty()) reject("lower", lower.size(), "must hold at least one value");
  if (higher.empty()) reject("higher", higher.size(), "must hold at least one value");
  const Estimate of_higher = mean_estimate(shares_below(higher, lower));
  const Estimate of_lower = mean_estimate(shares_below(lower, higher));
  return {of_higher.value, std::hypot(of_higher.standard_error, of_lower.standard_error)};
}

Estimate average_precision(std::span<const double> scores, const std::vector<bool>& is_of_class,
                           std::uint64_t seed) {
  if (scores.empty()) reject("scores", scores.size(), "must hold at least one row");
  if (is_of_class.size() != scores.size())
    reject("is_of_class", is_of_class.size(), "must be as many as the scores");
  const Ranking ranking(scores);
  const double value =
      precision_over(ranking, is_of_class, std::vector<double>(scores.size(), 1.0));
  if (std::isnan(value)) return kNoEstimate;
  RandomStream random(seed, 0);
  std::vector<double> drawn;
  for (std::size_t k = 0; k < kResamples; ++k) {
    std::vector<double> counts(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) ++counts[random.below(scores.size())];
    const double again = precision_over(ranking, is_of_class, counts);
    if (!std::isnan(again)) drawn.push_back(again);
  }
  const double spread = drawn.empty() ? kNoMetric
                                      : mean_estimate(drawn).standard_error *
                                            std::sqrt(static_cast<double>(drawn.size()));
  return {value, spread};
}

Estimate brier_score(std::span<const double> probabilities, std::span<const std::size_t> labels) {
  const std::size_t classes = choices_of(probabilities, labels).classes;
  std::vector<double> terms;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double miss = probabilities[row * classes + k] - (k == labels[row] ? 1 : 0);
      sum += miss * miss;
    }
    terms.push_back(sum);
  }
  return mean_estimate(terms);
}

std::vector<ClassMetrics> class_metrics(std::span<const double> probabilities,
                                        std::span<const std::size_t> labels) {
  const Choices choices = choices_of(probabilities, labels);
  std::vector<ClassMetrics> out(choices.classes);
  for (std::size_t k = 0; k < choices.classes; ++k) {
    add_decisions(choices, labels, k, out[k]);
    add_curves(probabilities, labels, choices.classes, k, out[k]);
  }
  return out;
}

}  // namespace postrider

#include "estimator/stream_bank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "postrider/error.h"

namespace postrider {
namespace {

// Forgetting, and the walk of the outputs' biases.
constexpr std::array<DriftRate, 8> kRates{
    {{0, 0}, {1e-4, 1e-3}, {1e-3, 0}, {1e-4, 0}, {1e-4, 1e-1}, {3e-4, 0}, {0, 1e-4}, {1e-4, 1e-2}}};

// The logarithm of the mean density of those members that drift at this rate.
double log_density_of(std::span<const StreamOutcome> outcomes, std::size_t rate, std::size_t rates,
                      std::size_t row) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  std::size_t count = 0;
  for (std::size_t m = rate; m < outcomes.size(); m += rates, ++count)
    largest = std::max(largest, outcomes[m].scores.by_row[row]);
  if (!std::isfinite(largest)) return largest;
  for (std::size_t m = rate; m < outcomes.size(); m += rates)
    sum += std::exp(outcomes[m].scores.by_row[row] - largest);
  return largest + std::log(sum / static_cast<double>(count));
}

}  // namespace

std::span<const DriftRate> drift_rates(bool drifts) {
  return std::span(kRates).first(drifts ? kRates.size() : 1);
}

StreamBank::StreamBank(std::size_t members, bool drifts)
    : bank_(std::min(members, drift_rates(drifts).size())) {}

StreamBank::StreamBank(std::vector<double> weights, const std::vector<double>& watch)
    : bank_(std::move(weights)), watch_(ChangeWatch::of(watch)) {
  if (rates() > kRates.size()) reject("weights", rates(), "must not be more than there are rates");
}

void StreamBank::observe(std::span<const StreamOutcome> outcomes,
                         std::span<const double> sample_weights, std::size_t horizon,
                         StreamReport& report) {
  const StreamScores& first = outcomes.front().scores;
  std::vector<double> log_densities(rates());
  double sum = 0, of_block = 0;
  std::size_t in_block = 0;
  const auto end_block = [&] {
    if (in_block == 0) return;
    const double mean = of_block / static_cast<double>(in_block);
    if (const std::optional<Change> found = watch_.observe(mean, in_block))
      report.changes.push_back({found->began, found->found, found->strength});
    of_block = 0;
    in_block = 0;
  };
  for (std::size_t row = 0; row < first.by_row.size(); ++row) {
    if (row % horizon == 0) end_block();
    if (std::isnan(first.by_row[row])) continue;
    for (std::size_t k = 0; k < rates(); ++k)
      log_densities[k] = log_density_of(outcomes, k, rates(), row);
    const double weight = sample_weights.empty() ? 1 : sample_weights[row];
    const double mixed = bank_.observe(log_densities, weight / static_cast<double>(horizon));
    sum += weight * mixed;
    of_block += mixed;
    ++in_block;
  }
  end_block();
  if (outcomes.size() > 1) report.score = first.count > 0 ? sum / first.count : 0;
  for (std::size_t k = 0; k < rates(); ++k) report.rates.push_back({kRates[k], bank_.weights()[k]});
}

// Each member of a rate has the same part of its weight.
void StreamBank::share_out(std::vector<Member>& members) const {
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t rate = m % rates(), alike = (members.size() - rate - 1) / rates() + 1;
    members[m].share = rates() == 1 ? 1 : bank_.weights()[rate] / static_cast<double>(alike);
  }
}

}  // namespace postrider

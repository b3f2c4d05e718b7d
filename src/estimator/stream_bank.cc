#include "estimator/stream_bank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Forgetting, and the walk of the outputs' biases.
constexpr std::array<StreamReport::DriftRate, 8> kRates{
    {{0, 0}, {1e-4, 1e-3}, {1e-3, 0}, {1e-4, 0}, {1e-4, 1e-1}, {3e-4, 0}, {0, 1e-4}, {1e-4, 1e-2}}};

constexpr StreamReport::DriftRate kForgettingOfWindows{1e-4, 0};

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

std::vector<StreamKind> stream_kinds(bool drifts, bool windows) {
  std::vector<StreamKind> out;
  if (windows) out.push_back({kRates[0], true});
  if (windows && drifts) out.push_back({kForgettingOfWindows, true});
  if (windows && !drifts) return out;
  for (const StreamReport::DriftRate& rate : std::span(kRates).first(drifts ? kRates.size() : 1))
    out.push_back({rate});
  return out;
}

std::vector<StreamKind> kinds_of_members(const EstimatorOptions& options) {
  return stream_kinds(options.drift, options.training.stream_memory > 0);
}

StreamBank::StreamBank(std::size_t members, std::vector<StreamKind> kinds)
    : kinds_(std::move(kinds)), bank_(std::min(members, kinds_.size())) {
  kinds_.resize(bank_.size());
}

StreamBank::StreamBank(std::vector<double> weights, const std::vector<double>& watch,
                       std::vector<StreamKind> kinds)
    : kinds_(std::move(kinds)), bank_(std::move(weights)), watch_(ChangeWatch::of(watch)) {
  if (bank_.size() > kinds_.size())
    reject("weights", bank_.size(), "must not be more than there are kinds of members");
  kinds_.resize(bank_.size());
}

std::vector<double> StreamBank::observe(std::span<const StreamOutcome> outcomes,
                                        std::span<const double> sample_weights, std::size_t horizon,
                                        StreamReport& report) {
  const StreamScores& first = outcomes.front().scores;
  std::vector<double> log_densities(kinds_.size());
  double sum = 0, of_block = 0;
  std::size_t in_block = 0;
  std::vector<double> shares;
  shares.reserve(first.by_row.size() * outcomes.size());
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
    for (std::size_t m = 0; m < outcomes.size(); ++m)
      shares.push_back(share_of(m, outcomes.size()));
    if (std::isnan(first.by_row[row])) continue;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      log_densities[k] = log_density_of(outcomes, k, kinds_.size(), row);
    const double weight = sample_weights.empty() ? 1 : sample_weights[row];
    const double mixed = bank_.observe(log_densities, weight / static_cast<double>(horizon));
    sum += weight * mixed;
    of_block += mixed;
    ++in_block;
  }
  end_block();
  if (outcomes.size() > 1) report.score = first.count > 0 ? sum / first.count : 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    report.rates.push_back({kinds_[k].rate, bank_.weights()[k], kinds_[k].has_window});
  return shares;
}

// Each member of a rate has the same part of its weight.
double StreamBank::share_of(std::size_t m, std::size_t members) const {
  const std::size_t kinds = kinds_.size();
  if (kinds == 1) return 1;
  const std::size_t kind = m % kinds, alike = (members - kind - 1) / kinds + 1;
  return bank_.weights()[kind] / static_cast<double>(alike);
}

void StreamBank::share_out(std::vector<Member>& members) const {
  for (std::size_t m = 0; m < members.size(); ++m) members[m].share = share_of(m, members.size());
}

}  // namespace postrider::internal

#include "sparse/lanes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace postrider::internal::hashed {
namespace {

constexpr double kLeastPrior = 0.01;
constexpr double kForgotten = 1e-3;

}  // namespace

Bank Bank::usual() {
  Bank out;
  out.lanes = kMostLanes;
  for (std::size_t k = 0; k < kMostLanes; ++k)
    out.prior[k] = kLeastPrior * std::pow(10.0, 0.5 * static_cast<double>(k));
  return out;
}

Bank Bank::drifting() {
  constexpr double kPriors[] = {0.3, 3}, kRates[] = {0, 1e-4, 1e-3, 1e-2};
  Bank out;
  for (const double rate : kRates)
    for (const double prior : kPriors) {
      out.prior[out.lanes] = prior;
      out.drift[out.lanes++] = rate;
    }
  out.forgotten = kForgotten;
  return out;
}

PerLane Bank::shares() const {
  const double best =
      *std::max_element(log_score.begin(), log_score.begin() + static_cast<std::ptrdiff_t>(lanes));
  PerLane out{};
  double sum = 0;
  for (std::size_t k = 0; k < lanes; ++k) sum += out[k] = std::exp(log_score[k] - best);
  for (double& share : out) share /= sum;
  return out;
}

double Bank::mixed(const PerLane& shares, const PerLane& log_z) const {
  const double best =
      *std::max_element(log_z.begin(), log_z.begin() + static_cast<std::ptrdiff_t>(lanes));
  double sum = 0;
  for (std::size_t k = 0; k < lanes; ++k) sum += shares[k] * std::exp(log_z[k] - best);
  return best + std::log(sum);
}

void Bank::add(const PerLane& log_z, double weight) {
  for (std::size_t k = 0; k < lanes; ++k)
    log_score[k] = (1 - forgotten) * log_score[k] + weight * log_z[k];
}

std::vector<std::size_t> Bank::lanes_worth_keeping(double share, std::size_t most) const {
  const PerLane all = shares();
  std::vector<std::size_t> order(lanes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all[a] > all[b]; });
  const auto left_out = [&](std::size_t kept) {
    double sum = 0;
    for (std::size_t k = kept; k < lanes; ++k) sum += all[order[k]];
    return sum;
  };
  std::size_t count = 1;
  while (2 * count <= std::min(most, lanes) && left_out(count) >= share) count *= 2;
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

void Bank::keep(std::span<const std::size_t> kept) {
  prior = kept_of(prior, kept);
  log_score = kept_of(log_score, kept);
  drift = kept_of(drift, kept);
  lanes = kept.size();
}

PerLane kept_of(const PerLane& values, std::span<const std::size_t> kept) {
  PerLane out{};
  for (std::size_t k = 0; k < kept.size(); ++k) out[k] = values[kept[k]];
  return out;
}

}  // namespace postrider::internal::hashed

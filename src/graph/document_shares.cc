#include "graph/document_shares.h"

#include <algorithm>
#include <cmath>

#include "factor/dirichlet.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kShareSweeps = 200;
// In which changes may grow, since not all cavities are proper yet.
constexpr std::size_t kFirstSweeps = 8;
constexpr double kSharesSettled = 1e-7;   // of all parameters together
constexpr double kLeastShareStep = 1e-2;  // shorter ones are left out
constexpr double kLeastLeft = 1e-6;       // of a parameter, that a step leaves

}  // namespace

std::span<const double> DocumentShares::infer(std::span<const double> likelihoods,
                                              std::span<const double> numbers) {
  const std::size_t topics = prior_.size();
  std::ranges::copy(prior_, belief_.begin());
  messages_.assign(likelihoods.size(), 0.0);
  for (auto* each : {&cavity_, &chances_, &wanted_, &next_}) each->resize(topics);
  // Soft counts are where it starts: proper, and near.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::span message = std::span(messages_).subspan(i * topics, topics);
    symbol_chances(prior_, likelihoods.subspan(i * topics, topics), message);
    for (std::size_t k = 0; k < topics; ++k) belief_[k] += numbers[i] * message[k];
  }
  step_ = 1;
  double before = 0;
  for (std::size_t n = 0; n < kShareSweeps; ++n) {
    const double change = sweep(likelihoods, numbers);
    if (change <= kSharesSettled) break;
    if (n >= kFirstSweeps && change > before) step_ = std::max(0.5 * step_, 10 * kLeastShareStep);
    before = change;
  }
  return belief_;
}

double DocumentShares::sweep(std::span<const double> likelihoods, std::span<const double> numbers) {
  const std::size_t topics = prior_.size();
  double change = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    const std::span message = std::span(messages_).subspan(i * topics, topics);
    const double own = std::min(numbers[i], 1.0);
    bool is_proper = true;
    for (std::size_t k = 0; k < topics; ++k) {
      cavity_[k] = belief_[k] - own * message[k];
      is_proper = is_proper && cavity_[k] > 0;
    }
    if (!is_proper) continue;
    const std::span of_entry = likelihoods.subspan(i * topics, topics);
    if (!(symbol_chances(cavity_, of_entry, chances_) > 0)) continue;
    project_symbol(cavity_, chances_, wanted_);
    for (std::size_t k = 0; k < topics; ++k) wanted_[k] -= cavity_[k];
    change = std::max(change, move(message, numbers[i]));
  }
  return change;
}

double DocumentShares::move(std::span<double> message, double number) {
  for (double step = step_; step >= kLeastShareStep; step *= 0.5) {
    bool is_proper = true;
    double change = 0, total = 0;
    for (std::size_t k = 0; k < message.size(); ++k) {
      const double by = step * number * (wanted_[k] - message[k]);
      next_[k] = belief_[k] + by;
      is_proper = is_proper && next_[k] > kLeastLeft * belief_[k];
      change = std::max(change, std::abs(by));
      total += belief_[k];
    }
    if (!is_proper) continue;
    for (std::size_t k = 0; k < message.size(); ++k) message[k] += step * (wanted_[k] - message[k]);
    std::ranges::copy(next_, belief_.begin());
    return change / total;
  }
  return 0;
}

}  // namespace postrider::internal

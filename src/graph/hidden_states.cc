#include "postrider/graph/hidden_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "postrider/error.h"

namespace postrider::graph {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-9;  // by which a sum of probabilities may miss 1

void check_distribution(std::string_view field, std::span<const double> values) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(values[k] >= 0 && values[k] <= 1 + kRounding))
      reject(fmt::format("{}[{}]", field, k), values[k], "must be a probability");
    sum += values[k];
  }
  if (!(std::abs(sum - 1) <= kRounding))
    reject(fmt::format("the sum of {}", field), sum, "must be 1");
}

void check_states(const HiddenStates& states) {
  const std::size_t count = states.initial.size();
  if (count == 0) throw InvalidArgument("initial: there must be at least one state");
  if (states.transition.size() != count * count)
    reject("transition", states.transition.size(),
           fmt::format("must be {} probabilities, {} rows", count * count, count));
  if (states.log_likelihoods.size() % count != 0)
    reject("log_likelihoods", states.log_likelihoods.size(),
           fmt::format("must be {} numbers for each step", count));
  check_distribution("initial", states.initial);
  for (std::size_t row = 0; row < count; ++row)
    check_distribution(fmt::format("transition[{}]", row),
                       states.transition.subspan(row * count, count));
  for (std::size_t i = 0; i < states.log_likelihoods.size(); ++i)
    if (std::isnan(states.log_likelihoods[i]) ||
        states.log_likelihoods[i] > std::numeric_limits<double>::max())
      reject(fmt::format("log_likelihoods[{}]", i), states.log_likelihoods[i],
             "must be finite or minus infinity");
}

// The likelihoods of a step in units of its largest, whose logarithm is returned.
double scaled_likelihoods(std::span<const double> log_likelihoods, std::span<double> out) {
  const double top = *std::ranges::max_element(log_likelihoods);
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = top == kLowest ? 0 : std::exp(log_likelihoods[k] - top);
  return top;
}

// Divides by the sum, which is returned.
double normalise(std::span<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  if (sum > 0)
    for (double& value : values) value /= sum;
  return sum;
}

class Chain {
 public:
  explicit Chain(const HiddenStates& states)
      : states_(states),
        count_(states.initial.size()),
        steps_(states.log_likelihoods.size() / count_) {}

  StateBeliefs beliefs() {
    StateBeliefs out;
    if (!forwards(out.log_evidence)) return out;
    backwards();
    out.most_probable_path = path();
    out.probabilities = std::move(forward_);
    return out;
  }

 private:
  std::span<const double> seen(std::size_t t) const {
    return states_.log_likelihoods.subspan(t * count_, count_);
  }
  std::span<double> at(std::size_t t) { return std::span(forward_).subspan(t * count_, count_); }
  double moves(std::size_t from, std::size_t to) const {
    return states_.transition[from * count_ + to];
  }

  // a_t(k) ~ p(s_t = k, all seen up to t), scaled to sum 1; the scales are the evidence.
  bool forwards(double& log_evidence) {
    forward_.assign(steps_ * count_, 0.0);
    std::vector<double> likelihoods(count_);
    log_evidence = 0;
    for (std::size_t t = 0; t < steps_; ++t) {
      const double top = scaled_likelihoods(seen(t), likelihoods);
      for (std::size_t k = 0; k < count_; ++k) {
        double before = t == 0 ? states_.initial[k] : 0;
        if (t > 0)
          for (std::size_t j = 0; j < count_; ++j) before += at(t - 1)[j] * moves(j, k);
        at(t)[k] = before * likelihoods[k];
      }
      const double sum = normalise(at(t));
      log_evidence += sum > 0 ? top + std::log(sum) : kLowest;
      if (!(sum > 0)) return false;
    }
    return true;
  }

  // p(s_t = j | all) = sum_k p(s_(t+1) = k | all) a_t(j) P(j, k)/sum_i a_t(i) P(i, k): no likelihood is needed again, and nothing underflows.
  void backwards() {
    std::vector<double> smoothed(count_);
    for (std::size_t t = steps_; t-- > 1;) {
      std::ranges::fill(smoothed, 0.0);
      for (std::size_t k = 0; k < count_; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < count_; ++j) sum += at(t - 1)[j] * moves(j, k);
        if (!(sum > 0)) continue;
        const double share = at(t)[k] / sum;
        for (std::size_t j = 0; j < count_; ++j) smoothed[j] += share * at(t - 1)[j] * moves(j, k);
      }
      std::ranges::copy(smoothed, at(t - 1).begin());
      normalise(at(t - 1));
    }
  }

  // Viterbi's algorithm.
  std::vector<std::size_t> path() const {
    std::vector<double> best(count_), next(count_);
    std::vector<std::size_t> from(steps_ * count_, 0), out(steps_);
    if (steps_ == 0) return out;
    for (std::size_t k = 0; k < count_; ++k) best[k] = std::log(states_.initial[k]) + seen(0)[k];
    for (std::size_t t = 1; t < steps_; ++t) {
      for (std::size_t k = 0; k < count_; ++k) {
        next[k] = kLowest;
        for (std::size_t j = 0; j < count_; ++j) {
          const double through = best[j] + std::log(moves(j, k));
          if (through > next[k]) next[k] = through, from[t * count_ + k] = j;
        }
        next[k] += seen(t)[k];
      }
      best = next;
    }
    out.back() = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
    for (std::size_t t = steps_ - 1; t > 0; --t) out[t - 1] = from[t * count_ + out[t]];
    return out;
  }

  const HiddenStates& states_;
  std::size_t count_, steps_;
  std::vector<double> forward_;  // step by step; in the end what all that was seen says
};

}  // namespace

StateBeliefs state_beliefs(const HiddenStates& states) {
  check_states(states);
  return Chain(states).beliefs();
}

}  // namespace postrider::graph

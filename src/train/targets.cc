#include "train/targets.h"

#include <algorithm>
#include <cmath>

#include "postrider/error.h"
#include "train/groups.h"

namespace postrider::internal {

void expect_weights(std::span<const double> weights, std::size_t rows) {
  if (!weights.empty() && weights.size() != rows)
    reject("weights", weights.size(), "must be one for each row, or none");
  for (const double weight : weights)
    if (!(weight > 0 && weight <= kMostWeight))
      reject("weights", weight,
             "must be numbers above 0 and at most 100; leave out rows that do not count");
}

void Assessment::add(const Assessment& more) {
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const double all = count + more.count;
  if (all > 0) score = (score * count + more.score * more.count) / all;
  count = all;
  squares += more.squares;
  evidence.outputs.resize(std::max(evidence.outputs.size(), more.evidence.outputs.size()));
  for (std::size_t o = 0; o < more.evidence.outputs.size(); ++o) {
    append(evidence.outputs[o].squared_residuals, more.evidence.outputs[o].squared_residuals);
    append(evidence.outputs[o].variances, more.evidence.outputs[o].variances);
    append(evidence.outputs[o].weights, more.evidence.outputs[o].weights);
  }
  append(evidence.slopes, more.evidence.slopes);
  append(evidence.slope_weights, more.evidence.slope_weights);
  append(evidence.levels, more.evidence.levels);
}

double Assessment::standard_error() const {
  if (!(count > 0)) return 0;
  return std::sqrt(std::max(0.0, squares / count - score * score) / count);
}

template <class T>
Assessment Targets<T>::assess_all(const Predictions<const T>& predicted,
                                  const std::vector<double>& noise) const {
  return assess(predicted, noise, counted(values_.size() / per_row()));
}

template <class T>
void Targets<T>::load(std::span<const double> targets, std::size_t rows,
                      std::span<const double> weights) {
  if (targets.size() != rows * per_row()) reject("targets", targets.size(), accepted_count());
  expect_weights(weights, rows);
  weights_.assign(weights.begin(), weights.end());
  values_.clear();
  values_.reserve(targets.size());
  for (const double target : targets) {
    expect_sense(target);
    values_.push_back(static_cast<T>(target));
  }
  loaded();
}

template <class T>
std::unique_ptr<Targets<T>> make_targets(network::Likelihood likelihood, std::size_t outputs) {
  switch (likelihood) {
    case network::Likelihood::classes:
      return make_class_targets<T>(outputs);
    case network::Likelihood::varying_noise:
      return make_varying_noise_targets<T>(outputs);
    case network::Likelihood::gaussian:
      break;
  }
  return make_gaussian_targets<T>(outputs);
}

template class Targets<float>;
template class Targets<double>;
template std::unique_ptr<Targets<float>> make_targets(network::Likelihood, std::size_t);
template std::unique_ptr<Targets<double>> make_targets(network::Likelihood, std::size_t);

}  // namespace postrider::internal

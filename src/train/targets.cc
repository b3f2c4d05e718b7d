#include "train/targets.h"

#include <cmath>

#include "postrider/error.h"

namespace postrider {

void expect_weights(std::span<const double> weights, std::size_t rows) {
  if (!weights.empty() && weights.size() != rows)
    reject("weights", weights.size(), "must be one for each row, or none");
  for (const double weight : weights)
    if (!(weight > 0 && weight <= kMostWeight))
      reject("weights", weight,
             "must be numbers above 0 and at most 100; leave out rows that do not count");
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
std::unique_ptr<Targets<T>> make_targets(Likelihood likelihood, std::size_t outputs) {
  switch (likelihood) {
    case Likelihood::classes:
      return make_class_targets<T>(outputs);
    case Likelihood::varying_noise:
      return make_varying_noise_targets<T>(outputs);
    case Likelihood::gaussian:
      break;
  }
  return make_gaussian_targets<T>(outputs);
}

template class Targets<float>;
template class Targets<double>;
template std::unique_ptr<Targets<float>> make_targets(Likelihood, std::size_t);
template std::unique_ptr<Targets<double>> make_targets(Likelihood, std::size_t);

}  // namespace postrider

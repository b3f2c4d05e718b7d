#include "train/targets.h"

#include "postrider/error.h"

namespace postrider {

template <class T>
void Targets<T>::load(std::span<const double> targets, std::size_t rows) {
  if (targets.size() != rows * per_row()) reject("targets", targets.size(), accepted_count());
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

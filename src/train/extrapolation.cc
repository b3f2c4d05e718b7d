#include "train/extrapolation.h"

namespace postrider::internal {

template <class T>
Extrapolation<T>::Extrapolation(const WeightMessages<T>& prior, std::size_t networks)
    : networks_(networks), means_(prior.size()), message_(prior.size()) {
  for (std::size_t i = 0; i < means_.size(); ++i) means_[i] = prior.tau[i] / prior.rho[i];
}

template <class T>
void Extrapolation<T>::put_in(std::span<const double> shares, WeightMessages<T>& belief) {
  for (std::size_t first = 0; first < means_.size(); first += networks_)
    for (std::size_t n = 0; n < networks_; ++n) {
      const std::size_t i = first + n;
      const T mean = belief.tau[i] / belief.rho[i];
      message_[i] = static_cast<T>(shares[n]) * belief.rho[i] * (mean - means_[i]);
      means_[i] = mean;
      belief.tau[i] += message_[i];
    }
}

template <class T>
void Extrapolation<T>::take_out(WeightMessages<T>& belief) {
  for (std::size_t i = 0; i < message_.size(); ++i) belief.tau[i] -= message_[i];
}

template class Extrapolation<float>;
template class Extrapolation<double>;

}  // namespace postrider::internal

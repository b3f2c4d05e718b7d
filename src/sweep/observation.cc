#include "sweep/observation.h"

namespace postrider::internal {

template <class T>
PackObserved Observation<T>::observe_pack(const PackRow<T>& row, const OutputBack<T>& back) {
  const std::size_t outputs = row.outputs(), targets = row.targets.size() / kPack,
                    noises = row.noise_variance.size() / kPack;
  of_a_lane_.resize(5 * outputs + targets + noises);
  std::span<T> rest = of_a_lane_;
  const auto take = [&](std::size_t count) {
    const std::span<T> out = rest.first(count);
    rest = rest.subspan(count);
    return out;
  };
  const std::span<T> mean = take(outputs), variance = take(outputs), target = take(targets),
                     noise = take(noises);
  const std::span<T> shift = take(outputs), spread = take(outputs), least = take(outputs);
  PackObserved out;
  for (std::size_t lane = 0; lane < kPack; ++lane) {
    const auto gather = [&](std::span<const T> pack, std::span<T> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = pack[i * kPack + lane];
    };
    const auto scatter = [&](std::span<const T> from, std::span<T> pack) {
      for (std::size_t i = 0; i < from.size(); ++i) pack[i * kPack + lane] = from[i];
    };
    gather(row.mean, mean);
    gather(row.variance, variance);
    gather(row.targets, target);
    gather(row.noise_variance, noise);
    SweepRecord record;
    out.observed[lane] = observe({mean, variance, target, noise}, {shift, spread, least}, record);
    out.guarded[lane] = record.guarded;
    scatter(shift, back.shift);
    scatter(spread, back.spread);
    scatter(least, back.least);
  }
  return out;
}

template class Observation<float>;
template class Observation<double>;

}  // namespace postrider::internal

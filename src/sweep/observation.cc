#include "sweep/observation.h"

#include <vector>

namespace postrider {
namespace {

// The numbers of one network out of a pack's.
template <class T>
std::vector<T> lane_of(std::span<const T> pack, std::size_t lane) {
  std::vector<T> out(pack.size() / kPack);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = pack[i * kPack + lane];
  return out;
}

}  // namespace

template <class T>
PackObserved Observation<T>::observe_pack(const PackRow<T>& row, const OutputBack<T>& back) {
  PackObserved out;
  const std::size_t outputs = row.outputs();
  std::vector<T> shift(outputs), spread(outputs), least(outputs);
  for (std::size_t lane = 0; lane < kPack; ++lane) {
    SweepRecord record;
    out.observed[lane] = observe({lane_of(row.mean, lane), lane_of(row.variance, lane),
                                  lane_of(row.targets, lane), lane_of(row.noise_variance, lane)},
                                 {shift, spread, least}, record);
    out.guarded[lane] = record.guarded;
    for (std::size_t k = 0; k < outputs; ++k) {
      back.shift[k * kPack + lane] = shift[k];
      back.spread[k * kPack + lane] = spread[k];
      back.least[k * kPack + lane] = least[k];
    }
  }
  return out;
}

template class Observation<float>;
template class Observation<double>;

}  // namespace postrider

#include "train/left_out.h"

#include "base/check.h"
#include "sweep/workspace.h"

namespace postrider::internal {

template <class T>
Observed LeftOutObservation<T>::observe_left_out(const OutputRow<T>& row) {
  const std::size_t outputs = row.mean.size();
  for (std::vector<T>* array : {&shift_, &spread_, &least_}) array->resize(outputs);
  SweepRecord uncounted;
  const Observed out = of_.observe(row, {shift_, spread_, least_}, uncounted);
  for (std::size_t k = of_.first_left_out_output(outputs); k < outputs; ++k) {
    means_.push_back(row.mean[k] + shift_[k]);
    variances_.push_back(least_[k]);
  }
  return out;
}

template <class T>
Observed LeftOutObservation<T>::observe(const OutputRow<T>& row, const OutputBack<T>& back,
                                        SweepRecord& record) {
  const Observed out = of_.observe(row, back, record);
  const std::size_t outputs = row.mean.size();
  for (std::size_t k = of_.first_left_out_output(outputs); k < outputs; ++k, ++next_) {
    check(next_ < means_.size(), "rows are learned in the order in which they were left out");
    const bool informed = variances_[next_] < static_cast<T>(kVague);
    back.shift[k] = informed ? means_[next_] - row.mean[k] : T{0};
    back.least[k] = variances_[next_];
    back.spread[k] = informed ? variances_[next_] + row.variance[k] : static_cast<T>(kVague);
  }
  return out;
}

template class LeftOutObservation<float>;
template class LeftOutObservation<double>;

}  // namespace postrider::internal

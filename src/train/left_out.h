// What targets say where nothing of their rows is known, kept while the rows are learned with damping.
#pragma once

#include <cstddef>
#include <vector>

#include "sweep/observation.h"

namespace postrider::internal {

// Stands in for another observation. Rows are first shown as they are predicted without all that their
// group said; then, when they are learned in the same order, the outputs from first_left_out_output() on
// hear what was said of them there.
template <class T>
class LeftOutObservation : public Observation<T> {
 public:
  // It must outlive this.
  explicit LeftOutObservation(Observation<T>& of) : of_(of) {}

  std::size_t targets_per_row() const override { return of_.targets_per_row(); }
  // Observes the next row, by predictions without its group.
  Observed observe_left_out(const OutputRow<T>& row);
  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& record) override;

 private:
  Observation<T>& of_;
  std::vector<T> means_, variances_;       // of what came back to these outputs, row by row
  std::vector<T> shift_, spread_, least_;  // what an observation writes
  std::size_t next_ = 0;                   // of the kept numbers
};

extern template class LeftOutObservation<float>;
extern template class LeftOutObservation<double>;

}  // namespace postrider::internal

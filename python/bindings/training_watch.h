// What Python sees and does while the library trains without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "postrider/table_model.h"

namespace postrider::python {

// After each epoch or chunk: the user's function is called with a dictionary, and ends training by
// returning False; Ctrl-C ends it, too, and what was learned is kept.
class TrainingWatch {
 public:
  explicit TrainingWatch(nanobind::object progress) : progress_(std::move(progress)) {}

  bool interrupted() const { return interrupted_; }
  bool after(const EpochReport& report);
  bool after(const StreamProgress& report);

 private:
  bool goes_on(const nanobind::dict& report);

  nanobind::object progress_;
  bool interrupted_ = false;
};

}  // namespace postrider::python

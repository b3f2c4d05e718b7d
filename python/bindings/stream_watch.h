// What Python sees and does while the library learns a stream without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "postrider/table_model.h"

namespace postrider::python {

// After each chunk the user's function is called, and ends learning by returning False; Ctrl-C ends
// it, too, and what was learned is kept.
class StreamWatch {
 public:
  explicit StreamWatch(nanobind::object progress) : progress_(std::move(progress)) {}

  bool interrupted() const { return interrupted_; }
  bool after(const TableModel::StreamProgress& report);

 private:
  nanobind::object progress_;
  bool interrupted_ = false;
};

}  // namespace postrider::python

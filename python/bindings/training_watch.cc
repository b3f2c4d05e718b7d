#include "training_watch.h"

namespace postrider::python {
namespace nb = nanobind;

bool TrainingWatch::after(const EpochReport& report) {
  const nb::gil_scoped_acquire acquired;
  nb::dict out;
  out["epoch"] = report.epoch;
  out["member"] = report.member;
  out["members"] = report.members;
  out["score"] = report.score;
  out["best_epoch"] = report.best_epoch;
  out["seconds"] = report.seconds;
  return goes_on(out);
}

bool TrainingWatch::after(const StreamProgress& report) {
  const nb::gil_scoped_acquire acquired;
  nb::dict out;
  out["rows"] = report.rows;
  out["bytes"] = report.bytes_read;
  out["seconds"] = report.seconds;
  return goes_on(out);
}

bool TrainingWatch::goes_on(const nb::dict& report) {
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return progress_.is_none() || !progress_(report).is(nb::handle(Py_False));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted_ = true;
    return false;
  }
}

}  // namespace postrider::python

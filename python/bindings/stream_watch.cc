#include "stream_watch.h"

namespace postrider::python {
namespace nb = nanobind;

bool StreamWatch::after(const TableModel::StreamProgress& report) {
  const nb::gil_scoped_acquire acquired;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return progress_.is_none() || !progress_(nb::cast(report)).is(nb::handle(Py_False));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted_ = true;
    return false;
  }
}

}  // namespace postrider::python

// The extension module: each part of the library adds what it offers.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "postrider/version.h"

NB_MODULE(_core, m) {
  m.doc() = "Postrider's C++ library. Import postrider; this is its inside.";
  m.def(
      "version", [] { return postrider::kVersion; }, "The version of the library.");
  postrider::python::add_errors(m);
  postrider::python::add_training(m);
  postrider::python::add_regressor(m);
  postrider::python::add_classifier(m);
  postrider::python::add_arrow(m);
  postrider::python::add_tables(m);
}

// The extension module: each part of the library adds what it offers.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "postrider/version.h"

NB_MODULE(_core, m) {
  // What other modules still hold when Python ends is no business of the user's.
  nanobind::set_leak_warnings(false);
  m.doc() = "Postrider's C++ library. Import postrider; this is its inside.";
  m.def(
      "version", [] { return postrider::kVersion; }, "The version of the library.");
  postrider::python::add_errors(m);
  postrider::python::add_files(m);
  postrider::python::add_budget(m);
  postrider::python::add_gaussian(m);
  postrider::python::add_factor(m);
  postrider::python::add_graph(m);
  postrider::python::add_conjugate(m);
  postrider::python::add_plate_model(m);
  postrider::python::add_skill_rating(m);
  postrider::python::add_skill_history(m);
  postrider::python::add_sparse_model(m);
  postrider::python::add_sparse_shards(m);
  postrider::python::add_training(m);
  postrider::python::add_history(m);
  postrider::python::add_estimator_options(m);
  postrider::python::add_function_draw(m);
  postrider::python::add_regressor(m);
  postrider::python::add_classifier(m);
  postrider::python::add_fleet(m);
  postrider::python::add_distributed(m);
  postrider::python::add_arrow(m);
  postrider::python::add_evaluation(m);
  postrider::python::add_tables(m);
  postrider::python::add_frames(m);
  postrider::python::add_explain(m);
  postrider::python::add_row_watch(m);
}

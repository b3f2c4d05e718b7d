// What each file of this folder adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace postrider::python {

void add_arrow(nanobind::module_& m);
void add_budget(nanobind::module_& m);
void add_distributed(nanobind::module_& m);
void add_errors(nanobind::module_& m);
void add_estimator_options(nanobind::module_& m);
void add_evaluation(nanobind::module_& m);  // before the tables
void add_explain(nanobind::module_& m);     // after the tables
void add_factor(nanobind::module_& m);
void add_files(nanobind::module_& m);
void add_fleet(nanobind::module_& m);
void add_function_draw(nanobind::module_& m);
void add_gaussian(nanobind::module_& m);
void add_graph(nanobind::module_& m);
void add_conjugate(nanobind::module_& m);
void add_plate_model(nanobind::module_& m);
void add_history(nanobind::module_& m);
void add_skill_history(nanobind::module_& m);
void add_skill_rating(nanobind::module_& m);
void add_sparse_model(nanobind::module_& m);
void add_sparse_shards(nanobind::module_& m);
void add_training(nanobind::module_& m);
void add_regressor(nanobind::module_& m);
void add_classifier(nanobind::module_& m);
void add_tables(nanobind::module_& m);
void add_frames(nanobind::module_& m);     // after the tables
void add_row_watch(nanobind::module_& m);  // after the tables

}  // namespace postrider::python

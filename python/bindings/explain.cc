// Why predictions are what they are.
#include "postrider/explain.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "estimators.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

nb::dict parts_of(Explanation explanation) {
  const std::size_t rows = explanation.rows, columns = explanation.columns.size(),
                    quantities = explanation.quantities.size();
  nb::dict out;
  out["columns"] = nb::cast(explanation.columns);
  out["quantities"] = nb::cast(explanation.quantities);
  out["cells"] = nb::cast(explanation.cells);
  out["baseline"] = numpy_of(std::move(explanation.baseline), {quantities});
  out["prediction"] = numpy_of(std::move(explanation.predictions), {rows, quantities});
  out["contributions"] =
      numpy_of(std::move(explanation.contributions), {rows, columns, quantities});
  out["spread"] = numpy_of(std::move(explanation.spread), {rows, columns, quantities});
  out["unusual"] = numpy_of(std::move(explanation.unusual), {rows, columns});
  return out;
}

template <class Estimator>
nb::dict explain_rows(const Guarded<Estimator>& self, const Given<double>& rows,
                      const std::optional<Given<double>>& baseline, std::size_t orders,
                      std::uint64_t seed, const std::vector<std::vector<std::size_t>>& groups) {
  return parts_of(self.read([&](const Estimator& estimator) {
    return explain(estimator, inputs_of(rows), baseline ? inputs_of(*baseline) : Inputs(),
                   {orders, seed}, groups);
  }));
}

nb::dict explain_table(const Guarded<TableModel>& self, const Table& rows,
                       const std::optional<Table>& baseline, std::size_t orders,
                       std::uint64_t seed) {
  return parts_of(self.read([&](const TableModel& model) {
    return explain(model, rows, baseline.value_or(Table()), {orders, seed});
  }));
}

}  // namespace

void add_explain(nb::module_& m) {
  m.def("explain", explain_rows<Regressor>, nb::arg("model"), nb::arg("rows"),
        nb::arg("baseline").none(), nb::arg("orders"), nb::arg("seed"), nb::arg("groups"));
  m.def("explain", explain_rows<Classifier>, nb::arg("model"), nb::arg("rows"),
        nb::arg("baseline").none(), nb::arg("orders"), nb::arg("seed"), nb::arg("groups"));
  m.def("explain_table", explain_table, nb::arg("model"), nb::arg("rows"),
        nb::arg("baseline").none(), nb::arg("orders"), nb::arg("seed"));
  m.def("with_value", with_value, nb::arg("rows"), nb::arg("column"), nb::arg("value"));
}

}  // namespace postrider::python

// Why predictions are what they are.
#include "postrider/explain.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "estimators.h"
#include "postrider/importance.h"

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

// --- the model as a whole -----------------------------------------------------------------------------

using Importances = std::vector<ColumnImportance>;

nb::object importance_parts(const Importances& found) {
  if (found.empty()) return nb::none();
  std::vector<std::string> columns;
  std::vector<double> loss, error, growth;
  for (const ColumnImportance& one : found) {
    columns.push_back(one.column);
    loss.push_back(one.loss);
    error.push_back(one.standard_error);
    growth.push_back(one.growth);
  }
  nb::dict out;
  out["columns"] = nb::cast(columns);
  out["loss"] = numpy_of(std::move(loss), {found.size()});
  out["standard_error"] = numpy_of(std::move(error), {found.size()});
  out["growth"] = numpy_of(std::move(growth), {found.size()});
  return out;
}

nb::object importance_by_rows(const Guarded<TableModel>& self, const Table& rows, std::size_t most,
                              std::size_t repeats, std::uint64_t seed) {
  return importance_parts(self.read([&](const TableModel& model) {
    return column_importance(model, rows, {most, repeats, seed});
  }));
}

nb::object importance_of_table(const Guarded<TableModel>& self, std::size_t repeats,
                               std::uint64_t seed) {
  ColumnImportance::Options options;
  options.repeats = repeats;
  options.seed = seed;
  return importance_parts(
      self.read([&](const TableModel& model) { return column_importance(model, options); }));
}

template <class Of>
nb::object importance_of_arrays(const Guarded<Of>& self, std::size_t repeats, std::uint64_t seed,
                                const std::vector<std::vector<std::size_t>>& groups) {
  ColumnImportance::Options options;
  options.repeats = repeats;
  options.seed = seed;
  return importance_parts(self.read(
      [&](const Of& estimator) { return column_importance(estimator, options, groups); }));
}

nb::dict dependence_parts(const Guarded<TableModel>& self, const Table& rows,
                          const std::string& column, const std::string& class_name,
                          std::size_t most, std::size_t points, const std::string& by,
                          const std::string& value) {
  PartialDependence found = self.read([&](const TableModel& model) {
    return partial_dependence(model, rows, column, {class_name, most, points, by, value});
  });
  nb::dict out;
  const std::size_t count = found.mean.size();
  out["column"] = nb::cast(found.column);
  out["output"] = nb::cast(found.output);
  out["names"] = nb::cast(found.names);
  const std::size_t numbers = found.x.size();
  out["x"] = numpy_of(std::move(found.x), {numbers});
  out["mean"] = numpy_of(std::move(found.mean), {count});
  out["low"] = numpy_of(std::move(found.low), {count});
  out["high"] = numpy_of(std::move(found.high), {count});
  out["spread"] = numpy_of(std::move(found.spread), {count});
  return out;
}

std::vector<std::tuple<std::string, std::string, double, double>> pairs_of(
    const Guarded<TableModel>& self, const Table& rows, const std::string& class_name,
    std::size_t most, std::size_t columns, std::uint64_t seed) {
  const std::vector<Interaction> found = self.read([&](const TableModel& model) {
    return interactions(model, rows, {class_name, most, columns, seed});
  });
  std::vector<std::tuple<std::string, std::string, double, double>> out;
  for (const Interaction& one : found)
    out.emplace_back(one.first, one.second, one.share, one.standard_error);
  return out;
}

// Rows of numbers with their targets, which may be absent, as the table that a model of arrays takes them for.
Table table_of_arrays(const Guarded<TableModel>& self, const Given<double>& rows,
                      const std::optional<Given<double>>& targets) {
  const Schema schema = self.read([](const TableModel& model) { return model.schema(); });
  const std::size_t inputs = schema.columns.size() - 1, count = rows.shape(0);
  const std::span<const double> cells = span_of(rows), told = span_of(targets);
  std::vector<Table::Column> columns(schema.columns.size());
  std::size_t input = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!schema.columns[c].target) {
      for (std::size_t row = 0; row < count; ++row)
        columns[c].numbers.push_back(cells[row * inputs + input]);
      ++input;
    } else if (schema.columns[c].kind == ColumnSchema::Kind::categorical) {
      for (const double label : told) columns[c].codes.push_back(static_cast<std::uint32_t>(label));
    } else {
      columns[c].numbers.assign(told.begin(), told.end());
    }
  }
  return {schema, std::move(columns)};
}

Table whole_table(TableReader& reader) {
  const nb::gil_scoped_release released;
  Table out;
  for (Table chunk; reader.next(chunk);) out.append(chunk);
  return out;
}

void add_importance(nb::module_& m) {
  m.def("importance_by_rows", importance_by_rows, nb::arg("model"), nb::arg("rows"),
        nb::arg("most"), nb::arg("repeats"), nb::arg("seed"));
  m.def("left_out_importance", importance_of_table, nb::arg("model"), nb::arg("repeats"),
        nb::arg("seed"));
  m.def("left_out_importance", importance_of_arrays<Regressor>, nb::arg("model"),
        nb::arg("repeats"), nb::arg("seed"), nb::arg("groups"));
  m.def("left_out_importance", importance_of_arrays<Classifier>, nb::arg("model"),
        nb::arg("repeats"), nb::arg("seed"), nb::arg("groups"));
  m.def("partial_dependence", dependence_parts, nb::arg("model"), nb::arg("rows"),
        nb::arg("column"), nb::arg("class_name"), nb::arg("most"), nb::arg("points"), nb::arg("by"),
        nb::arg("value"));
  m.def("interactions", pairs_of, nb::arg("model"), nb::arg("rows"), nb::arg("class_name"),
        nb::arg("most"), nb::arg("columns"), nb::arg("seed"));
  m.def("table_of_arrays", table_of_arrays, nb::arg("model"), nb::arg("rows"),
        nb::arg("targets").none());
  m.def("whole_table", whole_table, nb::arg("reader"));
  m.def(
      "no_rows", [] { return Table(); }, "A table without rows.");
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
  add_importance(m);
}

}  // namespace postrider::python

// Whether rows look as those that a model of tables has learned.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "estimators.h"
#include "postrider/error.h"
#include "postrider/table_model.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

using Model = Guarded<TableModel>;

TableProfile profile_of(const Model& model) {
  return model.read([](const TableModel& each) { return each.profile(); });
}

// Shared with the reader, which may outlive what Python holds.
std::shared_ptr<RowMonitor> watch(const Model& model, TableReader& reader) {
  auto out = std::make_shared<RowMonitor>(profile_of(model));
  reader.observe([out](const Table& chunk) { out->add(chunk); });
  return out;
}

using Rows = Given<double>;

// Rows of numbers as a table: all columns of both arrays, of which the last is the target.
Table table_of(const Rows& inputs, const Rows& targets) {
  const std::size_t rows = inputs.shape(0);
  if (inputs.ndim() != 2 || targets.ndim() != 2 || targets.shape(0) != rows)
    reject("targets", targets.shape(0), "must have as many rows as the inputs, each in one row");
  Schema schema;
  std::vector<Table::Column> columns;
  for (const Rows* part : {&inputs, &targets})
    for (std::size_t c = 0; c < part->shape(1); ++c) {
      schema.columns.push_back({.name = "x" + std::to_string(columns.size())});
      Table::Column& to = columns.emplace_back();
      for (std::size_t row = 0; row < rows; ++row)
        to.numbers.push_back(part->data()[row * part->shape(1) + c]);
    }
  schema.columns.back().target = true;
  return {std::move(schema), std::move(columns)};
}

using Sample = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Sample sample_of(const Rows& inputs, const Rows& targets) {
  TableProfile::Sample out;
  out.add(table_of(inputs, targets));
  return {out.rows.begin(), out.rows.end()};
}

std::string repeated_warning(const Sample& sample, const Rows& inputs, const Rows& targets) {
  TableProfile::Sample learned;
  learned.rows.insert(sample.begin(), sample.end());
  RepeatWatch watch(std::move(learned));
  watch.add(table_of(inputs, targets));
  return watch.found().warning();
}

Numpy<double> are_far(const FarRowWatch& self, const Table& table) {
  const std::vector<bool> far = self.are_far(table);
  return numpy_of(std::vector<double>(far.begin(), far.end()), {far.size()});
}

}  // namespace

void add_row_watch(nb::module_& m) {
  nb::class_<DriftWatch::Warning>(m, "ColumnDrift",
                                  "A column that does not look as in the rows learned.")
      .def_ro("column", &DriftWatch::Warning::column)
      .def_prop_ro(
          "kind", [](const DriftWatch::Warning& self) { return std::string(to_string(self.kind)); })
      .def_ro("learned", &DriftWatch::Warning::learned)
      .def_ro("found", &DriftWatch::Warning::found)
      .def_ro("text", &DriftWatch::Warning::text)
      .def(
          "__repr__",
          [](const DriftWatch::Warning& self) {
            return "<" + self.column + ": " + self.text + ">";
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<RowMonitor>(m, "RowWatch", "Looks at all rows that a reader hands out.")
      .def_prop_ro("drift", &RowMonitor::warnings)
      .def_prop_ro(
          "repeated",
          [](const RowMonitor& self) {
            const RepeatWatch::Found found = self.repeated();
            return found.repeated > 0 ? found.text() : std::string();
          },
          "How many of the rows were learned before, in words; empty if none were.")
      .def_prop_ro(
          "warning", [](const RowMonitor& self) { return self.repeated().warning(); },
          "What figures of these rows are worth, if some were learned; else empty.");
  nb::class_<DriftWindow>(m, "DriftWindow", "Rows that come without end, by windows.")
      .def(
          "__init__",
          [](DriftWindow* self, const Model& model, std::size_t rows) {
            new (self) DriftWindow(profile_of(model), rows);
          },
          nb::arg("model"), nb::arg("rows"))
      .def("add", &DriftWindow::add, nb::arg("table"))
      .def_prop_ro("drift", &DriftWindow::warnings);
  m.def("watch_rows", watch, nb::arg("model"), nb::arg("reader"));
  m.def("sample_rows", sample_of, nb::arg("inputs"), nb::arg("targets"),
        "A few of these rows, by which it is known of others whether they are the same.",
        nb::sig("def sample_rows(inputs: numpy.ndarray, targets: numpy.ndarray) -> "
                "list[tuple[int, int]]"));
  m.def("repeated_warning", repeated_warning, nb::arg("sample"), nb::arg("inputs"),
        nb::arg("targets"),
        "What figures of these rows are worth, if rows of the sample are among them; else empty.",
        nb::sig("def repeated_warning(sample: collections.abc.Sequence[tuple[int, int]], inputs: "
                "numpy.ndarray, targets: numpy.ndarray) -> str"));
  nb::class_<FarRowWatch>(m, "FarRowWatch", "Which rows are far from all that were learned.")
      .def(
          "__init__",
          [](FarRowWatch* self, const Model& model) { new (self) FarRowWatch(profile_of(model)); },
          nb::arg("model"))
      .def_prop_ro("is_able", &FarRowWatch::is_able)
      .def("are_far", are_far, nb::arg("table"),
           nb::sig("def are_far(self, table: Table) -> numpy.ndarray"));
}

}  // namespace postrider::python

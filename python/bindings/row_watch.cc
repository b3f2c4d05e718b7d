// Whether rows look as those that a model of tables has learned.
#include "row_watch.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

#include "arrays.h"
#include "bindings.h"
#include "estimators.h"
#include "postrider/table_model.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

using Model = Guarded<TableModel>;

std::shared_ptr<RowWatch> watch(const Model& model, TableReader& reader) {
  const TableProfile profile = model.read([](const TableModel& each) { return each.profile(); });
  auto out = std::make_shared<RowWatch>(RowWatch{DriftWatch(profile), RepeatWatch(profile.sample)});
  reader.observe([out](const Table& chunk) {
    out->drift.add(chunk);
    out->repeats.add(chunk);
    out->digest.add(chunk);
  });
  return out;
}

Numpy<double> are_far(const FarRows& self, const Table& table) {
  const std::vector<bool> far = self.are_far(table);
  return numpy_of(std::vector<double>(far.begin(), far.end()), {far.size()});
}

}  // namespace

void add_row_watch(nb::module_& m) {
  nb::class_<DriftWarning>(m, "ColumnDrift", "A column that does not look as in the rows learned.")
      .def_ro("column", &DriftWarning::column)
      .def_prop_ro("kind",
                   [](const DriftWarning& self) { return std::string(to_string(self.kind)); })
      .def_ro("learned", &DriftWarning::learned)
      .def_ro("found", &DriftWarning::found)
      .def_ro("text", &DriftWarning::text)
      .def(
          "__repr__",
          [](const DriftWarning& self) { return "<" + self.column + ": " + self.text + ">"; },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<RowWatch>(m, "RowWatch", "Looks at all rows that a reader hands out.")
      .def_prop_ro("drift", [](const RowWatch& self) { return self.drift.warnings(); })
      .def_prop_ro(
          "repeated",
          [](const RowWatch& self) {
            const RepeatedRows found = self.repeats.found();
            return found.repeated > 0 ? found.text() : std::string();
          },
          "How many of the rows were learned before, in words; empty if none were.");
  m.def("watch_rows", watch, nb::arg("model"), nb::arg("reader"));
  nb::class_<FarRows>(m, "FarRows", "Which rows are far from all that were learned.")
      .def(
          "__init__",
          [](FarRows* self, const Model& model) {
            new (self) FarRows(model.read([](const TableModel& each) { return each.profile(); }));
          },
          nb::arg("model"))
      .def_prop_ro("is_able", &FarRows::is_able)
      .def("are_far", are_far, nb::arg("table"),
           nb::sig("def are_far(self, table: Table) -> numpy.ndarray"));
}

}  // namespace postrider::python

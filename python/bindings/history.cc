#include "history.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace postrider::python {

namespace nb = nanobind;

namespace {

constexpr const char* kTable = "table";

Schema schema_of(const Columns& columns) {
  Schema out;
  out.columns = columns.inputs;
  out.na = columns.na;
  out.columns.push_back({.name = columns.target,
                         .kind = columns.classes.empty() ? ColumnSchema::Kind::numeric
                                                         : ColumnSchema::Kind::categorical,
                         .target = true,
                         .categories = columns.classes});
  return out;
}

struct StoredTable {
  std::vector<std::string> inputs;
  std::string target;
  std::vector<std::string> classes;
  bool vague = true;  // whether nothing is claimed of missing inputs
};

std::optional<StoredTable> table_of(const Notes& notes) {
  if (!notes.contains(kTable)) return std::nullopt;
  const TableModel::Notes read = read_table_notes(notes);
  const ColumnSchema& target = read.schema.columns[read.schema.target()];
  StoredTable out{
      {}, target.name, target.categories, read.missing == TableModelOptions::Missing::vague};
  for (const Schema::Feature& feature : read.features) out.inputs.push_back(feature.name);
  return out;
}

}  // namespace

History::History(const Notes& notes) {
  if (notes.contains(kTable)) steps_ = read_table_notes(notes).history;
}

void History::fitted(std::size_t rows, const std::vector<FitReport>& reports) {
  steps_ = {{TableModel::Step::Kind::fit, rows, 0, reports}};
}

void History::learned_more(const StreamReport& report) {
  if (steps_.empty())
    steps_.push_back({TableModel::Step::Kind::stream, 0});
  else if (steps_.back().kind == TableModel::Step::Kind::fit)
    steps_.push_back({TableModel::Step::Kind::update, 0});
  steps_.back().rows += report.rows;
  steps_.back().stream.add(report);
}

Notes History::notes(const Notes& read, const Columns& columns) const {
  Notes out = table_notes(schema_of(columns), steps_);
  if (const auto table = read.find(kTable); table != read.end()) out[kTable] = table->second;
  return out;
}

void add_history(nb::module_& m) {
  nb::class_<TableWarning>(m, "TableWarning", "What is odd about a table, and what mends it.")
      .def_prop_ro("kind",
                   [](const TableWarning& self) { return std::string(to_string(self.kind)); })
      .def_ro("column", &TableWarning::column)
      .def_ro("text", &TableWarning::text)
      .def_prop_ro(
          "remedy",
          [](const TableWarning& self) { return self.remedy(OptionInfo::Spelling::python); })
      .def(
          "__repr__",
          [](const TableWarning& self) {
            return "<" + self.text + " " + self.remedy(OptionInfo::Spelling::python) + ">";
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<TableModel::Step>(m, "TrainingStep", "One call that taught a model.")
      .def_prop_ro("kind",
                   [](const TableModel::Step& self) { return std::string(to_string(self.kind)); })
      .def_ro("rows", &TableModel::Step::rows)
      .def_ro("without_target", &TableModel::Step::without_target)
      .def_ro("copies", &TableModel::Step::copies)
      .def_ro("warnings", &TableModel::Step::warnings)
      .def_ro("fits", &TableModel::Step::fits)
      .def_ro("stream", &TableModel::Step::stream);
  nb::class_<StoredTable>(m, "StoredTable", "What a model file says of its table.")
      .def_ro("inputs", &StoredTable::inputs)
      .def_ro("target", &StoredTable::target)
      .def_ro("classes", &StoredTable::classes)
      .def_ro("vague", &StoredTable::vague);
  m.def("table_of", &table_of, "The table of a model's notes, if they have one.");
}

}  // namespace postrider::python

// Data frames with columns that are not numbers, as rows of numbers for estimators.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "arrow.h"
#include "bindings.h"
#include "history.h"
#include "postrider/table_encoder.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

constexpr const char* kTable = "table";

// All that a reader still has.
Numpy<double> encode(const TableEncoder& encoder, TableReader& reader) {
  std::vector<double> out;
  std::size_t rows = 0;
  {
    const nb::gil_scoped_release released;
    for (Table chunk; reader.next(chunk);) {
      const std::vector<double> more = encoder.encode(chunk);
      out.insert(out.end(), more.begin(), more.end());
      rows += chunk.rows();
    }
  }
  return numpy_of(std::move(out), {rows, encoder.features().size()});
}

// As a model file has it, whose tables have a target: one that no column is called.
std::string text_of(const TableEncoder& encoder) {
  Schema schema = encoder.schema();
  std::string target = "target";
  while (schema.find(target) != Schema::kNone) target += "_";
  schema.columns.push_back({.name = target, .target = true});
  return table_notes(schema, {}).at(kTable);
}

// From the notes of a file, or from what text_of() has written.
TableEncoder encoder_of(Notes notes) {
  if (!notes.contains("history")) notes["history"] = "[]";
  Schema schema = read_table_notes(notes).schema;
  std::erase_if(schema.columns, [](const ColumnSchema& column) { return column.target; });
  return TableEncoder(schema);
}

}  // namespace

void add_frames(nb::module_& m) {
  nb::class_<TableEncoder>(m, "TableEncoder", "Columns of a frame as inputs of an estimator.")
      .def(
          "__init__",
          [](TableEncoder* self, const TableReader& reader) {
            new (self) TableEncoder(reader.schema());
          },
          nb::arg("reader"))
      .def_static("from_notes", &encoder_of, nb::arg("notes"))
      .def("to_text", &text_of)
      .def("encode", &encode, nb::arg("reader"))
      .def(
          "open",
          [](const TableEncoder& self, nb::handle data) {
            const ArrowCapsule capsule(data);
            const nb::gil_scoped_release released;
            return read_arrow(capsule.stream(), self.schema());
          },
          nb::arg("data"))
      .def_prop_ro("columns", [](const TableEncoder& self) { return self.schema().columns; })
      .def_prop_ro("features",
                   [](const TableEncoder& self) {
                     std::vector<std::string> out;
                     for (const Schema::Feature& feature : self.features())
                       out.push_back(feature.name);
                     return out;
                   })
      .def_prop_ro("places", [](const TableEncoder& self) {
        std::vector<std::size_t> out;  // of the columns that features are made of
        for (const Schema::Feature& feature : self.features()) out.push_back(feature.column);
        return out;
      });
}

}  // namespace postrider::python

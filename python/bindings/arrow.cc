// Arrow streams as blocks of numbers.
#include "arrow.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

constexpr const char* kCapsule = "arrow_array_stream";

nb::object next_block(ArrowBlockReader& reader) {
  ArrowBlockReader::Block block;
  bool more = false;
  {
    const nb::gil_scoped_release released;
    more = reader.next(block);
  }
  if (!more) return nb::none();
  const std::size_t targets = block.targets.size(), labels = block.labels.size();
  return nb::make_tuple(numpy_of(std::move(block.inputs), {block.rows, reader.inputs().size()}),
                        numpy_of(std::move(block.targets), {targets}),
                        numpy_of(std::move(block.labels), {labels}));
}

}  // namespace

ArrowCapsule::ArrowCapsule(nb::handle data) {
  if (!nb::hasattr(data, "__arrow_c_stream__"))
    throw nb::type_error(
        (std::string("data is ") + nb::type_name(data.type()).c_str() +
         ": must have __arrow_c_stream__, as tables and readers of pyarrow, data frames of polars "
         "and pandas and relations of duckdb have")
            .c_str());
  capsule_ = data.attr("__arrow_c_stream__")();
  stream_ = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule_.ptr(), kCapsule));
  if (stream_ == nullptr) throw nb::python_error();
}

void add_arrow(nb::module_& m) {
  nb::class_<ArrowBlockReader>(m, "ArrowBlockReader",
                               "Blocks of numbers from an Arrow stream. Inside of as_row_batches.")
      .def(
          "__init__",
          [](ArrowBlockReader* self, nb::handle data, std::vector<std::string> inputs,
             std::string target, std::size_t rows) {
            const ArrowCapsule capsule(data);
            const nb::gil_scoped_release released;
            new (self)
                ArrowBlockReader(capsule.stream(), {std::move(inputs), std::move(target), rows});
          },
          nb::arg("data"), nb::arg("inputs"), nb::arg("target"), nb::arg("rows"))
      .def_prop_ro("inputs", &ArrowBlockReader::inputs)
      .def_prop_ro("classes", &ArrowBlockReader::classes)
      .def_prop_ro("target_is_text", &ArrowBlockReader::target_is_text)
      .def_prop_ro("target_is_whole", &ArrowBlockReader::target_is_whole)
      .def("next", next_block,
           nb::sig("def next(self) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray] | None"),
           "Inputs, targets and labels of the next rows; None at the end.");
}

}  // namespace postrider::python

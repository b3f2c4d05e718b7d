#include "postrider/function_draw.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "bindings.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;

// The parts of a function as Python stores them.
using StoredColumn = std::tuple<int, double, double, std::vector<double>, std::vector<double>>;
using StoredLayer = std::tuple<std::size_t, std::size_t, double, std::vector<double>>;
using StoredTarget = std::tuple<double, double, double>;
using Stored = std::tuple<std::vector<StoredColumn>, std::vector<double>, double,
                          std::vector<StoredLayer>, std::vector<StoredTarget>>;

Stored stored(const FunctionDraw& function) {
  const FunctionDraw::Parts& parts = function.parts();
  Stored out{{}, parts.typical_means, parts.unit, {}, {}};
  for (const ColumnEncoding& column : parts.columns)
    std::get<0>(out).emplace_back(static_cast<int>(column.kind), column.mean, column.unit,
                                  column.knots, column.ranks);
  for (const FunctionDraw::Layer& layer : parts.layers)
    std::get<3>(out).emplace_back(layer.inputs, layer.units, layer.slope, layer.weights);
  for (const FunctionDraw::Target& target : parts.targets)
    std::get<4>(out).emplace_back(target.mean, target.std, target.offset);
  return out;
}

FunctionDraw restored(const Stored& from) {
  FunctionDraw::Parts parts{{}, std::get<1>(from), std::get<2>(from), {}, {}};
  for (const auto& [kind, mean, unit, knots, ranks] : std::get<0>(from))
    parts.columns.push_back({static_cast<Encoding>(kind), mean, unit, knots, ranks});
  for (const auto& [inputs, units, slope, weights] : std::get<3>(from))
    parts.layers.push_back({inputs, units, slope, weights});
  for (const auto& [mean, std, offset] : std::get<4>(from))
    parts.targets.push_back({mean, std, offset});
  return FunctionDraw(std::move(parts));
}

Numpy<double> values(const FunctionDraw& function, const Given<double>& inputs) {
  std::vector<double> out;
  {
    const nb::gil_scoped_release released;
    out = function.values(span_of(inputs));
  }
  const std::size_t targets = function.targets(), rows = out.size() / targets;
  return numpy_of(std::move(out), {rows, targets});
}

Numpy<double> gradients(const FunctionDraw& function, const Given<double>& inputs) {
  std::vector<double> out;
  {
    const nb::gil_scoped_release released;
    out = function.gradients(span_of(inputs));
  }
  const std::size_t targets = function.targets(), columns = function.columns();
  const std::size_t rows = out.size() / targets / columns;
  return numpy_of(std::move(out), {rows, targets, columns});
}

}  // namespace

void add_function_draw(nb::module_& m) {
  nb::class_<FunctionDraw>(m, "FunctionDraw", "postrider::FunctionDraw")
      .def_prop_ro("columns", &FunctionDraw::columns)
      .def_prop_ro("targets", &FunctionDraw::targets)
      .def("values", values)
      .def("gradients", gradients)
      .def("__getstate__", stored)
      .def("__setstate__", [](FunctionDraw& self, const Stored& from) {
        new (&self) FunctionDraw(restored(from));
      });
}

}  // namespace postrider::python

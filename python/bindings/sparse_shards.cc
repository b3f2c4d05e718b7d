// Sparse models whose weights are spread over processes: the parts that postrider.experimental.owners connects.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "postrider/sparse/shards.h"
#include "sparse_model.h"

namespace nb = nanobind;

namespace postrider::python {
namespace {

// Mean square of the inputs; location and unit of the targets.
using Units = std::tuple<double, double, double>;
sparse::SparseBatch::Units units_of(const Units& units) {
  return {std::get<0>(units), std::get<1>(units), std::get<2>(units)};
}

sparse::SparseSums sums_of(const Given<std::int64_t>& numbers) {
  const std::span<const std::int64_t> values = span_of(numbers);
  return {values.begin(), values.end()};
}

template <class T>
Numpy<T> flat(std::vector<T> values) {
  const std::size_t size = values.size();
  return numpy_of(std::move(values), {size});
}

Units units_from(const sparse::FeatureRows& rows, const SparseSettings& settings) {
  const sparse::SparseBatch::Units found = sparse::sparse_units(rows, options_of(settings).target);
  return {found.input_square, found.location, found.unit};
}

Numpy<std::uint64_t> owners_of(const Given<std::uint64_t>& keys, std::size_t owners) {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t key : span_of(keys)) out.push_back(sparse::owner_of(key, owners));
  return flat(std::move(out));
}

std::tuple<Numpy<std::int64_t>, Numpy<std::int64_t>, SparseReportTuple> learn(
    const sparse::SparseBatch& self, const Given<float>& beliefs,
    const Given<std::int64_t>& shared) {
  sparse::SparseBatch::Changes changes;
  {
    const nb::gil_scoped_release release;
    changes = self.learn(span_of(beliefs), sums_of(shared));
  }
  const SparseReportTuple report = tuple_of(changes.report);
  return {flat(std::move(changes.weights)), flat(std::move(changes.shared)), report};
}

void add_owner(nb::module_& m) {
  nb::class_<sparse::SparseOwner>(m, "SparseOwner")
      .def(
          "__init__",
          [](sparse::SparseOwner* at, const SparseSettings& settings, const Units& units) {
            new (at) sparse::SparseOwner(options_of(settings), units_of(units));
          },
          nb::arg("settings"), nb::arg("units"))
      .def("__len__", &sparse::SparseOwner::size)
      .def("bytes", &sparse::SparseOwner::bytes)
      .def("models", &sparse::SparseOwner::models)
      .def("note", &sparse::SparseOwner::note)
      .def("summary", [](const sparse::SparseOwner& self) { return dict_of(self.summary()); })
      .def("shared",
           [](const sparse::SparseOwner& self) { return flat(sparse::SparseSums(self.shared())); })
      .def(
          "beliefs",
          [](const sparse::SparseOwner& self, const Given<std::uint64_t>& keys) {
            return flat(self.beliefs(span_of(keys)));
          },
          nb::arg("keys"))
      .def("keep", &sparse::SparseOwner::keep, nb::arg("models"))
      .def(
          "add",
          [](sparse::SparseOwner& self, const Given<std::uint64_t>& keys,
             const Given<std::int64_t>& changes) { self.add(span_of(keys), span_of(changes)); },
          nb::arg("keys"), nb::arg("changes"))
      .def(
          "add_shared",
          [](sparse::SparseOwner& self, const Given<std::int64_t>& changes, std::size_t weights) {
            self.add_shared(sums_of(changes), weights);
          },
          nb::arg("changes"), nb::arg("weights"))
      .def("save", &sparse::SparseOwner::save, nb::arg("path"), nb::arg("note"))
      .def_static("load", &sparse::SparseOwner::load, nb::arg("path"));
}

}  // namespace

void add_sparse_shards(nb::module_& m) {
  nb::class_<sparse::SparseBatch>(m, "SparseBatch")
      .def(
          "__init__",
          [](sparse::SparseBatch* at, const SparseSettings& settings, const Units& units,
             const sparse::FeatureRows& rows) {
            new (at) sparse::SparseBatch(options_of(settings), units_of(units), rows);
          },
          nb::arg("settings"), nb::arg("units"), nb::arg("rows"))
      .def("keys",
           [](const sparse::SparseBatch& self) {
             return flat(std::vector<std::uint64_t>(self.keys()));
           })
      .def("learn", learn, nb::arg("beliefs"), nb::arg("shared"))
      .def(
          "predict",
          [](const sparse::SparseBatch& self, const Given<float>& beliefs,
             const Given<std::int64_t>& shared) {
            return numpy_of(self.predict(span_of(beliefs), sums_of(shared)));
          },
          nb::arg("beliefs"), nb::arg("shared"));
  add_owner(m);
  m.def("sparse_units", units_from, nb::arg("rows"), nb::arg("settings"));
  m.def("owners_of", owners_of, nb::arg("keys"), nb::arg("owners"));
  m.def("gather_owners", sparse::gather_owners, nb::arg("paths"));
}

}  // namespace postrider::python

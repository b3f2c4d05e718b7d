// The sparse model. Rows are gathered here from dictionaries, compressed sparse rows and files; postrider.sparse_model tells them apart.
#include "sparse_model.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <tuple>

#include "arrays.h"
#include "bindings.h"
#include "names.h"
#include "postrider/error.h"
#include "postrider/sparse/hashed_inputs.h"

namespace nb = nanobind;

namespace postrider::python {

sparse::SparseOptions options_of(const SparseSettings& settings) {
  sparse::SparseOptions out;
  for (const auto& [name, setting] : settings) {
    OptionValue value;
    if (const auto* const text = std::get_if<std::string>(&setting))
      value = *text;
    else if (const auto* const flag = std::get_if<bool>(&setting))
      value = *flag;
    else
      value = std::get<std::uint64_t>(setting);
    sparse::set_sparse_option(out, name, value, OptionInfo::Spelling::python);
  }
  return out;
}

sparse::FeatureFile::Format format_named(const std::string& name) {
  return by_name(
      "format", name,
      Names<sparse::FeatureFile::Format, 3>{{{"auto", sparse::FeatureFile::Format::automatic},
                                             {"libsvm", sparse::FeatureFile::Format::libsvm},
                                             {"vw", sparse::FeatureFile::Format::vw}}});
}

SparseReportTuple tuple_of(const sparse::SparseModel::Report& report) {
  return {report.rows, report.log_loss, report.weight, report.guarded};
}

Numpy<double> numpy_of(const std::vector<sparse::SparseModel::Prediction>& predictions) {
  std::vector<double> out;
  for (const sparse::SparseModel::Prediction& one : predictions)
    for (const double number : {one.mean, one.std, one.noise, one.probability})
      out.push_back(number);
  return numpy_of(std::move(out), {predictions.size(), 4});
}

nb::dict dict_of(const sparse::SparseModel::Summary& found) {
  nb::dict out;
  out["rows"] = found.rows;
  out["weights"] = found.weights;
  out["bytes"] = found.bytes;
  out["log_loss"] = found.log_loss;
  out["prior_variances"] = found.prior_variances;
  out["shares"] = found.shares;
  out["drift_rates"] = found.drift_rates;
  return out;
}

namespace {

void add_input(sparse::FeatureRows& rows, std::string_view field, std::string_view name,
               double value) {
  rows.keys.push_back(sparse::feature_key(field, name));
  rows.values.push_back(static_cast<float>(value));
  rows.fields.push_back(sparse::field_number(field));
}

[[noreturn]] void refuse(const std::string& field, std::size_t row) {
  throw InvalidArgument(
      "\"" + field + "\" of row " + std::to_string(row) +
      ": must be a text, a number, a list of texts, or a dictionary of numbers by name");
}

// A text is a name in its field; a number is the value of the field itself; a list has several names, a dictionary names with values;
// None is nothing.
void add_cell(sparse::FeatureRows& rows, const std::string& field, nb::handle cell,
              std::size_t row) {
  if (cell.is_none()) return;
  double number = 0;
  std::string text;
  if (nb::try_cast(cell, number)) {
    add_input(rows, field, {}, number);
  } else if (nb::try_cast(cell, text)) {
    add_input(rows, field, text, 1);
  } else if (nb::isinstance<nb::dict>(cell)) {
    for (const auto& [name, value] : nb::cast<nb::dict>(cell)) {
      if (!nb::try_cast(nb::handle(value), number)) refuse(field, row);
      add_input(rows, field, nb::cast<std::string>(nb::str(nb::handle(name))), number);
    }
  } else if (nb::isinstance<nb::sequence>(cell)) {
    for (const nb::handle name : cell) {
      if (!nb::try_cast(name, text)) refuse(field, row);
      add_input(rows, field, text, 1);
    }
  } else {
    refuse(field, row);
  }
}

void copy(const std::optional<Given<double>>& from, std::vector<double>& to) {
  const std::span<const double> values = span_of(from);
  to.assign(values.begin(), values.end());
}

sparse::FeatureRows rows_of_records(const nb::list& records,
                                    const std::optional<Given<double>>& targets,
                                    const std::optional<Given<double>>& weights) {
  sparse::FeatureRows out;
  std::size_t row = 0;
  for (const nb::handle record : records) {
    if (!nb::isinstance<nb::dict>(record))
      throw InvalidArgument("row " + std::to_string(row) + ": must be a dictionary");
    for (const auto& [field, cell] : nb::cast<nb::dict>(record))
      add_cell(out, nb::cast<std::string>(nb::str(nb::handle(field))), cell, row);
    out.ends.push_back(out.keys.size());
    ++row;
  }
  copy(targets, out.targets);
  copy(weights, out.weights);
  return out;
}

// Columns count from 0 there, indices of LIBSVM text from 1: the same matrix has the same keys.
sparse::FeatureRows rows_of_csr(const Given<std::int64_t>& ends, const Given<std::int64_t>& columns,
                                const Given<float>& values,
                                const std::optional<Given<double>>& targets,
                                const std::optional<Given<double>>& weights) {
  sparse::FeatureRows out;
  for (const std::int64_t column : span_of(columns))
    out.keys.push_back(sparse::feature_key(static_cast<std::uint64_t>(column) + 1));
  const std::span<const float> given = span_of(values);
  out.values.assign(given.begin(), given.end());
  for (const std::int64_t end : span_of(ends).subspan(1))
    out.ends.push_back(static_cast<std::size_t>(end));
  copy(targets, out.targets);
  copy(weights, out.weights);
  return out;
}

// Ends of rows, columns and values, as a compressed sparse matrix has them.
std::tuple<Numpy<std::size_t>, Numpy<std::uint32_t>, Numpy<double>> hashed(
    const sparse::FeatureRows& self, std::size_t columns) {
  SparseInputs out = sparse::hashed_inputs(self, columns);
  const std::size_t begins = out.begins.size(), values = out.values.size();
  return {numpy_of(std::move(out.begins), {begins}), numpy_of(std::move(out.places), {values}),
          numpy_of(std::move(out.values), {values})};
}

Numpy<double> predict(const sparse::SparseModel& self, const sparse::FeatureRows& rows) {
  std::vector<sparse::SparseModel::Prediction> found;
  {
    const nb::gil_scoped_release release;
    found = self.predict(rows);
  }
  return numpy_of(found);
}

}  // namespace

void add_sparse_model(nb::module_& m) {
  nb::class_<sparse::FeatureRows>(m, "FeatureRows")
      .def_static("of_records", rows_of_records, nb::arg("records"), nb::arg("targets").none(),
                  nb::arg("weights").none())
      .def_static("of_csr", rows_of_csr, nb::arg("ends"), nb::arg("columns"), nb::arg("values"),
                  nb::arg("targets").none(), nb::arg("weights").none())
      .def("__len__", &sparse::FeatureRows::size)
      .def("validate", &sparse::FeatureRows::validate, nb::arg("needs_targets"),
           "Raises ValueError, with the row and the value, if a row cannot be learned.")
      .def("hashed", hashed, nb::arg("columns"))
      .def("targets", [](const sparse::FeatureRows& self) {
        return numpy_of(std::vector<double>(self.targets), {self.targets.size()});
      });
  nb::class_<sparse::FeatureFile>(m, "FeatureFile")
      .def(
          "__init__",
          [](sparse::FeatureFile* at, const std::string& path, const std::string& format) {
            new (at) sparse::FeatureFile(path, format_named(format));
          },
          nb::arg("path"), nb::arg("format"))
      .def_static(
          "of_text",
          [](std::string text, const std::string& name, const std::string& format) {
            return sparse::FeatureFile::of_text(std::move(text), name, format_named(format));
          },
          nb::arg("text"), nb::arg("name"), nb::arg("format"))
      .def(
          "read",
          [](sparse::FeatureFile& self, std::size_t most) -> std::optional<sparse::FeatureRows> {
            const nb::gil_scoped_release release;
            sparse::FeatureRows rows;
            if (!self.read(rows, most)) return std::nullopt;
            return rows;
          },
          nb::arg("most"));
  nb::class_<sparse::SparseModel>(m, "SparseModel")
      .def(
          "__init__",
          [](sparse::SparseModel* at, const SparseSettings& settings) {
            new (at) sparse::SparseModel(options_of(settings));
          },
          nb::arg("settings"))
      .def(
          "learn",
          [](sparse::SparseModel& self, const sparse::FeatureRows& rows) {
            const nb::gil_scoped_release release;
            return tuple_of(self.update(rows));
          },
          nb::arg("rows"))
      .def(
          "fit",
          [](sparse::SparseModel& self, const sparse::FeatureRows& rows) {
            const nb::gil_scoped_release release;
            return tuple_of(self.fit(rows));
          },
          nb::arg("rows"))
      .def("predict", predict, nb::arg("rows"))
      .def(
          "sample",
          [](const sparse::SparseModel& self, const sparse::FeatureRows& rows, std::uint64_t seed) {
            return numpy_of(self.sample(rows, seed), {rows.size()});
          },
          nb::arg("rows"), nb::arg("seed"))
      .def("summary", [](const sparse::SparseModel& self) { return dict_of(self.summary()); })
      .def(
          "setting",
          [](const sparse::SparseModel& self, const std::string& name) {
            return to_string(sparse::get_sparse_option(self.options(), name));
          },
          nb::arg("name"))
      .def(
          "weight",
          [](const sparse::SparseModel& self, const std::string& field, const std::string& name) {
            const sparse::SparseModel::Weight found = self.weight(sparse::feature_key(field, name));
            return std::make_tuple(found.mean, std::sqrt(found.variance), found.touched);
          },
          nb::arg("field"), nb::arg("name"))
      .def("position", &sparse::SparseModel::position, nb::arg("source"))
      .def("sources", &sparse::SparseModel::sources)
      .def("set_position", &sparse::SparseModel::set_position, nb::arg("source"), nb::arg("after"))
      .def("drop_idle", &sparse::SparseModel::drop_idle, nb::arg("most_nats"))
      .def("save", &sparse::SparseModel::save, nb::arg("path"))
      .def_static("load", &sparse::SparseModel::load, nb::arg("path"));
}

}  // namespace postrider::python

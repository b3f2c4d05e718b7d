// What bindings of sparse models share.
#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "arrays.h"
#include "postrider/sparse/model.h"

namespace postrider::python {

using SparseSettings = std::map<std::string, std::variant<bool, std::uint64_t, std::string>>;

sparse::SparseOptions options_of(const SparseSettings& settings);
sparse::FeatureFile::Format format_named(const std::string& name);

using SparseReportTuple = std::tuple<std::size_t, double, double, std::size_t>;
SparseReportTuple tuple_of(const sparse::SparseModel::Report& report);

nanobind::dict dict_of(const sparse::SparseModel::Summary& summary);
// A row of mean, standard deviation, noise and probability for each.
Numpy<double> numpy_of(const std::vector<sparse::SparseModel::Prediction>& predictions);

}  // namespace postrider::python

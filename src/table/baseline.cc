#include "table/baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/kept_inputs.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Numbers times outputs that a fit looks at in each of its steps: about three seconds for all of them.
constexpr std::size_t kMostWork = 10'000'000;
constexpr double kLeastVariance = 1e-12;  // of the target's, where a model explains all of it

struct Sums {
  double rows = 0, mean = 0, variance = 0;  // each row counts by its weight
};

Sums sums_of(const std::vector<double>& values, const std::vector<double>& weights) {
  Sums out;
  const auto weight = [&](std::size_t row) { return weights.empty() ? 1 : weights[row]; };
  for (std::size_t row = 0; row < values.size(); ++row) {
    out.rows += weight(row);
    out.mean += weight(row) * values[row];
  }
  out.mean /= out.rows;
  for (std::size_t row = 0; row < values.size(); ++row)
    out.variance += weight(row) * (values[row] - out.mean) * (values[row] - out.mean);
  out.variance /= std::max(out.rows - 1, out.rows / 2);
  return out;
}

// A class that never came is not impossible: one row is added to each.
std::vector<double> shares_of(const LearnedRows& rows, std::size_t classes) {
  std::vector<double> out(classes, 1.0);
  double total = static_cast<double>(classes);
  const std::vector<std::size_t> labels = rows.labels();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const double weight = rows.weights.empty() ? 1 : rows.weights[row];
    out[labels[row]] += weight;
    total += weight;
  }
  for (double& share : out) share /= total;
  return out;
}

template <class V>
std::vector<V> every(const std::vector<V>& values, std::size_t step) {
  std::vector<V> out;
  for (std::size_t row = 0; row < values.size(); row += step) out.push_back(values[row]);
  return out;
}

LearnedRows thinned(const LearnedRows& rows, std::size_t step) {
  LearnedRows out;
  out.targets = every(rows.targets, step);
  out.weights = every(rows.weights, step);
  out.inputs.columns = rows.inputs.columns;
  for (std::size_t row = 0; row < rows.inputs.rows(); row += step) {
    for (std::size_t at = rows.inputs.begins[row]; at < rows.inputs.begins[row + 1]; ++at)
      out.inputs.add(rows.inputs.places[at], rows.inputs.values[at]);
    out.inputs.end_row();
  }
  return out;
}

Baseline fitted(const TableEncoding& encoding, const LearnedRows& rows) {
  Baseline out;
  const std::size_t classes = encoding.target_column().categories.size();
  std::vector<std::size_t> labels;
  if (encoding.classifies()) labels = rows.labels();
  out.linear = fit_linear({rows.inputs, rows.targets, labels, classes, rows.weights});
  if (encoding.classifies()) {
    out.shares = shares_of(rows, classes);
    return out;
  }
  const Sums all = sums_of(rows.targets, rows.weights);
  const double least = std::max(kLeastVariance * all.variance, kLeastVariance * kLeastVariance);
  out.mean = all.mean;
  out.variance = std::max(all.variance, least);
  double squares = 0;
  const std::vector<double> said = linear_prediction(out, rows.inputs);
  for (std::size_t row = 0; row < said.size(); ++row) {
    const double miss = rows.targets[row] - said[row];
    squares += (rows.weights.empty() ? 1 : rows.weights[row]) * miss * miss;
  }
  // Each weight took the place of a row, but at most half of them.
  const double free = all.rows - static_cast<double>(rows.inputs.columns) - 1;
  out.residual_variance = std::max(squares / std::max(free, all.rows / 2), least);
  return out;
}

void expect_finite(const std::vector<double>& values, std::size_t wanted) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (values.size() != wanted || !std::ranges::all_of(values, is_finite))
    reject("baseline", values.size(), "must be as many finite numbers as the table has inputs");
}

}  // namespace

Baseline fit_baseline(const TableEncoding& encoding, const LearnedRows& rows) {
  const std::size_t outputs = std::max<std::size_t>(1, encoding.target_column().categories.size());
  const std::size_t work = rows.inputs.values.size() * outputs;
  const std::size_t step = (work + kMostWork - 1) / kMostWork;
  return step > 1 ? fitted(encoding, thinned(rows, step)) : fitted(encoding, rows);
}

std::vector<double> linear_prediction(const Baseline& baseline, const SparseInputs& inputs) {
  std::vector<double> scores = linear_outputs(baseline.linear, inputs);
  const std::size_t classes = baseline.shares.size(), outputs = baseline.linear.intercepts.size();
  if (classes == 0) return scores;
  std::vector<double> out;
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    if (outputs == 1) {
      const double second = 1 / (1 + std::exp(-scores[row]));
      out.insert(out.end(), {1 - second, second});
      continue;
    }
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(row * outputs);
    const double most = *std::max_element(first, first + static_cast<std::ptrdiff_t>(outputs));
    double sum = 0;
    for (std::size_t k = 0; k < outputs; ++k) sum += std::exp(scores[row * outputs + k] - most);
    for (std::size_t k = 0; k < outputs; ++k)
      out.push_back(std::exp(scores[row * outputs + k] - most) / sum);
  }
  return out;
}

void expect_sense(const Baseline& baseline, const TableEncoding& encoding) {
  const std::size_t classes = encoding.target_column().categories.size();
  const std::size_t columns = encoding.encoder.features().size();
  const std::size_t outputs = classes > 2 ? classes : 1;
  expect_finite(baseline.shares, classes);
  expect_finite(baseline.linear.intercepts, outputs);
  expect_finite(baseline.linear.weights, columns * outputs);
  expect_finite(baseline.linear.centres, columns);
  expect_finite({baseline.mean, baseline.variance, baseline.residual_variance}, 3);
  const auto is_share = [](double share) { return share > 0 && share < 1; };
  if (!(baseline.variance > 0 && baseline.residual_variance > 0) ||
      !std::ranges::all_of(baseline.shares, is_share))
    reject("baseline", baseline.variance, "must have variances above 0 and shares from 0 to 1");
}

namespace {

using Json = nlohmann::ordered_json;

// Lists by name, in the order of the file.
template <class Of>
auto lists_of(Of& baseline) {
  return std::array{std::pair{"shares", &baseline.shares},
                    std::pair{"intercepts", &baseline.linear.intercepts},
                    std::pair{"weights", &baseline.linear.weights},
                    std::pair{"centres", &baseline.linear.centres}};
}
template <class Of>
auto moments_of(Of& baseline) {
  return std::array{std::pair{"mean", &baseline.mean}, std::pair{"variance", &baseline.variance},
                    std::pair{"residual_variance", &baseline.residual_variance}};
}

[[noreturn]] void refuse(const char* what) {
  reject("baseline", std::string_view(what), "is missing or no number");
}

}  // namespace

std::string baseline_note(const Baseline& baseline) {
  Json out;
  for (const auto& [name, number] : moments_of(baseline)) out[name] = *number;
  for (const auto& [name, list] : lists_of(baseline)) out[name] = *list;
  return out.dump();
}

Baseline read_baseline_note(const std::string& text, const TableEncoding& encoding) {
  // Nothing of ours is deeper than a list in an object, or has more keys.
  constexpr int kDeepest = 2;
  constexpr std::size_t kMostKeys = 16;
  std::size_t keys = 0;
  const auto is_bounded = [&](int depth, Json::parse_event_t event, const Json& /*value*/) {
    if (event == Json::parse_event_t::key) ++keys;
    if (depth > kDeepest || keys > kMostKeys) refuse("nesting");
    return true;
  };
  const Json json = Json::parse(text, is_bounded, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse("object");
  Baseline out;
  for (const auto& [name, number] : moments_of(out)) {
    if (!json.contains(name) || !json[name].is_number()) refuse(name);
    *number = json[name].template get<double>();
  }
  for (const auto& [name, list] : lists_of(out)) {
    if (!json.contains(name) || !json[name].is_array()) refuse(name);
    for (const Json& value : json[name]) {
      if (!value.is_number()) refuse(name);
      list->push_back(value.template get<double>());
    }
  }
  expect_sense(out, encoding);
  return out;
}

}  // namespace postrider::internal

#include "described.h"

#include <algorithm>

#include "common/spread.h"

namespace postrider::experiments {
using namespace internal;
namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Object describe_values(const std::vector<double>& values, const Settings& settings) {
  const RandomStream random(settings.seed, 0);
  const Spread found = spread(values, random);
  const Interval interval = median_interval(values, values.size(), random);
  return {{"median", {found.median}},
          {"iqr", {found.range}},
          {"low", {interval.low}},
          {"high", {interval.high}},
          {"mean", {mean_of(values)}}};
}

Object quartiles(const std::vector<std::vector<double>>& rows) {
  std::vector<double> low, middle, high;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    std::vector<double> column;
    for (const std::vector<double>& row : rows) column.push_back(row[i]);
    std::sort(column.begin(), column.end());
    low.push_back(quantile(column, 0.25));
    middle.push_back(quantile(column, 0.5));
    high.push_back(quantile(column, 0.75));
  }
  return {{"lower_quartile", {low}}, {"median", {middle}}, {"upper_quartile", {high}}};
}

Object describe_coverage(const std::vector<Outcome>& outcomes) {
  std::vector<std::vector<double>> rows;
  for (const Outcome& outcome : outcomes) rows.push_back(outcome.coverage);
  Object coverage = quartiles(rows);
  std::vector<double> pooled;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    double sum = 0;
    for (const std::vector<double>& row : rows) sum += row[i];
    pooled.push_back(sum / static_cast<double>(rows.size()));
  }
  coverage.push_back({"pooled", {pooled}});
  return coverage;
}

}  // namespace postrider::experiments

// The inside of a TableModel.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "data/encoder.h"
#include "postrider/monitor.h"
#include "postrider/table_model.h"
#include "table/linear_fit.h"

namespace postrider::internal {

// How the columns of a table become the inputs of an estimator.
struct TableEncoding {
  Schema schema;
  TableModelOptions::Missing missing = TableModelOptions::Missing::vague;
  bool indicators = false;
  std::vector<double> means = {};  // of the inputs; only with TableModelOptions::Missing::mean
  Encoder encoder = {};
  std::size_t target = Schema::kNone;  // its place in the schema

  // Throws InvalidArgument if the schema has no target or no inputs.
  TableEncoding(Schema schema, TableModelOptions::Missing missing, bool indicators);
  bool classifies() const { return schema.classifies(); }
  const ColumnSchema& target_column() const { return schema.columns[target]; }
};

// What a model must beat, fitted to the rows that it learned: the mean or the shares of classes, and a linear model.
struct Baseline {
  double mean = 0, variance = 1;    // of a numeric target
  std::vector<double> shares = {};  // of classes
  LinearFit linear = {};
  double residual_variance = 1;  // of a numeric target, about what the linear model says
};

using TableEstimator = std::variant<Regressor, Classifier>;
// Whichever of both it is.
inline Estimator& common(TableEstimator& estimator) {
  return std::visit([](auto& one) -> Estimator& { return one; }, estimator);
}

class TableModelState {
 public:
  TableEncoding encoding;
  TableEstimator estimator;
  std::vector<TableModel::Step> history = {};
  TableProfile profile = {};
  std::vector<RowMonitor::Digest> learned = {};
  std::optional<Baseline> baseline = {};  // files from before there were baselines have none
  TableModel::Waiting waiting = {};

  void learn(const RowMonitor::Digest& rows);  // keeps the last thousand
};

}  // namespace postrider::internal

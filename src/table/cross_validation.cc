#include "estimator/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "base/access.h"
#include "postrider/error.h"
#include "postrider/evaluation.h"
#include "table/baseline.h"
#include "table/learning.h"
#include "table/state.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kLevel = 0.9;

// For each fold, the rows that are known.
std::vector<Fold> with_targets(const std::vector<Fold>& folds,
                               const std::vector<std::size_t>& known) {
  if (folds.empty()) reject("folds", folds.size(), "must be at least one");
  std::vector<Fold> out;
  for (const Fold& fold : folds) {
    if (!fold.groups.empty() && fold.groups.size() != fold.learned.size())
      reject("groups", fold.groups.size(), "must be one for each row that a fold learns, or none");
    Fold& to = out.emplace_back();
    for (std::size_t place = 0; place < fold.learned.size(); ++place) {
      if (!std::ranges::binary_search(known, fold.learned[place])) continue;
      to.learned.push_back(fold.learned[place]);
      if (!fold.groups.empty()) to.groups.push_back(fold.groups[place]);
    }
    std::ranges::set_intersection(fold.left_out, known, std::back_inserter(to.left_out));
    if (to.learned.empty() || to.left_out.empty())
      reject("folds", folds.size(), "must each learn and leave out a row with a target");
  }
  return out;
}

std::size_t fewest_rows(const std::vector<Fold>& parts) {
  std::size_t out = std::numeric_limits<std::size_t>::max();
  for (const Fold& part : parts) out = std::min(out, part.learned.size());
  return out;
}

// Without classes, as new models take them.
TableModelOptions common_options(const TableModelOptions& options, const TableEncoding& encoding,
                                 std::size_t rows) {
  TableModelOptions out = options;
  out.estimator.classes = encoding.target_column().categories.size();
  out.estimator = options_of_folds(
      out.estimator,
      encoding.classifies() ? OptionInfo::Scope::classes : OptionInfo::Scope::numeric_target,
      encoding.encoder.features().size(), rows);
  out.estimator.classes = 0;
  return out;
}

std::vector<FleetReport> fit_folds(const std::vector<std::unique_ptr<TableModelState>>& states,
                                   const std::vector<LearnedRows>& rows,
                                   const TrainingCallbacks& callbacks) {
  std::vector<Estimator*> models;
  std::vector<Examples> learned;
  for (std::size_t k = 0; k < states.size(); ++k) {
    models.push_back(&common(states[k]->estimator));
    learned.push_back(rows[k].examples());
  }
  return fit_fleet(models, learned, callbacks);
}

std::vector<TableModel> models_of(const Table& known, const std::vector<Fold>& parts,
                                  const TableModelOptions& options,
                                  const TrainingCallbacks& callbacks) {
  std::vector<std::unique_ptr<TableModelState>> states;
  std::vector<LearnedRows> rows(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    states.push_back(new_state(known.schema(), options));
    add_rows(states[k]->encoding, known.selected(parts[k].learned), rows[k], parts[k].groups);
    weigh_classes(states[k]->encoding, options.class_weights, rows[k]);
    states[k]->baseline = fit_baseline(states[k]->encoding, rows[k]);
    impute(states[k]->encoding, rows[k].inputs);
  }
  std::vector<std::size_t> counts;
  for (LearnedRows& each : rows) {
    counts.push_back(each.rows());
    each = spread_weights(each);
  }
  std::vector<FleetReport> reports = fit_folds(states, rows, callbacks);
  expect_learned(reports);
  std::vector<TableModel> out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    states[k]->history.push_back(
        {TableModel::Step::Kind::fit, counts[k], 0, std::move(reports[k].fits)});
    out.push_back(Access::made_of<TableModel>(std::move(states[k])));
  }
  return out;
}

// The mean of one figure over the folds that have it.
template <class Figure>
Estimate over_folds(const std::vector<TableEvaluation>& folds, Figure&& figure) {
  std::vector<double> values;
  for (const TableEvaluation& fold : folds)
    if (const double value = figure(fold).value; !std::isnan(value)) values.push_back(value);
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  return values.empty() ? Estimate{kNoNumber, kNoNumber} : mean_estimate(values);
}

// The rows of a bin of all folds.
TableEvaluation::Bin joined_bin(const std::vector<TableEvaluation>& folds, std::size_t place) {
  TableEvaluation::Bin out = folds.front().bins[place];
  out.rows = 0;
  double confidence = 0, right = 0;
  for (const TableEvaluation& fold : folds) {
    const TableEvaluation::Bin& bin = fold.bins[place];
    out.rows += bin.rows;
    confidence += static_cast<double>(bin.rows) * bin.confidence;
    right += static_cast<double>(bin.rows) * bin.accuracy;
  }
  const auto rows = static_cast<double>(std::max<std::size_t>(1, out.rows));
  out.confidence = confidence / rows;
  out.accuracy = right / rows;
  return out;
}

ClassMetrics joined_class(const std::vector<TableEvaluation>& folds, std::size_t place) {
  ClassMetrics out;
  for (const TableEvaluation& fold : folds) {
    out.rows += fold.by_class[place].rows;
    out.chosen += fold.by_class[place].chosen;
  }
  for (const auto figure : {&ClassMetrics::precision, &ClassMetrics::recall, &ClassMetrics::f1,
                            &ClassMetrics::area_under_curve, &ClassMetrics::average_precision})
    out.*figure = over_folds(
        folds, [&](const TableEvaluation& fold) { return fold.by_class[place].*figure; });
  return out;
}

TableEvaluation joined(const std::vector<TableEvaluation>& folds);

TableEvaluation::Baseline joined_baseline(const std::vector<TableEvaluation>& folds,
                                          std::size_t place) {
  std::vector<TableEvaluation> simple;
  for (const TableEvaluation& fold : folds) simple.push_back(fold.baselines[place].evaluation);
  return {
      folds.front().baselines[place].name, joined(simple),
      over_folds(folds, [&](const TableEvaluation& fold) { return fold.baselines[place].gain; })};
}

TableEvaluation joined(const std::vector<TableEvaluation>& folds) {
  TableEvaluation out;
  for (const TableEvaluation& fold : folds) out.rows += fold.rows;
  for (const auto figure :
       {&TableEvaluation::root_mean_square_error, &TableEvaluation::mean_absolute_error,
        &TableEvaluation::log_likelihood, &TableEvaluation::crps, &TableEvaluation::log_loss,
        &TableEvaluation::accuracy, &TableEvaluation::expected_calibration_error,
        &TableEvaluation::brier, &TableEvaluation::explained_variance,
        &TableEvaluation::area_under_curve, &TableEvaluation::average_precision})
    out.*figure = over_folds(folds, [&](const TableEvaluation& fold) { return fold.*figure; });
  for (std::size_t l = 0; l < folds.front().coverage.size(); ++l)
    out.coverage.push_back(
        {folds.front().coverage[l].level,
         over_folds(folds, [&](const TableEvaluation& fold) { return fold.coverage[l].share; })});
  for (std::size_t b = 0; b < folds.front().bins.size(); ++b)
    out.bins.push_back(joined_bin(folds, b));
  for (std::size_t q = 0; q < folds.front().pinball.size(); ++q)
    out.pinball.push_back(
        {folds.front().pinball[q].probability,
         over_folds(folds, [&](const TableEvaluation& fold) { return fold.pinball[q].loss; })});
  const auto has_percentage = [](const TableEvaluation& fold) {
    return fold.mean_absolute_percentage_error.has_value();
  };
  if (std::ranges::all_of(folds, has_percentage))
    out.mean_absolute_percentage_error = over_folds(
        folds, [](const TableEvaluation& fold) { return *fold.mean_absolute_percentage_error; });
  for (std::size_t k = 0; k < folds.front().by_class.size(); ++k)
    out.by_class.push_back(joined_class(folds, k));
  for (std::size_t b = 0; b < folds.front().baselines.size(); ++b)
    out.baselines.push_back(joined_baseline(folds, b));
  return out;
}

}  // namespace

TableModel::FoldScores TableModel::Validation::scores() const {
  TableModel::FoldScores out{models.size(), evaluation.root_mean_square_error,
                             evaluation.log_likelihood};
  for (const TableEvaluation::Coverage& at : evaluation.coverage)
    if (at.level == kLevel) out.coverage = at.share;
  out.accuracy = evaluation.accuracy;
  out.log_loss = evaluation.log_loss;
  return out;
}

TableModel::Validation cross_validate(const Table& table, const TableModelOptions& options,
                                      const CrossValidationOptions& how,
                                      const TrainingCallbacks& callbacks) {
  options.validate_for(table.schema());
  const TableEncoding encoding(table.schema(), options.missing, options.indicators);
  const std::vector<std::size_t> rows = known_rows(encoding, table);
  std::vector<std::size_t> places;
  if (encoding.classifies()) {
    const Table known = table.selected(rows);
    const std::vector<std::uint32_t>& codes = known.column(encoding.target).codes;
    places = folds_of(std::vector<std::size_t>(codes.begin(), codes.end()), how);
  } else {
    places = folds_of(rows.size(), how);
  }
  std::vector<Fold> folds = parts_of(places);
  for (Fold& fold : folds)
    for (std::vector<std::size_t>* part : {&fold.learned, &fold.left_out})
      for (std::size_t& row : *part) row = rows[row];
  return cross_validate(table, options, folds, callbacks);
}

TableModel::Validation cross_validate(const Table& table, const TableModelOptions& options,
                                      const std::vector<Fold>& folds,
                                      const TrainingCallbacks& callbacks) {
  options.validate_for(table.schema());
  const TableEncoding encoding(table.schema(), options.missing, options.indicators);
  const std::vector<std::size_t> known = known_rows(encoding, table);
  const std::vector<Fold> parts = with_targets(folds, known);
  TableModel::Validation out;
  std::map<std::size_t, std::size_t> left_out;  // by row, the fold
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const std::size_t row : parts[k].left_out)
      if (!left_out.emplace(row, k).second)
        reject("folds", row, "must leave out each row once at most");
  for (const auto& [row, fold] : left_out) {
    out.rows.push_back(row);
    out.folds.push_back(fold);
  }
  out.models =
      models_of(table, parts, common_options(options, encoding, fewest_rows(parts)), callbacks);
  std::vector<TableEvaluation> evaluations;
  for (std::size_t k = 0; k < parts.size(); ++k)
    evaluations.push_back(out.models[k].evaluate(table.selected(parts[k].left_out)));
  out.evaluation = joined(evaluations);
  out.evaluation.without_target = table.rows() - known.size();
  return out;
}

}  // namespace postrider

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "complaint.h"
#include "files.h"
#include "postrider/table_model.h"
#include "table/people.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-9;
constexpr double kOwnRounding = 1e-4;  // of networks in lanes and alone, in float
constexpr std::size_t kFolds = 3;

Table people_of(std::size_t rows, const TableOptions& options) {
  TableReader reader = people_reader(people(rows, 1), options);
  Table out;
  reader.next(out);
  return out;
}

// What each model has left out, looked at fold by fold.
std::vector<TableEvaluation> by_hand(const Table& table, const TableModel::Validation& found) {
  std::vector<TableEvaluation> out;
  for (std::size_t k = 0; k < found.models.size(); ++k) {
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < found.rows.size(); ++i)
      if (found.folds[i] == k) left_out.push_back(found.rows[i]);
    out.push_back(found.models[k].evaluate(table.selected(left_out)));
  }
  return out;
}

void expect_mean(const Estimate& found, const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(found.value, mean, kRounding);
  EXPECT_NEAR(found.standard_error, std::sqrt(squares / (count - 1) / count), kRounding);
}

TEST(TableCrossValidation, ScoresAreMeansOverFolds) {
  const Table table = people_of(100, income_options());
  const TableModel::Validation found = cross_validate(table, small_model(6, 4), {kFolds, 1});
  ASSERT_EQ(found.models.size(), kFolds);
  EXPECT_EQ(found.rows.size(), 100U);
  EXPECT_EQ(found.evaluation.rows, 100U);
  std::vector<double> errors, likelihoods, at_90;
  for (const TableEvaluation& fold : by_hand(table, found)) {
    errors.push_back(fold.root_mean_square_error.value);
    likelihoods.push_back(fold.log_likelihood.value);
    for (const TableEvaluation::Coverage& each : fold.coverage)
      if (each.level == 0.9) at_90.push_back(each.share.value);
  }
  expect_mean(found.evaluation.root_mean_square_error, errors);
  expect_mean(found.scores().log_likelihood, likelihoods);
  expect_mean(found.scores().coverage, at_90);
  EXPECT_EQ(found.scores().folds, kFolds);
  std::size_t learned = 0;
  for (const TableModel& model : found.models) learned += model.history().front().rows;
  EXPECT_EQ(learned, (kFolds - 1) * 100);
}

TEST(TableCrossValidation, OfClassesWithTheRowsOfAllBins) {
  const Table table = people_of(90, rich_options());
  const TableModel::Validation found = cross_validate(table, small_model(6, 4), {kFolds, 2});
  std::vector<double> accuracies, losses;
  std::vector<std::size_t> rows(found.evaluation.bins.size());
  for (const TableEvaluation& fold : by_hand(table, found)) {
    accuracies.push_back(fold.accuracy.value);
    losses.push_back(fold.log_loss.value);
    for (std::size_t b = 0; b < rows.size(); ++b) rows[b] += fold.bins[b].rows;
  }
  expect_mean(found.scores().accuracy, accuracies);
  expect_mean(found.scores().log_loss, losses);
  std::size_t all = 0;
  double right = 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    EXPECT_EQ(found.evaluation.bins[b].rows, rows[b]);
    all += rows[b];
    right += static_cast<double>(rows[b]) * found.evaluation.bins[b].accuracy;
  }
  EXPECT_EQ(all, 90U);
  // Folds of 30 rows each: the mean of their shares is the share of all.
  EXPECT_NEAR(right / 90, found.evaluation.accuracy.value, kRounding);
}

TEST(TableCrossValidation, EachFoldFillsMissingInputsByItself) {
  const Table table = people_of(80, income_options());
  TableModelOptions options = small_model(6, 2);
  options.missing = TableModelOptions::Missing::mean;
  const TableModel::Validation found = cross_validate(table, options, {2, 1});
  std::set<double> ages;
  std::size_t missing = 0;
  while (!std::isnan(table.column(1).numbers.at(missing))) ++missing;
  const Table row = table.selected(std::vector<std::size_t>{missing});
  for (const TableModel& model : found.models) ages.insert(model.encode(row).front());
  EXPECT_EQ(ages.size(), 2U) << "the mean of other rows";
}

TEST(TableCrossValidation, RowsWithoutATargetAreLeftOut) {
  std::string text = people(40, 1);
  text += "nobody,0.5,a,,yes\n";
  TableReader reader = people_reader(text, income_options());
  Table table;
  reader.next(table);
  const TableModel::Validation found = cross_validate(table, small_model(4, 2), {2, 1});
  EXPECT_EQ(found.rows.size(), 40U);
  EXPECT_EQ(found.evaluation.without_target, 1U);
  EXPECT_EQ(complaint([&] {
              cross_validate(table, small_model(4, 2), {41, 1});
            }),
            "folds = 41: must be at least 2, and at most the number of rows, 40");
}

TEST(TableCrossValidation, ScoresAreKeptInTheFile) {
  const Table table = people_of(60, income_options());
  TableModel model = TableModel::train(table, small_model(4, 2));
  const TableModel::Validation found = cross_validate(table, small_model(4, 2), {kFolds, 1});
  model.keep(found.scores());
  const TemporaryFolder folder;
  model.save(folder.file("model"));
  const TableModel::FoldScores read =
      TableModel::load(folder.file("model")).history().front().fold_scores;
  EXPECT_EQ(read.folds, kFolds);
  EXPECT_EQ(read.root_mean_square_error.value, found.scores().root_mean_square_error.value);
  EXPECT_EQ(read.coverage.standard_error, found.scores().coverage.standard_error);
  EXPECT_EQ(TableModel::train(table, small_model(4, 2)).history().front().fold_scores.folds, 0U);
}

TEST(TableCrossValidation, FoldsOfTheUserAreTaken) {
  const Table table = people_of(90, income_options());
  std::vector<double> times;
  for (std::size_t row = 0; row < 90; ++row) times.push_back(static_cast<double>(row));
  const TableModel::Validation found =
      cross_validate(table, small_model(4, 3), folds_by_time(times, 2));
  ASSERT_EQ(found.models.size(), 2U);
  EXPECT_EQ(found.models[0].history().front().rows, 30U);
  EXPECT_EQ(found.models[1].history().front().rows, 60U);
  ASSERT_EQ(found.rows.size(), 60U);
  EXPECT_EQ(found.rows.front(), 30U);
  EXPECT_EQ(found.folds.back(), 1U);
  // Baselines are each fold's own, and joined as the figures are.
  const std::vector<TableEvaluation> folds = by_hand(table, found);
  ASSERT_EQ(found.evaluation.baselines.size(), 2U);
  for (std::size_t b = 0; b < 2; ++b) {
    expect_mean(found.evaluation.baselines[b].gain,
                {folds[0].baselines[b].gain.value, folds[1].baselines[b].gain.value});
    expect_mean(found.evaluation.baselines[b].evaluation.root_mean_square_error,
                {folds[0].baselines[b].evaluation.root_mean_square_error.value,
                 folds[1].baselines[b].evaluation.root_mean_square_error.value});
  }
  expect_mean(found.evaluation.explained_variance,
              {folds[0].explained_variance.value, folds[1].explained_variance.value});
  expect_mean(found.evaluation.pinball[2].loss,
              {folds[0].pinball[2].loss.value, folds[1].pinball[2].loss.value});
  const Fold twice{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {50, 51}};
  EXPECT_NE(complaint([&] {
              cross_validate(table, small_model(4, 3), {twice, twice});
            }),
            "no complaint");
}

// Each model is that of its rows alone with their groups; rows without a target are nobody's.
TEST(TableCrossValidation, GroupsOfFoldsAreThoseOfTheirModels) {
  std::string text = people(60, 1);
  text += "nobody,0.5,a,,\n" + people(60, 2).substr(people(0, 1).size());
  for (const TableOptions& target : {income_options(), rich_options()}) {
    TableReader reader = people_reader(text, target);
    Table table;
    ASSERT_TRUE(reader.next(table));
    ASSERT_EQ(table.rows(), 121U);
    std::vector<std::string> names;
    for (std::size_t row = 0; row < table.rows(); ++row) names.push_back(std::to_string(row % 20));
    TableModelOptions options = small_model(4, 5);
    options.estimator.ensemble_size = 8;
    std::vector<Fold> folds = folds_by_group(names, 2, 1);
    const TableModel::Validation found = cross_validate(table, options, folds);
    for (Fold& fold : folds) fold.groups.clear();
    const TableModel::Validation apart = cross_validate(table, options, folds);
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<std::uint32_t> groups;
      for (const std::size_t row : folds[k].learned)
        groups.push_back(static_cast<std::uint32_t>(row % 20));
      const TableModel alone =
          TableModel::train(table.selected(folds[k].learned), options, {}, groups);
      const auto score = [](const TableModel& of) {
        return of.estimator().out_of_fold_score()->log_likelihood;
      };
      EXPECT_NEAR(score(found.models[k]), score(alone), kOwnRounding);
      EXPECT_GT(std::abs(score(apart.models[k]) - score(alone)), kOwnRounding);
    }
    folds[1].groups.assign(3, 0);
    EXPECT_EQ(complaint([&] { cross_validate(table, options, folds); }),
              "groups = 3: must be one for each row that a fold learns, or none");
  }
}

TEST(TableCrossValidation, ClassesAreJoinedByClass) {
  const Table table = people_of(120, rich_options());
  const TableModel::Validation found = cross_validate(table, small_model(4, 3), {kFolds, 1});
  const std::vector<TableEvaluation> folds = by_hand(table, found);
  ASSERT_EQ(found.evaluation.by_class.size(), 2U);
  std::vector<double> recalls, areas;
  std::size_t rows = 0;
  for (const TableEvaluation& fold : folds) {
    recalls.push_back(fold.by_class[1].recall.value);
    areas.push_back(fold.area_under_curve.value);
    rows += fold.by_class[1].rows;
  }
  expect_mean(found.evaluation.by_class[1].recall, recalls);
  expect_mean(found.evaluation.area_under_curve, areas);
  EXPECT_EQ(found.evaluation.by_class[1].rows, rows);
}

}  // namespace
}  // namespace postrider

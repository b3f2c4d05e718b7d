#include "postrider/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "../table/people.h"
#include "base/access.h"
#include "complaint.h"
#include "estimator/left_out_sample.h"
#include "estimator/state.h"
#include "postrider/network/audit.h"

namespace postrider {
namespace {

// Some hundred numbers of size 1 are added up.
constexpr double kRounding = 1e-9;

TableModel trained(const TableOptions& options, std::size_t members = 2, std::size_t epochs = 10) {
  const std::string text = people(300, 1);
  TableReader reader = people_reader(text, options);
  TableModelOptions how = small_model(8, epochs);
  how.estimator.ensemble_size = members;
  how.estimator.training.threads = 1;
  if (options.target == "income") how.estimator.learned_shape = false;
  how.estimator.training.refit = 0;
  return TableModel::train(reader, how);
}

Table new_people(const TableModel& model, std::size_t rows) {
  return people_table(people(rows, 2, 0), model.schema());
}

TEST(Importance, IsWhatTheLogLikelihoodLoses) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 200);
  const std::vector<ColumnImportance> found = column_importance(model, rows);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].column, "age");
  EXPECT_EQ(found[1].column, "town");
  const std::vector<double>& targets = rows.column(model.schema().target()).numbers;
  const auto expected =
      network::permutation_importance(model.encode(rows), 4, {{0}, {1, 2, 3}},
                                      [&](std::span<const double> inputs) {
                                        return model.regressor()->log_likelihood(inputs, targets);
                                      },
                                      {3, 1});
  for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(found[c].loss, expected[c].mean, kRounding);
  EXPECT_GT(found[0].loss, 10 * found[0].standard_error);
  EXPECT_GT(found[0].standard_error, 0);
}

TEST(Importance, GrowthIsThatOfTheTypicalError) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 100);
  const std::vector<double>& targets = rows.column(model.schema().target()).numbers;
  const auto square = [&](std::span<const double> inputs) {
    const std::vector<double> mean = model.regressor()->predict(inputs).mean;
    double sum = 0;
    for (std::size_t row = 0; row < mean.size(); ++row)
      sum += std::pow(mean[row] - targets[row], 2) / static_cast<double>(mean.size());
    return sum;
  };
  const std::vector<double> inputs = model.encode(rows);
  const auto lost = network::permutation_importance(
      inputs, 4, {{0}}, [&](std::span<const double> shuffled) { return -square(shuffled); },
      {3, 1});
  const double expected = std::sqrt((square(inputs) + lost[0].mean) / square(inputs)) - 1;
  EXPECT_NEAR(column_importance(model, rows)[0].growth, expected, kRounding * expected);
}

TEST(Importance, OfClassesIsWhatTheLogLossGrowsBy) {
  const TableModel model = trained(rich_options());
  const Table rows = new_people(model, 150);
  const std::vector<ColumnImportance> found = column_importance(model, rows);
  const TableEvaluation evaluation = model.evaluate(rows);
  EXPECT_GT(found[0].loss, 0);
  EXPECT_NEAR(found[0].growth, found[0].loss / evaluation.log_loss.value, kRounding);
}

// One member: what it predicts of rows that it has not learned is what the model predicts.
TEST(Importance, WithoutRowsIsByRowsThatMembersLeftOut) {
  const TableModel model = trained(income_options(), 1);
  const auto sample = inside_of(model.estimator()).expect_fitted().left_out_sample;
  ASSERT_TRUE(sample);
  EXPECT_LT(sample->rows(), 60u);  // an eighth of 300
  const auto expected = network::permutation_importance(sample->inputs, 4, {{0}, {1, 2, 3}},
                                                        [&](std::span<const double> inputs) {
                                                          return model.regressor()->log_likelihood(
                                                              inputs, sample->targets);
                                                        },
                                                        {3, 1});
  const std::vector<ColumnImportance> found = column_importance(model);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].column, "town");
  for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(found[c].loss, expected[c].mean, kRounding);
  EXPECT_GT(found[0].growth, 0);
}

TEST(Importance, WithoutRowsOfClassesIsByThemToo) {
  const TableModel model = trained(rich_options(), 1);
  const auto sample = inside_of(model.estimator()).expect_fitted().left_out_sample;
  ASSERT_TRUE(sample);
  const std::vector<std::size_t> labels(sample->targets.begin(), sample->targets.end());
  const auto expected = network::permutation_importance(
      sample->inputs, 4, {{0}, {1, 2, 3}},
      [&](std::span<const double> inputs) {
        return -log_loss(model.classifier()->predict_probabilities(inputs), labels);
      },
      {3, 1});
  const std::vector<ColumnImportance> found = column_importance(model);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(found[c].loss, expected[c].mean, kRounding);
}

// Networks may learn all rows in the end: what they predicted before is what counts. Here it is half a standard deviation higher, which is the
// same as targets that are lower.
TEST(Importance, BeginsFromWhatWasPredictedBeforeRowsWereLearned) {
  RandomStream random(1, 0);
  std::vector<double> inputs(400), targets;
  for (double& x : inputs) x = random.normal();
  for (std::size_t row = 0; row < 200; ++row)
    targets.push_back(inputs[2 * row] + 0.2 * random.normal());
  EstimatorOptions options = small_model(6, 10).estimator;
  options.ensemble_size = 1;
  options.learned_shape = false;
  options.target_scale = EstimatorOptions::TargetScale::plain;
  Regressor regressor(options);
  regressor.fit(Inputs(inputs, 200, 2), targets);
  FittedModel& model = *inside_of(static_cast<Estimator&>(regressor)).fitted;
  LeftOutSample sample = *model.left_out_sample;
  LeftOutSample::OfMember& honest = sample.of_members[0];
  const std::size_t outputs = honest.outputs.mean.size() / honest.rows.size();
  for (std::size_t k = 0; k < honest.rows.size(); ++k) honest.outputs.mean[outputs * k] += 0.5;
  std::vector<double> lower = sample.targets;
  for (double& target : lower) target -= 0.5 * model.targets.column(0).deviation();
  model.left_out_sample = std::make_shared<const LeftOutSample>(sample);
  const auto expected = network::permutation_importance(
      sample.inputs, 2, {{0}, {1}},
      [&](std::span<const double> rows) { return regressor.log_likelihood(rows, lower); }, {3, 1});
  const std::vector<ColumnImportance> found = column_importance(regressor);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(found[c].loss, expected[c].mean, kRounding);
}

// With eight members each row has one that left it out, and the mixture of all would be another prediction.
TEST(Importance, OnlyMembersThatLeftOutARowPredictIt) {
  const TableModel model = trained(income_options(), 8, 3);
  const FittedModel& fitted = inside_of(model.estimator()).expect_fitted();
  ASSERT_EQ(fitted.left_out_sample->of_members.size(), 8u);
  const auto by_all = network::permutation_importance(
      fitted.left_out_sample->inputs, 4, {{0}, {1, 2, 3}},
      [&](std::span<const double> inputs) {
        return model.regressor()->log_likelihood(inputs, fitted.left_out_sample->targets);
      },
      {3, 1});
  const std::vector<ColumnImportance> found = column_importance(model);
  EXPECT_NE(found[0].loss, by_all[0].mean);
  EXPECT_NEAR(found[0].loss, by_all[0].mean, 0.5 * by_all[0].mean);
}

TEST(Importance, FilesKeepNoRowsToTellBy) {
  const TableModel model = trained(income_options());
  EXPECT_FALSE(column_importance(model).empty());
  std::stringstream file;
  model.save(file);
  EXPECT_TRUE(column_importance(TableModel::load(file)).empty());
}

TEST(Importance, RefusesWhatMakesNoSense) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 10);
  EXPECT_EQ(complaint([&] { column_importance(model, rows, {.repeats = 1}); }),
            "repeats = 1: must be at least 2, for a standard error");
  EXPECT_EQ(complaint([&] { column_importance(model, rows, {.rows = 1}); }),
            "rows = 1: must be at least 2");
  EXPECT_EQ(complaint([&] { column_importance(model, rows.selected({})); }),
            "rows = 0: must be at least 2 with a value of the target income");
}

}  // namespace
}  // namespace postrider

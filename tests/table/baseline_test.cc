#include "table/baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "table/people.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-9;

struct Fitted {
  TableEncoding encoding;
  LearnedRows rows;
  Baseline baseline;

  Fitted(const TableOptions& options, const std::string& text,
         const TableModelOptions::ClassWeights& classes = {})
      : encoding(people_reader(text, options).schema(), TableModelOptions::Missing::vague, false) {
    TableReader reader = people_reader(text, options);
    for (Table chunk; reader.next(chunk);) add_rows(encoding, chunk, rows);
    weigh_classes(encoding, classes, rows);
    baseline = fit_baseline(encoding, rows);
  }
};

TEST(Baseline, MeanAndVarianceAreThoseOfTheTargets) {
  const Fitted fitted(income_options(), people(200, 1));
  double mean = 0, square = 0;
  for (const double target : fitted.rows.targets) mean += target / 200;
  for (const double target : fitted.rows.targets) square += (target - mean) * (target - mean) / 199;
  EXPECT_NEAR(fitted.baseline.mean, mean, kRounding);
  EXPECT_NEAR(fitted.baseline.variance, square, kRounding);
}

// Income is linear in age and town, with noise of deviation 0.1, but a tenth of the ages is missing.
TEST(Baseline, TheLinearModelExplainsWhatIsLinear) {
  const Fitted fitted(income_options(), people(400, 1, 0));
  EXPECT_NEAR(std::sqrt(fitted.baseline.residual_variance), 0.1, 0.015);
  const std::vector<double> said = linear_prediction(fitted.baseline, fitted.rows.inputs);
  for (std::size_t row = 0; row < said.size(); ++row)
    EXPECT_NEAR(said[row], fitted.rows.targets[row], 0.5);
}

TEST(Baseline, SharesOfClassesAndTheirWeights) {
  const Fitted plain(rich_options(), people(200, 1));
  double rich = 0;
  for (const std::size_t label : plain.rows.labels()) rich += static_cast<double>(label);
  EXPECT_NEAR(plain.baseline.shares[1], (rich + 1) / 202, kRounding);
  const Fitted balanced(rich_options(), people(200, 1), {.balanced = true});
  EXPECT_NEAR(balanced.baseline.shares[0], 0.5, kRounding);
  double sum = 0;
  for (const double weight : balanced.rows.weights) sum += weight;
  EXPECT_NEAR(sum, 200, kRounding);
  const Fitted named(rich_options(), people(200, 1), {.by_class = {{"yes", 3}}});
  EXPECT_NEAR(named.baseline.shares[1], (3 * rich + 1) / (3 * rich + 200 - rich + 2), kRounding);
  const std::vector<double> said = linear_prediction(plain.baseline, plain.rows.inputs);
  for (std::size_t row = 0; row < 200; ++row)
    EXPECT_NEAR(said[2 * row] + said[2 * row + 1], 1, kRounding);
}

TEST(Baseline, ClassWeightsThatMakeNoSenseAreRefused) {
  EXPECT_NE(complaint([] {
              Fitted(income_options(), people(30, 1), {.balanced = true});
            }).find("has no classes"),
            std::string::npos);
  EXPECT_NE(complaint([] {
              Fitted(rich_options(), people(30, 1), {.by_class = {{"poor", 2}}});
            }).find("must be one of the classes"),
            std::string::npos);
  EXPECT_NE(complaint([] {
              Fitted(rich_options(), people(30, 1), {.by_class = {{"no", -2}}});
            }).find("at least 0"),
            std::string::npos);
}

TEST(Baseline, AnEvaluationHasBothOnTheSameRows) {
  TableReader reader = people_reader(people(150, 1), income_options());
  const TableModel model = TableModel::train(reader, small_model(4, 3));
  const Table test = people_table(people(80, 2), model.schema());
  const TableEvaluation found = model.evaluate(test);
  ASSERT_EQ(found.baselines.size(), 2u);
  EXPECT_EQ(found.baselines[0].name, "linear");
  EXPECT_EQ(found.baselines[1].name, "mean");
  const Fitted fitted(income_options(), people(150, 1));
  double squares = 0, gain = 0;
  const std::vector<double>& targets = test.column(model.schema().target()).numbers;
  const std::vector<double> densities = model.predict(test).distributions.log_densities(targets);
  for (std::size_t row = 0; row < 80; ++row) {
    const double miss = targets[row] - fitted.baseline.mean;
    squares += miss * miss / 80;
    const double variance = fitted.baseline.variance;
    const double simple =
        -0.5 * miss * miss / variance - 0.5 * std::log(2 * 3.141592653589793 * variance);
    gain += (densities[row] - simple) / 80;
  }
  EXPECT_NEAR(found.baselines[1].evaluation.root_mean_square_error.value, std::sqrt(squares),
              kRounding);
  EXPECT_NEAR(found.baselines[1].gain.value, gain, kRounding);
  // What is linear, a linear model predicts best.
  EXPECT_LT(found.baselines[0].evaluation.root_mean_square_error.value,
            found.baselines[1].evaluation.root_mean_square_error.value);
}

TEST(Baseline, StreamsHaveThatOfTheFirstRows) {
  TableReader reader = people_reader(people(150, 1), rich_options());
  TableModel model = TableModel::train_stream(reader, small_model(4, 3));
  const Table test = people_table(people(80, 2), model.schema());
  const double before = model.evaluate(test).baselines[1].evaluation.log_loss.value;
  model.update(test);
  EXPECT_EQ(model.evaluate(test).baselines[1].evaluation.log_loss.value, before);
  TableReader again = people_reader(people(150, 1), rich_options());
  TableModelOptions balanced = small_model(4, 3);
  balanced.class_weights.balanced = true;
  EXPECT_NE(complaint([&] { TableModel::train_stream(again, balanced); }), "no complaint");
}

// A row of weight 2 counts as two rows do.
TEST(Baseline, WeightsOfRowsReachModelAndBaseline) {
  TableOptions options = income_options();
  std::string weighted = "age,town,income,w\n", plain = "age,town,income,w\n";
  RandomStream random(4, 0);
  for (int row = 0; row < 60; ++row) {
    const double age = random.uniform();
    const std::string cells = std::to_string(age) + (row % 2 == 0 ? ",a," : ",b,") +
                              std::to_string(2 * age + 0.1 * random.normal());
    weighted += cells + (row % 3 == 0 ? ",2\n" : ",1\n");
    for (int copy = 0; copy < (row % 3 == 0 ? 2 : 1); ++copy) plain += cells + ",1\n";
  }
  options.ignored = {};
  options.weights = "w";
  TableReader one = people_reader(weighted, options), two = people_reader(plain, options);
  const TableModel a = TableModel::train(one, small_model(4, 3));
  const TableModel b = TableModel::train(two, small_model(4, 3));
  const Table test = people_table("age,town,income\n0.5,a,1\n0.2,b,0.3\n", a.schema());
  EXPECT_EQ(a.predict(test).mean, b.predict(test).mean);
  EXPECT_NEAR(a.evaluate(test).baselines[0].evaluation.root_mean_square_error.value,
              b.evaluate(test).baselines[0].evaluation.root_mean_square_error.value, 1e-6);
}

}  // namespace
}  // namespace postrider

#include "postrider/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "../table/people.h"
#include "complaint.h"

namespace postrider {
namespace {

// Some hundred numbers of size 1 are added up.
constexpr double kRounding = 1e-12;

TableModel trained(const TableOptions& options, std::size_t rows = 300) {
  const std::string text = people(rows, 1);
  TableReader reader = people_reader(text, options);
  TableModelOptions how = small_model(8, 10);
  how.estimator.training.threads = 1;
  return TableModel::train(reader, how);
}

Table new_people(const TableModel& model, std::size_t rows, std::uint64_t seed = 2) {
  return people_table(people(rows, seed), model.schema());
}

double sum_of(const Explanation& found, std::size_t row, std::size_t quantity) {
  double out = 0;
  for (std::size_t c = 0; c < found.columns.size(); ++c)
    out += found.contributions[found.place(row, c, quantity)];
  return out;
}

void expect_sums(const Explanation& found) {
  const std::size_t quantities = found.quantities.size();
  for (std::size_t row = 0; row < found.rows; ++row)
    for (std::size_t q = 0; q < quantities; ++q)
      EXPECT_NEAR(sum_of(found, row, q),
                  found.predictions[row * quantities + q] - found.baseline[q], kRounding);
}

TEST(Explain, ColumnsOfATableAddUpToWhatIsPredicted) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 20);
  const Explanation found = explain(model, rows);
  EXPECT_EQ(found.columns, (std::vector<std::string>{"age", "town"}));
  EXPECT_EQ(found.quantities, (std::vector<std::string>{"mean", "std"}));
  const TableModel::Prediction said = model.predict(rows);
  for (std::size_t row = 0; row < 20; ++row) {
    EXPECT_EQ(found.predictions[2 * row], said.mean[row]);
    EXPECT_EQ(found.predictions[2 * row + 1], said.std[row]);
  }
  expect_sums(found);
}

TEST(Explain, ProbabilitiesOfClassesAddUp) {
  const TableModel model = trained(rich_options());
  const Table rows = new_people(model, 20);
  const Explanation found = explain(model, rows);
  EXPECT_EQ(found.quantities, model.classes());
  EXPECT_EQ(found.predictions, model.predict(rows).probabilities);
  expect_sums(found);
}

// Two columns: the mean of both orders, told by hand.
TEST(Explain, IsTheMeanOfBothOrdersOfTwoColumns) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 1), base = new_people(model, 1, 7);
  const auto mean = [&](const Table& age, const Table& town) {
    std::vector<Table::Column> columns;
    for (std::size_t c = 0; c < model.schema().columns.size(); ++c)
      columns.push_back(model.schema().columns[c].name == "age" ? age.column(c) : town.column(c));
    return model.predict(Table(model.schema(), columns)).mean[0];
  };
  const Explanation found = explain(model, rows, base);
  const double both = mean(rows, rows), age = mean(rows, base), town = mean(base, rows),
               none = mean(base, base);
  EXPECT_NEAR(found.contributions[0], 0.5 * (age - none + both - town), kRounding);
  EXPECT_NEAR(found.contributions[2], 0.5 * (town - none + both - age), kRounding);
  EXPECT_EQ(found.baseline[0], none);
}

TEST(Explain, SaysTheSameForAnyNumberOfThreadsAndWhateverElseIsExplained) {
  TableModel model = trained(income_options());
  const Table rows = new_people(model, 300);
  const Explanation all = explain(model, rows);
  std::stringstream file;
  model.save(file);
  Regressor other = Regressor::load(file);
  other.use_threads(3);
  const std::vector<double> inputs = model.encode(rows), base = model.encode(new_people(model, 5));
  const Explanation one = explain(*model.regressor(), inputs, base, {}, {{0}, {1, 2, 3}});
  const Explanation three = explain(other, inputs, base, {}, {{0}, {1, 2, 3}});
  EXPECT_EQ(one.contributions, three.contributions);
  EXPECT_EQ(one.spread, three.spread);
  const std::vector<std::size_t> last{299};
  const Explanation alone = explain(model, rows.selected(last));
  EXPECT_EQ(alone.contributions,
            std::vector<double>(all.contributions.end() - 4, all.contributions.end()));
}

TEST(Explain, WithoutABaselineArraysStartFromTheMeans) {
  const TableModel model = trained(income_options());
  const Regressor& regressor = *model.regressor();
  std::vector<double> means;
  for (const Estimator::ColumnScale& scale : regressor.input_scales()) means.push_back(scale.mean);
  const std::vector<double> inputs = model.encode(new_people(model, 3));
  const Explanation found = explain(regressor, inputs), named = explain(regressor, inputs, means);
  EXPECT_EQ(found.contributions, named.contributions);
  EXPECT_EQ(found.baseline[0], regressor.predict(means).mean[0]);
  EXPECT_EQ(found.columns.front(), "input 1");
}

TEST(Explain, DrawsOrdersByTheSeed) {
  const std::size_t columns = 7;  // of which not all subsets are predicted
  RandomStream random(1, 0);
  std::vector<double> inputs(40 * columns), targets;
  for (double& x : inputs) x = random.normal();
  for (std::size_t row = 0; row < 40; ++row)
    targets.push_back(inputs[row * columns] * inputs[row * columns + 1] *
                      inputs[row * columns + 2]);
  EstimatorOptions options;
  options.hidden = {8};
  options.ensemble_size = 1;
  options.training.max_epochs = 20;
  Regressor regressor(options);
  regressor.fit(Inputs(inputs, 40, columns), targets);
  const Inputs row = Inputs(inputs, 40, columns).part(0, 1),
               base = Inputs(inputs, 40, columns).part(1, 1);
  const auto by_seed = [&](std::uint64_t seed) {
    return explain(regressor, row, base, {.orders = 1, .seed = seed}).contributions;
  };
  EXPECT_EQ(by_seed(1), by_seed(1));
  EXPECT_NE(by_seed(1), by_seed(2));
}

TEST(Explain, TellsWhichColumnsAreUnusual) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 1);
  const Explanation old = explain(model, with_value(rows, "age", "50"));
  EXPECT_GT(old.unusual[0], 100);  // the standard deviation of ages is 0.29
  EXPECT_LT(old.unusual[1], 3);
  EXPECT_EQ(old.cells[0], "50");
  EXPECT_EQ(explain(model, with_value(rows, "town", "nowhere")).unusual[1],
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(explain(model, with_value(rows, "age", "")).unusual[0], 0);
}

TEST(Explain, ImportanceIsTheMeanSize) {
  Explanation found;
  found.rows = 2;
  found.columns = {"a", "b"};
  found.quantities = {"mean", "std"};
  found.contributions = {1, 10, -2, 20, -3, 30, 4, -40};
  EXPECT_EQ(found.importance(0), (std::vector<double>{2, 3}));
  EXPECT_EQ(found.importance(1), (std::vector<double>{20, 30}));
}

TEST(Explain, RefusesWhatMakesNoSense) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 1);
  const Regressor& regressor = *model.regressor();
  const std::vector<double> inputs = model.encode(rows), short_row{1.0};
  EXPECT_EQ(complaint([&] { with_value(rows, "name", "x"); }),
            "column = \"name\": must be an input of the model");
  EXPECT_NE(complaint([&] { with_value(rows, "age", "old"); }).find("age = \"old\""),
            std::string::npos);
  EXPECT_EQ(complaint([&] { explain(regressor, inputs, short_row); }).substr(0, 12),
            "baseline = 1");
  EXPECT_EQ(complaint([&] {
              explain(regressor, inputs, {}, {}, {{0, 99}});
            }),
            "groups = 99: must be an input of the model");
  EXPECT_EQ(complaint([&] { explain(regressor, inputs, {}, {.orders = 200'000}); }),
            "orders = 200000: must be at most 100000");
  EXPECT_NE(complaint([&] { explain(model, with_value(rows, "age", "1e200")); }), "");
  EXPECT_THROW(explain(Regressor(), inputs), NotFitted);
}

}  // namespace
}  // namespace postrider

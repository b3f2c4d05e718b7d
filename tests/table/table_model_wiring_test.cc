// That what a TableModel was told at first holds for all that comes later, chunk by chunk.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "complaint.h"
#include "postrider/table_model.h"
#include "table/people.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kRows = 120;
constexpr double kMissing = 0.4;  // share of ages
constexpr double kRounding = 1e-12;

TableModel with_means(const TableOptions& table) {
  TableModelOptions options = small_model(4, 3);
  options.missing = TableModelOptions::Missing::mean;
  TableReader reader = people_reader(people(kRows, 1, kMissing), table);
  return TableModel::train(reader, options);
}

TEST(TableModelWiring, AnUpdateLeavesTheMeansOfTraining) {
  TableModel model = with_means(income_options());
  const Table table = people_table("age,town\n,a\n,b\n0.25,c\n", model.schema());
  const std::vector<double> before = model.encode(table);
  const std::string others = "age,town,income\n9,a,1\n9,b,2\n,c,3\n";
  model.update(people_table(others, model.schema()));
  EXPECT_EQ(model.encode(table), before);
  TableReader reader = people_reader(others, model.schema());
  model.update(reader);
  EXPECT_EQ(model.encode(table), before);
}

// Row by row: the target, and what is predicted of the same row.
TEST(TableModelWiring, AnEvaluationIsOfWhatIsPredicted) {
  const TableModel model = with_means(income_options());
  const Table table = people_table(people(kRows, 2, kMissing), model.schema());
  const TableModel::Prediction found = model.predict(table);
  const std::vector<double>& targets = table.column(model.schema().target()).numbers;
  const std::vector<double> log_densities = found.distributions.log_densities(targets);
  double squares = 0, sum = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    squares += (targets[row] - found.mean[row]) * (targets[row] - found.mean[row]) / kRows;
    sum += log_densities[row] / kRows;
  }
  const TableEvaluation evaluation = model.evaluate(table);
  EXPECT_NEAR(evaluation.root_mean_square_error.value, std::sqrt(squares), kRounding);
  EXPECT_NEAR(evaluation.log_likelihood.value, sum, kRounding * kRows);
}

TEST(TableModelWiring, ChunksAreEvaluatedAsTheWhole) {
  const std::string text = people(kRows, 2, kMissing);
  for (const TableOptions& target : {income_options(), rich_options()}) {
    const TableModel model = with_means(target);
    const TableEvaluation whole = model.evaluate(people_table(text, model.schema()));
    const Schema schema = model.schema();
    TableReader reader =
        table_reader_of(memory_bytes(text, "people"), "people", {.chunk_rows = 50}, &schema);
    const TableEvaluation found = model.evaluate(reader);
    EXPECT_EQ(found.rows, kRows);
    EXPECT_EQ(found.root_mean_square_error.value, whole.root_mean_square_error.value);
    EXPECT_EQ(found.log_likelihood.value, whole.log_likelihood.value);
    EXPECT_EQ(found.log_loss.value, whole.log_loss.value);
    EXPECT_EQ(found.accuracy.value, whole.accuracy.value);
  }
}

TEST(TableModelWiring, AnEvaluationSaysThatRowsWereLearned) {
  TableReader reader = people_reader(people(kRows, 1), income_options());
  const TableModel model = TableModel::train(reader, small_model(4, 2));
  EXPECT_EQ(model.evaluate(people_table(people(kRows, 2), model.schema())).warning, "");
  EXPECT_EQ(model.evaluate(people_table(people(kRows, 1), model.schema())).warning,
            (RepeatWatch::Found{kRows, kRows}).warning());
}

// Rows of a text behind those of another.
std::string behind(const std::string& first, const std::string& second) {
  return first + second.substr(second.find('\n') + 1);
}

TEST(TableModelWiring, CopiesAreCountedWhereRowsAreLearnedTogether) {
  const std::string rows = people(60, 1), text = behind(rows, people(60, 1));
  TableModelOptions options = small_model(4, 2);
  options.words = {"--validation", "0.2"};
  TableReader reader = people_reader(text, income_options());
  const TableModel read = TableModel::train(reader, options);
  EXPECT_EQ(read.history().front().copies, 60u);
  EXPECT_EQ(read.history().front().words, options.words);
  const TableModel trained = TableModel::train(people_table(text, read.schema()), options);
  EXPECT_EQ(trained.history().front().copies, 60u);
  TableReader few = people_reader(rows, income_options()),
              stream = people_reader(rows, income_options());
  EXPECT_EQ(TableModel::train(few, options).history().front().copies, 0u);
  EXPECT_EQ(TableModel::train_stream(stream, options).history().front().words, options.words);
}

// Groups of a row each are none; others leave out other rows.
TEST(TableModelWiring, GroupsReachTheFolds) {
  for (const TableOptions& target : {income_options(), rich_options()}) {
    TableReader reader = people_reader(people(kRows, 1, 0), target);
    Table table;
    ASSERT_TRUE(reader.next(table));
    std::vector<std::uint32_t> alone, together;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      alone.push_back(1000 - row);
      together.push_back(row / 10);
    }
    const auto fitted = [&](std::span<const std::uint32_t> groups) {
      return TableModel::train(table, small_model(4, 3), {}, groups).predict(table);
    };
    const TableModel::Prediction without = fitted({}), single = fitted(alone),
                                 grouped = fitted(together);
    EXPECT_EQ(single.mean, without.mean);
    EXPECT_EQ(single.probabilities, without.probabilities);
    EXPECT_TRUE(grouped.mean != without.mean || grouped.probabilities != without.probabilities);
    EXPECT_EQ(complaint([&] { fitted(std::span(alone).first(5)); }),
              "groups = 5: must be one for each row of the table, or none");
  }
}

}  // namespace
}  // namespace postrider

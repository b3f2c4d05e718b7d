// What a model says is odd about rows that it learns or is evaluated with, and that its file keeps it.
#include "table/evaluation_warnings.h"

#include <gtest/gtest.h>

#include <sstream>

#include "postrider/table_model.h"
#include "table/people.h"

namespace postrider {
namespace {

constexpr std::size_t kRows = 240;

// One noise for all, but of one town it is ten times as large.
std::string towns(std::size_t rows, std::uint64_t seed, double shift = 0) {
  RandomStream random(seed, 0);
  std::string out = "age,town,income\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double age = random.uniform(0, 1);
    const bool is_far = row % 5 == 0;
    const double income = 2 * age + (is_far ? 1.0 : 0.1) * random.normal() + shift;
    out += std::to_string(age) + (is_far ? ",far," : ",near,") + std::to_string(income) + "\n";
  }
  return out;
}

TableModel trained(const std::string& text) {
  TableModelOptions options = small_model(4, 2);
  options.estimator.ensemble_size = 8;
  options.estimator.training.max_epochs = 20;
  options.estimator.varying_noise = false;
  TableReader reader = people_reader(text, TableOptions{.target = "income"});
  return TableModel::train(reader, options);
}

bool has(const std::vector<TableWarning>& found, TableWarning::Kind kind) {
  return std::ranges::find(found, kind, &TableWarning::kind) != found.end();
}

TEST(EvaluationWarnings, NameTheGroupOfTrainingRowsThatIntervalsDoNotHold) {
  const TableModel model = trained(towns(kRows, 1));
  const std::vector<TableWarning> found = model.warnings();
  ASSERT_TRUE(has(found, TableWarning::Kind::coverage));
  EXPECT_EQ(found.back().column, "town");
  EXPECT_NE(found.back().text.find("where town is far"), std::string::npos) << found.back().text;
}

TEST(EvaluationWarnings, AreInTheFile) {
  const TableModel model = trained(towns(kRows, 1));
  std::stringstream bytes;
  model.save(bytes);
  EXPECT_EQ(TableModel::load(bytes).warnings(), model.warnings());
  EXPECT_FALSE(model.warnings().empty());
}

TEST(EvaluationWarnings, TellRowsThatArePredictedOtherwiseThanThoseOfTraining) {
  const TableModel model = trained(towns(kRows, 1));
  EXPECT_FALSE(has(model.evaluate(people_table(towns(kRows, 2), model.schema())).warnings,
                   TableWarning::Kind::disagreement));
  const auto found = model.evaluate(people_table(towns(kRows, 3, 3), model.schema())).warnings;
  ASSERT_TRUE(has(found, TableWarning::Kind::disagreement));
  EXPECT_NE(found[0].text.find("are predicted worse than"), std::string::npos) << found[0].text;
}

TEST(EvaluationWarnings, TellRowsThatWereLearned) {
  const TableModel model = trained(towns(kRows, 1));
  const auto found = model.evaluate(people_table(towns(kRows, 1), model.schema())).warnings;
  EXPECT_TRUE(has(found, TableWarning::Kind::learned_rows));
  EXPECT_FALSE(has(found, TableWarning::Kind::disagreement));
}

}  // namespace
}  // namespace postrider

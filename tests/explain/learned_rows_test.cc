#include "explain/learned_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../table/people.h"

namespace postrider {
using namespace internal;
namespace {

TableModel trained(bool profile = true) {
  const std::string text = people(200, 1);
  TableReader reader = people_reader(text, income_options());
  TableModelOptions options = small_model(4, 1);
  options.profile = profile;
  return TableModel::train(reader, options);
}

TEST(LearnedRows, AreThoseThatWereLearnedToAThousandthOfTheirRange) {
  const TableModel model = trained();
  const Table learned = people_table(people(200, 1), model.schema());
  const Table found = learned_rows(model, 200);
  ASSERT_EQ(found.rows(), 200u);
  const std::size_t age = model.schema().find("age"), town = model.schema().find("town");
  EXPECT_EQ(found.column(town).codes, learned.column(town).codes);
  for (std::size_t row = 0; row < 200; ++row) {
    const double was = learned.column(age).numbers[row], is = found.column(age).numbers[row];
    EXPECT_EQ(std::isnan(was), std::isnan(is)) << row;
    // A gap between two knots.
    if (!std::isnan(was)) {
      EXPECT_NEAR(is, was, 0.05) << row;
    }
  }
}

TEST(LearnedRows, AreSpreadEvenly) {
  const TableModel model = trained();
  const Table all = learned_rows(model, 200), some = learned_rows(model, 4);
  ASSERT_EQ(some.rows(), 4u);
  const std::size_t town = model.schema().find("town");
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(some.column(town).codes[k], all.column(town).codes[50 * k]);
}

TEST(LearnedRows, AreNoneWithoutAProfile) {
  EXPECT_EQ(learned_rows(trained(false), 10).rows(), 0u);
}

}  // namespace
}  // namespace postrider

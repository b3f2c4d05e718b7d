#include <gtest/gtest.h>

#include <numeric>

#include "postrider/monitor.h"

namespace postrider {
namespace {

Table column_of(std::vector<double> numbers, bool is_target = false) {
  Schema schema;
  schema.columns.push_back({.name = "number", .target = is_target});
  return {std::move(schema), {{.numbers = std::move(numbers)}}};
}

std::vector<double> counted_up(std::size_t rows) {
  std::vector<double> out(rows);
  std::iota(out.begin(), out.end(), 1000.0);
  return out;
}

TEST(Identifiers, NumbersThatWereCountedUpNameRows) {
  const std::vector<Identifier> found = identifiers_of(column_of(counted_up(30)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].column, "number");
  EXPECT_TRUE(found[0].is_input);
}

TEST(Identifiers, FewRowsFractionsWideNumbersAndTargetsDoNot) {
  EXPECT_TRUE(identifiers_of(column_of(counted_up(19))).empty());
  std::vector<double> numbers = counted_up(30);
  numbers[3] += 0.5;
  EXPECT_TRUE(identifiers_of(column_of(numbers)).empty());
  numbers = counted_up(30);
  numbers[3] = 1e6;
  EXPECT_TRUE(identifiers_of(column_of(numbers)).empty());
  EXPECT_TRUE(identifiers_of(column_of(counted_up(30), true)).empty());
}

}  // namespace
}  // namespace postrider

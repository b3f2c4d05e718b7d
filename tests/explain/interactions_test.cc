#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../table/people.h"
#include "complaint.h"
#include "postrider/importance.h"

namespace postrider {
namespace {

constexpr double kRounding = 1e-9;

TableModel trained_on(const std::string& text, std::size_t epochs) {
  const TableOptions options{.target = "y"};
  TableReader reader = people_reader(text, options);
  TableModelOptions how = small_model(12, epochs);
  how.estimator.target_scale = EstimatorOptions::TargetScale::plain;
  return TableModel::train(reader, how);
}

// y = 2 a b + c + noise.
std::string products(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::string out = "a,b,c,y\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double a = random.normal(), b = random.normal(), c = random.normal();
    out += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," +
           std::to_string(2 * a * b + c + 0.05 * random.normal()) + "\n";
  }
  return out;
}

Table table_of(const TableModel& model, const std::string& text) {
  return people_table(text, model.schema());
}

// Two rows lend each other their values: all four mixtures, told by hand.
TEST(Interactions, AreDifferencesOfDifferences) {
  const TableModel model = trained_on(products(100, 1), 5);
  const Table rows = table_of(model, "a,b,c\n0.5,1.5,0\n-1,-0.3,0\n");
  const auto said = [&](const std::string& a, const std::string& b) {
    return model.predict(table_of(model, "a,b,c\n" + a + "," + b + ",0\n")).mean[0];
  };
  const double one = said("0.5", "1.5"), other = said("-1", "-0.3"), mixed = said("-1", "1.5"),
               mixed_too = said("0.5", "-0.3");
  const double beyond = one - mixed - mixed_too + other, mean = (one + other) / 2;
  const double variance = (std::pow(one - mean, 2) + std::pow(other - mean, 2)) / 2;
  const std::vector<Interaction> found = interactions(model, rows);
  ASSERT_EQ(found.size(), 3u);
  const auto pair = std::find_if(found.begin(), found.end(), [](const Interaction& each) {
    return each.first == "a" && each.second == "b";
  });
  ASSERT_NE(pair, found.end());
  EXPECT_NEAR(pair->share, beyond * beyond / 4 / variance, kRounding);
  EXPECT_NEAR(pair->standard_error, 0, kRounding);  // both rows have the same, with another sign
  for (const Interaction& each : found)
    EXPECT_NEAR(each.second == "c" ? each.share : 0, 0, kRounding);  // c is the same in both
}

// 4 a^2 b^2 of the variance 4 + 1, on average over rows that are drawn.
TEST(Interactions, FindTheProduct) {
  const TableModel model = trained_on(products(600, 1), 80);
  const std::vector<Interaction> found = interactions(model, table_of(model, products(400, 2)));
  EXPECT_EQ(found[0].first, "a");
  EXPECT_EQ(found[0].second, "b");
  EXPECT_NEAR(found[0].share, 0.8, 4 * found[0].standard_error + 0.1);
  EXPECT_GT(found[0].share, 5 * found[1].share);
}

TEST(Interactions, LookAtThePairsOfTheColumnsThatMoveMost) {
  const TableModel model = trained_on(products(300, 1), 30);
  const std::vector<Interaction> found =
      interactions(model, table_of(model, products(100, 2)), {.columns = 2});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first + found[0].second, "ab");
}

TEST(Interactions, RefuseWhatMakesNoSense) {
  const TableModel model = trained_on(products(60, 1), 2);
  const Table rows = table_of(model, products(5, 2));
  EXPECT_EQ(complaint([&] { interactions(model, rows, {.columns = 1}); }),
            "columns = 1: must be at least 2");
  EXPECT_EQ(complaint([&] { interactions(model, rows, {.class_name = "yes"}); }),
            "class_name = \"yes\": must be empty: the target y is a number");
}

}  // namespace
}  // namespace postrider

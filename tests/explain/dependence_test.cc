#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../table/people.h"
#include "complaint.h"
#include "postrider/explain.h"
#include "postrider/importance.h"

namespace postrider {
namespace {

// A hundred numbers of size 1 are added up.
constexpr double kRounding = 1e-12;

TableModel trained(const TableOptions& options) {
  const std::string text = people(300, 1);
  TableReader reader = people_reader(text, options);
  return TableModel::train(reader, small_model(8, 10));
}

Table new_people(const TableModel& model, std::size_t rows) {
  return people_table(people(rows, 2, 0), model.schema());
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Dependence, OfANumberIsWhatRowsWithThatValueAreGiven) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 60);
  const PartialDependence found = partial_dependence(model, rows, "age", {.points = 5});
  ASSERT_EQ(found.x.size(), 5u);
  EXPECT_EQ(found.output, "predicted income");
  EXPECT_TRUE(std::ranges::is_sorted(found.x));
  for (std::size_t k = 0; k < 5; ++k) {
    const std::vector<double> said =
        model.predict(with_value(rows, "age", std::to_string(found.x[k]))).mean;
    EXPECT_NEAR(found.mean[k], mean_of(said), 1e-5);  // the value has six digits
    const auto below =
        std::ranges::count_if(said, [&](double value) { return value < found.low[k] - 1e-5; });
    EXPECT_LE(below, 6);
    EXPECT_GE(found.high[k], found.low[k]);
    EXPECT_GT(found.spread[k], 0);
  }
  EXPECT_GT(found.mean[4], found.mean[0]);
}

TEST(Dependence, OfACategoryHasTheMostFrequentFirst) {
  const TableModel model = trained(rich_options());
  const Table rows = new_people(model, 60);
  const PartialDependence found = partial_dependence(model, rows, "town");
  ASSERT_EQ(found.names.size(), 3u);
  EXPECT_EQ(found.output, "probability of yes");
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> said =
        model.predict(with_value(rows, "town", found.names[k])).probabilities;
    std::vector<double> second;
    for (std::size_t i = 1; i < said.size(); i += 2) second.push_back(said[i]);
    EXPECT_NEAR(found.mean[k], mean_of(second), kRounding);
  }
  const PartialDependence no = partial_dependence(model, rows, "town", {.class_name = "no"});
  EXPECT_NEAR(no.mean[0], 1 - found.mean[0], kRounding);
}

TEST(Dependence, AnotherColumnCanBeFixed) {
  const TableModel model = trained(income_options());
  const Table rows = new_people(model, 60);
  const PartialDependence free = partial_dependence(model, rows, "age"),
                          fixed =
                              partial_dependence(model, rows, "age", {.by = "town", .value = "c"}),
                          by_hand = partial_dependence(model, with_value(rows, "town", "c"), "age");
  EXPECT_EQ(fixed.mean, by_hand.mean);
  EXPECT_NE(fixed.mean, free.mean);
}

TEST(Dependence, WithoutRowsIsByThoseThatTheModelKeeps) {
  const PartialDependence found = partial_dependence(trained(income_options()), {}, "age");
  EXPECT_GT(found.x.size(), 5u);
  EXPECT_GT(found.mean.back(), found.mean.front());
}

TEST(Dependence, RefusesWhatMakesNoSense) {
  const TableModel model = trained(income_options()), classes = trained(rich_options());
  const Table rows = new_people(model, 5);
  EXPECT_EQ(complaint([&] { partial_dependence(model, rows, "income"); }),
            "column = \"income\": must be an input of the model");
  EXPECT_EQ(complaint([&] { partial_dependence(model, rows, "age", {.by = "age"}); }),
            "by = \"age\": must be another column than the one that is moved");
  EXPECT_EQ(complaint([&] { partial_dependence(model, rows, "age", {.points = 1}); }),
            "points = 1: must be at least 2");
  EXPECT_EQ(complaint([&] { partial_dependence(model, rows, "age", {.class_name = "yes"}); }),
            "class_name = \"yes\": must be empty: the target income is a number");
  EXPECT_EQ(complaint([&] {
              partial_dependence(classes, new_people(classes, 5), "age", {.class_name = "maybe"});
            }),
            "class_name = \"maybe\": must be a class of the target");
}

}  // namespace
}  // namespace postrider

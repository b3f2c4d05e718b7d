#include "postrider/weighted_rows.h"

#include <gtest/gtest.h>

#include "complaint.h"
#include "estimator/sine.h"
#include "postrider/classifier.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

const std::vector<double> kInputs{1, 2, 3, 4, 5, 6}, kTargets{10, 20, 30};

WeightedRows weighted(const std::vector<double>& weights, WeightedRows::Order order) {
  return weighted_rows({kInputs, kTargets, weights}, order);
}

TEST(WeightedRows, ARowOfWeightTwoIsTwoRowsAndOneOfWeightZeroIsNone) {
  const WeightedRows found = weighted(std::vector<double>{2, 0, 1}, WeightedRows::Order::given);
  EXPECT_EQ(found.inputs.numbers(), (std::vector<double>{1, 2, 1, 2, 5, 6}));
  EXPECT_EQ(found.targets, (std::vector<double>{10, 10, 30}));
  EXPECT_TRUE(found.weights.empty());
  EXPECT_EQ(found.rows, 3U);
  EXPECT_EQ(found.places, (std::vector<std::size_t>{0, 0, 2}));
}

// In either order, of rows that hold all their numbers or some: a copy is the row of its place.
TEST(WeightedRows, PlacesTellWhichRowEachIsACopyOf) {
  const std::vector<double> weights{1.5, 0, 0.5, 3}, inputs{1, 2, 3, 4, 5, 6, 0, 8},
      targets{40, 20, 30, 10};
  SparseInputs sparse{.columns = 2};
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 2; ++column)
      if (const double value = inputs[2 * row + column]; value != 0) sparse.add(column, value);
    sparse.end_row();
  }
  for (const WeightedRows::Order order :
       {WeightedRows::Order::given, WeightedRows::Order::canonical}) {
    const WeightedRows found = weighted_rows({inputs, targets, weights}, order);
    const WeightedRows of_sparse = weighted_rows({sparse, targets, weights}, order);
    ASSERT_EQ(found.places.size(), 2U + 1 + 3);
    EXPECT_EQ(of_sparse.places.size(), found.places.size());
    std::vector<double> sums(4);
    for (std::size_t i = 0; i < found.rows; ++i) {
      const std::size_t place = found.places[i];
      EXPECT_EQ(found.inputs.numbers()[2 * i], inputs[2 * place]);
      EXPECT_EQ(found.inputs.numbers()[2 * i + 1], inputs[2 * place + 1]);
      EXPECT_EQ(found.targets[i], targets[place]);
      EXPECT_EQ(of_sparse.targets[i], targets[of_sparse.places[i]]);
      sums[place] += found.weights[i];
    }
    for (std::size_t row = 0; row < 4; ++row) EXPECT_DOUBLE_EQ(sums[row], weights[row]);
  }
}

TEST(WeightedRows, NoCopyHasAWeightAboveOneUnlessThereAreSixteen) {
  const WeightedRows found =
      weighted(std::vector<double>{0.25, 2.5, 40}, WeightedRows::Order::given);
  ASSERT_EQ(found.rows, 1U + 3 + 16);
  EXPECT_EQ(found.weights.front(), 0.25);
  EXPECT_DOUBLE_EQ(found.weights[1], 2.5 / 3);
  EXPECT_EQ(found.weights.back(), 2.5);
}

TEST(WeightedRows, TheCanonicalOrderForgetsTheGivenOne) {
  const WeightedRows forwards =
      weighted(std::vector<double>{1, 0.5, 3}, WeightedRows::Order::canonical);
  const std::vector<double> inputs{5, 6, 3, 4, 5, 6, 1, 2, 5, 6}, targets{30, 20, 30, 10, 30},
      weights{1, 0.5, 1, 1, 1};
  const WeightedRows backwards =
      weighted_rows({inputs, targets, weights}, WeightedRows::Order::canonical);
  EXPECT_EQ(forwards.inputs.numbers(), backwards.inputs.numbers());
  EXPECT_EQ(forwards.targets, backwards.targets);
  EXPECT_EQ(forwards.weights, backwards.weights);
}

TEST(WeightedRows, SaysWhatIsWrong) {
  const auto complaint_of = [](const std::vector<double>& weights) {
    return complaint([&] { weighted(weights, WeightedRows::Order::given); });
  };
  EXPECT_EQ(complaint_of({0, 0, 0}), "weights = 0: must be above 0 for at least one row");
  EXPECT_EQ(complaint_of({1, -1, 1}),
            "weights = -1: must be numbers from 0 to 100, since each counts as so many rows: "
            "divide them by "
            "their mean");
  EXPECT_EQ(complaint_of({1, 1}), "weights = 2: must be one for each row, or none");
}

TEST_F(NoisySine, WeightsThatAreAllOneChangeNothing) {
  const EstimatorOptions options{.hidden = {8}, .ensemble_size = 1, .training = {.max_epochs = 5}};
  Regressor without(options), with(options);
  without.fit(training.x, training.y);
  with.fit(training.x, training.y, std::vector<double>(training.y.size(), 1.0));
  EXPECT_EQ(without.predict(held_out.x).mean, with.predict(held_out.x).mean);
  EXPECT_EQ(without.noise_variance(), with.noise_variance());
}

// Rows of two kinds that contradict each other: the heavier kind wins.
TEST_F(NoisySine, HeavierRowsArePredictedBetter) {
  std::vector<double> x = training.x, y = training.y, weights(training.y.size(), 1.0);
  for (const double value : training.x) {
    x.push_back(value);
    y.push_back(3);
    weights.push_back(0.05);
  }
  for (const bool varying : {false, true}) {
    Regressor regressor({.hidden = {8},
                         .ensemble_size = 1,
                         .varying_noise = varying,
                         .training = {.max_epochs = 10}});
    regressor.fit(x, y, weights);
    // Between the two by their shares of the weight: (0 + 0.05 3)/1.05 on average.
    double mean = 0;
    for (const double each : regressor.predict(training.x).mean)
      mean += each / static_cast<double>(training.x.size());
    double expected = 0.05 * 3 / 1.05;
    for (const double each : training.y)
      expected += each / 1.05 / static_cast<double>(training.y.size());
    constexpr double kClose = 0.1;
    EXPECT_NEAR(mean, expected, kClose) << varying;
  }
}

TEST(WeightedRows, ClassesCountByTheirWeights) {
  // The input says nothing: probabilities are the shares of the weights, 3 : 1.
  std::vector<double> x, weights;
  std::vector<std::size_t> labels;
  for (int i = 0; i < 200; ++i) {
    x.push_back(1);
    labels.push_back(static_cast<std::size_t>(i % 2));
    weights.push_back(i % 2 == 1 ? 0.75 : 0.25);
  }
  Classifier classifier({.hidden = {}, .training = {.max_epochs = 20}});
  classifier.fit(x, labels, weights);
  constexpr double kClose = 0.05;
  EXPECT_NEAR(classifier.predict_probabilities(std::vector<double>{1})[1], 0.75, kClose);
}

TEST(WeightedRows, SparseRowsAreInTheOrderOfWholeOnes) {
  std::vector<double> whole, targets, weights;
  SparseInputs sparse{.columns = 3};
  for (std::size_t row = 0; row < 40; ++row) {
    for (std::size_t c = 0; c < 3; ++c) {
      whole.push_back(static_cast<double>((row * 7 + c * 5) % 4));
      if (whole.back() != 0) sparse.add(c, whole.back());
    }
    sparse.end_row();
    targets.push_back(static_cast<double>(row % 3));
    weights.push_back(static_cast<double>(row % 5) / 2);
  }
  for (const WeightedRows::Order order :
       {WeightedRows::Order::given, WeightedRows::Order::canonical}) {
    const WeightedRows expected = weighted_rows({whole, targets, weights}, order);
    const WeightedRows found = weighted_rows({sparse, targets, weights}, order);
    EXPECT_EQ(found.targets, expected.targets);
    EXPECT_EQ(found.weights, expected.weights);
    ASSERT_EQ(found.rows, expected.rows);
    ASSERT_EQ(found.inputs.sparse().rows(), expected.rows);
    std::vector<double> numbers(expected.inputs.numbers().size());
    Inputs(found.inputs).for_each([&](std::size_t row, std::size_t column, double value) {
      numbers[row * 3 + column] = value;
    });
    EXPECT_EQ(numbers, expected.inputs.numbers());
  }
  const std::vector<double> few(3);
  EXPECT_NE(complaint([&] {
              weighted_rows({sparse, targets, few}, WeightedRows::Order::given);
            }).find("one for each row"),
            std::string::npos);
}

}  // namespace
}  // namespace postrider

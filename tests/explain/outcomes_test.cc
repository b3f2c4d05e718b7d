#include "explain/outcomes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

// Means over members, of numbers of size 1.
constexpr double kRounding = 1e-12;

EstimatorOptions small(std::size_t outputs = 1) {
  EstimatorOptions out;
  out.hidden = {6};
  out.ensemble_size = 3;
  out.encoding = Encoding::standard;
  out.training.max_epochs = 3;
  out.outputs = outputs;
  return out;
}

std::vector<double> rows() {
  RandomStream random(1, 0);
  std::vector<double> out(60);
  for (double& x : out) x = random.normal();
  return out;
}

TEST(Outcomes, OfATargetAreMeanAndStandardDeviationAndMembersAverageToTheMean) {
  Regressor regressor(small(2));
  const std::vector<double> inputs = rows(), targets(inputs.begin(), inputs.begin() + 60);
  regressor.fit(Inputs(inputs, 30, 2), targets);
  const Inputs some = Inputs(inputs, 30, 2).part(0, 3);
  const Outcomes found = outcomes_of(regressor, some);
  const Forecast said = regressor.predict(some);
  const std::vector<double> shares = shares_of(regressor);
  ASSERT_EQ(found.quantities, 4u);
  ASSERT_EQ(shares.size(), 3u);
  for (std::size_t place = 0; place < 6; ++place) {
    EXPECT_EQ(found.values[2 * place], said.mean[place]);
    EXPECT_EQ(found.values[2 * place + 1], std::sqrt(said.variance[place]));
    double mean = 0;
    for (std::size_t m = 0; m < 3; ++m) mean += shares[m] * found.of_members[6 * place + m];
    EXPECT_NEAR(mean, said.mean[place], kRounding);
    // The variance of a mixture is at least the mean of its parts'.
    double squares = 0;
    for (std::size_t m = 0; m < 3; ++m)
      squares += shares[m] * std::pow(found.of_members[6 * place + 3 + m], 2);
    EXPECT_LE(squares, said.variance[place] + kRounding);
    EXPECT_GT(squares, 0);
  }
}

TEST(Outcomes, OfClassesAreTheirProbabilities) {
  Classifier classifier(small());
  const std::vector<double> inputs = rows();
  std::vector<std::size_t> labels;
  for (std::size_t row = 0; row < 30; ++row) labels.push_back(row % 3);
  classifier.fit(Inputs(inputs, 30, 2), labels);
  const Outcomes found = outcomes_of(classifier, Inputs(inputs, 30, 2));
  EXPECT_EQ(found.quantities, 3u);
  EXPECT_EQ(found.values, classifier.predict_probabilities(inputs));
  const std::vector<double> shares = shares_of(classifier);
  for (std::size_t place = 0; place < found.values.size(); ++place) {
    double mean = 0;
    for (std::size_t m = 0; m < 3; ++m) mean += shares[m] * found.of_members[3 * place + m];
    EXPECT_NEAR(mean, found.values[place], kRounding);
  }
}

}  // namespace
}  // namespace postrider

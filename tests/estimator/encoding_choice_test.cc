#include "estimator/encoding_choice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "postrider/classifier.h"
#include "postrider/regressor.h"

namespace postrider {
namespace {

struct Rows {
  std::vector<double> inputs, targets;
};

// A staircase: straight lines say little of it.
Rows stairs(std::size_t count) {
  RandomStream random(1, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(0, 8);
    out.inputs.push_back(x);
    out.targets.push_back(std::fmod(std::floor(x) * 3, 8) + 0.1 * random.normal());
  }
  return out;
}

// Inputs over many orders of magnitude, of which the logarithm counts.
Rows powers(std::size_t count) {
  RandomStream random(2, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = random.normal();
    out.inputs.push_back(std::exp(4 * z));
    out.targets.push_back(z + 0.1 * random.normal());
  }
  return out;
}

EstimatorOptions quick(Encoding encoding = Encoding::chosen) {
  EstimatorOptions out{.hidden = {10}, .ensemble_size = 2, .encoding = encoding};
  out.training.max_epochs = 12;
  return out;
}

Encoding used(const Rows& rows, const EstimatorOptions& options) {
  Regressor model(options);
  model.fit(rows.inputs, rows.targets);
  return model.encodings().front().kind;
}

TEST(EncodingChoice, StairsHaveKnotsOrBins) {
  const Encoding found = used(stairs(300), quick());
  EXPECT_TRUE(found == Encoding::piecewise || found == Encoding::bins) << to_string(found);
}

TEST(EncodingChoice, WideRangesAreNotStandardised) {
  EXPECT_NE(used(powers(300), quick()), Encoding::standard);
}

TEST(EncodingChoice, TheChoiceIsBetterThanTheStandard) {
  const Rows rows = stairs(300), test = stairs(300);
  Regressor chosen(quick()), standard(quick(Encoding::standard));
  chosen.fit(rows.inputs, rows.targets);
  standard.fit(rows.inputs, rows.targets);
  EXPECT_GT(chosen.log_likelihood(test.inputs, test.targets),
            standard.log_likelihood(test.inputs, test.targets) + 0.2);
}

TEST(EncodingChoice, WhatWasAskedForIsUsed) {
  for (const Encoding encoding :
       {Encoding::standard, Encoding::quantile, Encoding::piecewise, Encoding::bins})
    EXPECT_EQ(used(stairs(300), quick(encoding)), encoding);
}

// As a network of the standard encoding does, and more.
TEST(EncodingChoice, DoubtGrowsBeyondTheKnots) {
  const Rows rows = stairs(300);
  Regressor model(quick(Encoding::piecewise));
  model.fit(rows.inputs, rows.targets);
  const Forecast at = model.predict(std::vector<double>{4, 9, 16, -8});
  EXPECT_GT(at.variance[1], at.variance[0]);
  EXPECT_GT(at.variance[2], 4 * at.variance[1]);
  EXPECT_GT(at.variance[3], 4 * at.variance[0]);
}

TEST(EncodingChoice, FewRowsAndStreamsAreStandardised) {
  EXPECT_EQ(used(stairs(150), quick()), Encoding::standard);
  const Rows rows = stairs(300);
  Regressor model(quick());
  model.partial_fit(rows.inputs, rows.targets);
  EXPECT_EQ(model.encodings().front().kind, Encoding::standard);
}

TEST(EncodingChoice, ZerosAndOnesLeaveNoChoice) {
  RandomStream random(3, 0);
  Rows rows;
  for (std::size_t i = 0; i < 300; ++i) {
    rows.inputs.push_back(random.uniform() < 0.5 ? 0 : 1);
    rows.targets.push_back(rows.inputs.back() + random.normal());
  }
  EXPECT_EQ(used(rows, quick()), Encoding::standard);
}

TEST(EncodingChoice, ClassesChooseToo) {
  const Rows rows = stairs(300);
  std::vector<std::size_t> labels;
  for (const double target : rows.targets) labels.push_back(target > 3.5 ? 1 : 0);
  Classifier model(quick());
  model.fit(rows.inputs, labels);
  EXPECT_NE(model.encodings().front().kind, Encoding::standard);
  EXPECT_EQ(model.network_inputs().size(), model.network().options().inputs);
}

// One row has the last class: it is learned in two trials of three, and predicted in the third.
TEST(EncodingChoice, ARareClassIsNoTrouble) {
  const Rows rows = stairs(300);
  std::vector<std::size_t> labels;
  for (const double target : rows.targets) labels.push_back(target > 3.5 ? 1 : 0);
  labels.back() = 2;
  Classifier model(quick());
  model.fit(rows.inputs, labels);
  EXPECT_EQ(model.classes(), 3U);
}

}  // namespace
}  // namespace postrider

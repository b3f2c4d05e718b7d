#include "estimator/unusable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "postrider/error.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kMissing = std::numeric_limits<double>::quiet_NaN();

// Columns with means 5 and -1, and standard deviations 2 and 1e-6.
Scales scales() { return {{5, -1}, {2, 1e-6}}; }

TEST(Unusable, OfEachRowTheFirstNumber) {
  const std::vector<double> rows{5,        -1,          // usable
                                 1e121,    kInfinity,   // both are not: the first counts
                                 5,        -1 + 2e6,    // 2e12 standard deviations away
                                 1e12,     -1 - 0.9e6,  // near enough
                                 kMissing, -kInfinity};
  const std::vector<Estimator::UnusableNumber> found = unusable_inputs(scales(), rows);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row, 1u);
  EXPECT_EQ(found[0].column, 0u);
  EXPECT_EQ(found[0].value, 1e121);
  EXPECT_STREQ(found[0].wanted, "must be at most 1e120 in size");
  EXPECT_EQ(found[1].row, 2u);
  EXPECT_EQ(found[1].column, 1u);
  EXPECT_NE(std::string(found[1].wanted).find("1e12 standard deviations"), std::string::npos);
  EXPECT_EQ(found[2].row, 4u);
  EXPECT_EQ(found[2].column, 1u);
  EXPECT_NE(std::string(found[2].wanted).find("must be finite"), std::string::npos);
}

TEST(Unusable, OfSparseRows) {
  SparseInputs rows;
  rows.columns = 2;
  rows.begins = {0, 0, 1, 2};
  rows.places = {1, 0};
  rows.values = {-1, 1e200};
  const std::vector<Estimator::UnusableNumber> found = unusable_inputs(scales(), rows);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 2u);
  EXPECT_EQ(found[0].column, 0u);
}

TEST(Unusable, Targets) {
  const TargetScales scale(Scales{{100}, {10}});
  const std::vector<double> targets{100, 100 + 1.1e13, 100 - 0.9e13, kMissing, -1e130};
  const std::vector<Estimator::UnusableNumber> found = unusable_targets(scale, targets);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row, 1u);
  EXPECT_EQ(found[0].column, Estimator::UnusableNumber::kTarget);
  EXPECT_EQ(found[1].row, 4u);
  EXPECT_THROW(expect_none("targets", found), InvalidArgument);
  EXPECT_NO_THROW(expect_none("targets", {}));
}

// What the list leaves out can be predicted and learned, and what it has cannot.
TEST(Unusable, IsWhatAnEstimatorRefuses) {
  EstimatorOptions options;
  options.hidden = {3};
  options.ensemble_size = 1;
  options.training.max_epochs = 2;
  options.encoding = Encoding::standard;
  Regressor model(options);
  std::vector<double> inputs, targets;
  for (int i = 0; i < 40; ++i) {
    inputs.push_back(i % 7);
    targets.push_back(3.0 * (i % 7));
  }
  EXPECT_THROW(static_cast<void>(model.unusable_inputs(inputs)), NotFitted);
  static_cast<void>(model.fit(inputs, targets));
  for (const double value : {3.0, 1e9, 1e12, 1e14, 1e119, 1e121, kInfinity}) {
    const std::vector<double> one{value}, usual{3.0};
    if (model.unusable_inputs(one).empty())
      EXPECT_TRUE(std::isfinite(model.predict(one).mean.front())) << value;
    else
      EXPECT_THROW(static_cast<void>(model.predict(one)), InvalidArgument) << value;
    if (model.unusable_targets(one).empty())
      EXPECT_NO_THROW(static_cast<void>(model.partial_fit(usual, one))) << value;
    else
      EXPECT_THROW(static_cast<void>(model.partial_fit(usual, one)), InvalidArgument) << value;
  }
  EXPECT_TRUE(model.unusable_inputs(std::vector<double>{3.0, 1e9}).empty());
  EXPECT_EQ(model.unusable_inputs(std::vector<double>{3.0, 1e14}).size(), 1u);
}

}  // namespace
}  // namespace postrider

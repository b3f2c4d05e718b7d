#include "estimator/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "complaint.h"
#include "estimator/labelled.h"
#include "postrider/classifier.h"

namespace postrider {
namespace {

TEST(Calibration, EveryRowIsOnOneSide) {
  constexpr std::size_t kRows = 2000;
  const CalibrationSplit split(kRows, 0.1, 3);
  EXPECT_EQ(split.held_out.size(), 200U);
  std::vector<std::uint32_t> all = split.learned;
  all.insert(all.end(), split.held_out.begin(), split.held_out.end());
  EXPECT_TRUE(std::ranges::is_sorted(split.learned));
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), kRows);
  for (std::size_t row = 0; row < kRows; ++row) EXPECT_EQ(all[row], row);
  EXPECT_NE(CalibrationSplit(kRows, 0.1, 4).held_out, split.held_out);
}

TEST(Calibration, FewRowsAreAllLearned) {
  const CalibrationSplit split(100, 0.05, 1);
  EXPECT_TRUE(split.held_out.empty());
  EXPECT_TRUE(split.learned.empty()) << "all of them";
}

TEST(Calibration, SharesAreChecked) {
  EXPECT_EQ(complaint([] { Classifier({.calibration_share = 0.7}); }),
            "calibration_share = 0.7: must be a number of at least 0 and at most 0.5");
}

TEST(Calibration, TheTemperatureIsKeptWithTheModel) {
  const Labelled training = noisy_xor(1200, 1);
  Classifier classifier({.hidden = {10}, .ensemble_size = 2, .training = {.max_epochs = 3}});
  classifier.fit(training.x, training.y);
  EXPECT_NE(classifier.temperature(), 1);
  Classifier without(
      {.hidden = {10}, .ensemble_size = 2, .calibration_share = 0, .training = {.max_epochs = 3}});
  without.fit(training.x, training.y);
  EXPECT_EQ(without.temperature(), 1);
}

}  // namespace
}  // namespace postrider

#include "estimator/calibration.h"

#include <gtest/gtest.h>

#include <set>

#include "complaint.h"
#include "estimator/labelled.h"
#include "postrider/classifier.h"

namespace postrider {
namespace {

TEST(Calibration, EveryRowIsOnOneSide) {
  constexpr std::size_t kRows = 2000;
  std::vector<double> inputs;
  std::vector<std::size_t> labels;
  for (std::size_t row = 0; row < kRows; ++row) {
    inputs.insert(inputs.end(), {static_cast<double>(row), -1.0 * static_cast<double>(row)});
    labels.push_back(row % 7);
  }
  const CalibrationSplit split(inputs, labels, {}, 0.1, 3);
  EXPECT_EQ(split.kept_back.labels.size(), 200U);
  std::set<double> seen;
  for (const LabelledRows* rows : {&split.learned, &split.kept_back}) {
    ASSERT_EQ(rows->inputs.size(), 2 * rows->labels.size());
    for (std::size_t i = 0; i < rows->labels.size(); ++i) {
      seen.insert(rows->inputs[2 * i]);
      EXPECT_EQ(rows->inputs[2 * i + 1], -rows->inputs[2 * i]);
      EXPECT_EQ(rows->labels[i], static_cast<std::size_t>(rows->inputs[2 * i]) % 7);
    }
  }
  EXPECT_EQ(seen.size(), kRows);
  EXPECT_NE(CalibrationSplit(inputs, labels, {}, 0.1, 4).kept_back.inputs, split.kept_back.inputs);
}

TEST(Calibration, FewRowsAreAllLearned) {
  const std::vector<double> inputs(100);
  const std::vector<std::size_t> labels(100);
  EXPECT_TRUE(CalibrationSplit(inputs, labels, {}, 0.05, 1).kept_back.labels.empty());
}

TEST(Calibration, SharesAreChecked) {
  EXPECT_EQ(complaint([] { Classifier({.calibration_share = 0.7}); }),
            "calibration_share = 0.7: must lie between 0 and 0.5");
}

TEST(Calibration, TheTemperatureIsKeptWithTheModel) {
  const Labelled training = noisy_xor(1200, 1);
  Classifier classifier({.hidden = {10}, .members = 2, .training = {.max_epochs = 3}});
  classifier.fit(training.x, training.y);
  EXPECT_NE(classifier.temperature(), 1);
  Classifier without(
      {.hidden = {10}, .members = 2, .calibration_share = 0, .training = {.max_epochs = 3}});
  without.fit(training.x, training.y);
  EXPECT_EQ(without.temperature(), 1);
}

}  // namespace
}  // namespace postrider

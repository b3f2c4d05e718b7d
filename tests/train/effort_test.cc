#include <gtest/gtest.h>

#include <cmath>

#include "train/option_table.h"
#include "train/stopping.h"

namespace postrider::network {
using namespace internal;
namespace {

// After so many epochs whose score rises as the logarithm of their number, by this much for each e-fold.
Progress<float> rising(std::size_t epochs, double slope) {
  Progress<float> out;
  for (std::size_t e = 1; e <= epochs; ++e) {
    EpochReport report;
    report.epoch = e;
    report.score = slope * std::log(static_cast<double>(e));
    out.epochs.push_back(report);
    out.epoch = out.best_epoch = e;
    out.best_score = report.score;
  }
  return out;
}

bool stops(TrainerOptions::Effort effort, std::size_t epochs, double slope) {
  FitReport::StopReason reason = FitReport::StopReason::converged;
  const bool out =
      should_stop({.max_epochs = 10000, .effort = effort}, 1000, rising(epochs, slope), reason);
  if (out) {
    EXPECT_EQ(reason, FitReport::StopReason::little_to_gain);
  }
  return out;
}

// Another tenth of the time gains slope * log(1.1): this much is just not worth it, or just is.
double slope_for(double gain) { return gain / std::log(1.1); }

TEST(Effort, SaysWhatAnotherTenthOfTheTimeMustGain) {
  for (const auto& [effort, fewest, worth] : {std::tuple{TrainerOptions::Effort::quick, 16, 0.01},
                                              {TrainerOptions::Effort::standard, 100, 0.002},
                                              {TrainerOptions::Effort::thorough, 200, 0.0005}}) {
    const auto epochs = static_cast<std::size_t>(3 * fewest);
    EXPECT_TRUE(stops(effort, epochs, slope_for(0.9 * worth))) << fewest;
    EXPECT_FALSE(stops(effort, epochs, slope_for(1.2 * worth))) << fewest;
    EXPECT_FALSE(stops(effort, static_cast<std::size_t>(fewest - 1), slope_for(0.9 * worth)));
  }
}

TEST(Effort, ChoosesPatienceAndEpochsThatNobodyAskedFor) {
  EXPECT_EQ(patience_of({}, 500), 30U);
  EXPECT_EQ(patience_of({.effort = TrainerOptions::Effort::quick}, 500), 6U);
  EXPECT_EQ(patience_of({.effort = TrainerOptions::Effort::thorough}, 500), 60U);
  EXPECT_EQ(patience_of({.patience = 7, .effort = TrainerOptions::Effort::thorough}, 500), 7U);
  EXPECT_EQ(most_epochs({}, 500), 400U);
  EXPECT_EQ(most_epochs({.effort = TrainerOptions::Effort::quick}, 500), 100U);
  EXPECT_EQ(most_epochs({.effort = TrainerOptions::Effort::quick}, 1000000), 10U);
  EXPECT_EQ(most_epochs({.effort = TrainerOptions::Effort::thorough}, 500), 1000U);
  EXPECT_EQ(most_epochs({.max_epochs = 3, .effort = TrainerOptions::Effort::thorough}, 500), 3U);
}

TEST(Effort, ManyRowsAreAskedEarlier) {
  EXPECT_EQ(patience_of({}, 20000), 10U);
  EXPECT_EQ(fewest_epochs({}, 20000), 10U);
  EXPECT_EQ(patience_of({}, 1000000), 3U);
  EXPECT_EQ(patience_of({.effort = TrainerOptions::Effort::thorough}, 20000), 25U);
  EXPECT_EQ(fewest_epochs({}, 1000), 100U);
  EXPECT_EQ(fewest_epochs({.patience = 35}, 20000), 35U);
  EXPECT_EQ(fewest_epochs({.effort = TrainerOptions::Effort::quick}, 1000000), 3U);
  EXPECT_EQ(fewest_epochs({.max_epochs = 3}, 1000), 100U) << "what is asked for says nothing";
}

}  // namespace
}  // namespace postrider::network

#include "postrider/time_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "postrider/error.h"

namespace postrider::network {
namespace {

using namespace std::chrono_literals;

TEST(TimeBudget, EndsTrainingWhenItIsOverAndAnEpochIsLearned) {
  const TimeBudget budget(0.05);
  const TrainingCallbacks callbacks = budget.limiting({});
  EXPECT_FALSE(budget.is_over());
  std::this_thread::sleep_for(60ms);
  EXPECT_TRUE(budget.is_over());
  EXPECT_FALSE(callbacks.interrupted()) << "a part of an epoch is no model";
  EXPECT_TRUE(callbacks.ends_first_epoch()) << "unless there is one";
  EXPECT_FALSE(callbacks.progress({})) << "the first epoch is learned: it ends";
  EXPECT_TRUE(callbacks.interrupted());
}

TEST(TimeBudget, EndsChoosingAfterHalfOfTheTime) {
  const TrainingCallbacks callbacks = TimeBudget(0.4).limiting({});
  EXPECT_FALSE(callbacks.ends_choosing());
  std::this_thread::sleep_for(210ms);
  EXPECT_TRUE(callbacks.ends_choosing());
  EXPECT_TRUE(callbacks.progress({})) << "half of it is left";
  EXPECT_FALSE(callbacks.interrupted());
}

TEST(TimeBudget, LeavesWhatWasThere) {
  bool asks = false;
  EpochReport second, third;
  second.epoch = 2;
  third.epoch = 3;
  TrainingCallbacks given;
  given.progress = [&](const EpochReport& report) { return report.epoch < 3; };
  given.interrupted = given.ends_choosing = [&] { return asks; };
  for (const TimeBudget& budget : {TimeBudget(), TimeBudget(1000)}) {
    const TrainingCallbacks limited = budget.limiting(given);
    asks = false;
    EXPECT_TRUE(limited.progress(second));
    EXPECT_FALSE(limited.progress(third));
    EXPECT_FALSE(limited.interrupted() || limited.ends_choosing());
    asks = true;
    EXPECT_TRUE(limited.interrupted() && limited.ends_choosing());
  }
  EXPECT_EQ(TimeBudget().seconds_left(), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(TimeBudget(1000).seconds_left(), 1000, 10);
  EXPECT_FALSE(TimeBudget().limiting({}).progress) << "nobody asks for a budget without an end";
}

TEST(TimeBudget, RefusesTimesThatAreNone) {
  for (const double seconds : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(TimeBudget{seconds}, InvalidArgument);
  EXPECT_FALSE(TimeBudget(1e300).is_over());
}

}  // namespace
}  // namespace postrider::network

#include <gtest/gtest.h>

#include <cmath>

#include "sweep/workspace.h"
#include "train/progress.h"

namespace postrider::network {
using namespace internal;
namespace {

// Sends N(target, noise) to the first output, and N(2 target, noise) to the second, which is told what was
// said without the group; nothing if there is no target.
class TwoOutputs : public Observation<double> {
 public:
  std::size_t targets_per_row() const override { return 1; }
  std::size_t first_left_out_output(std::size_t) const override { return 1; }
  Observed observe(const OutputRow<double>& row, const OutputBack<double>& back,
                   SweepRecord& record) override {
    ++record.guarded;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool missing = std::isnan(row.targets[0]);
      const double mean = static_cast<double>(k + 1) * row.targets[0] + 0.1 * row.mean[k];
      back.shift[k] = missing ? 0 : mean - row.mean[k];
      back.least[k] = missing ? kVague : row.noise_variance[0];
      back.spread[k] = missing ? kVague : row.noise_variance[0] + row.variance[k];
    }
    return {row.mean[0], row.mean[1]};
  }
};

struct Row {
  std::vector<double> mean, variance, targets, noise{0.5};

  OutputRow<double> view() const { return {mean, variance, targets, noise}; }
};

TEST(LeftOut, OutputsHearWhatWasSaidWithoutTheGroup) {
  const std::vector<Row> left_out{{{1, 2}, {3, 4}, {5}}, {{6, 7}, {8, 9}, {10}}};
  const std::vector<Row> learned{{{1.5, 2.5}, {3.5, 4.5}, {5}}, {{6.5, 7.5}, {8.5, 9.5}, {10}}};
  TwoOutputs of;
  LeftOutObservation<double> observation(of);
  EXPECT_EQ(observation.targets_per_row(), 1U);
  for (const Row& row : left_out) {
    const Observed found = observation.observe_left_out(row.view());
    EXPECT_EQ(found.log_likelihood, row.mean[0]);
    EXPECT_EQ(found.noise_slope, row.mean[1]);
  }
  SweepRecord record;
  for (std::size_t n = 0; n < learned.size(); ++n) {
    std::vector<double> shift(2), spread(2), least(2);
    observation.observe(learned[n].view(), {shift, spread, least}, record);
    const double target = learned[n].targets[0];
    EXPECT_DOUBLE_EQ(learned[n].mean[0] + shift[0], target + 0.1 * learned[n].mean[0])
        << "the first output hears what is said now";
    EXPECT_DOUBLE_EQ(learned[n].mean[1] + shift[1], 2 * target + 0.1 * left_out[n].mean[1]);
    EXPECT_DOUBLE_EQ(least[1], 0.5);
    EXPECT_DOUBLE_EQ(spread[1], 0.5 + learned[n].variance[1]);
  }
  EXPECT_EQ(record.guarded, learned.size()) << "events are those of learning";
}

TEST(LeftOut, NothingStaysNothing) {
  TwoOutputs of;
  LeftOutObservation<double> observation(of);
  const Row missing{{1, 2}, {3, 4}, {std::nan("")}};
  observation.observe_left_out(missing.view());
  std::vector<double> shift(2), spread(2), least(2);
  SweepRecord record;
  observation.observe(missing.view(), {shift, spread, least}, record);
  EXPECT_EQ(shift[1], 0);
  EXPECT_EQ(spread[1], kVague);
  EXPECT_EQ(least[1], kVague);
}

}  // namespace
}  // namespace postrider::network

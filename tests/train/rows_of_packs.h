// Rows of networks side by side, for observations of packs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.h"
#include "sweep/workspace.h"
#include "train/targets.h"

namespace postrider::network {
using namespace internal;

// One example of each network, no two alike; every third network has no target.
template <class T>
struct PackOfRows {
  std::size_t outputs, per_row;
  std::vector<T> mean, variance, targets, noise, shift, spread, least;

  PackOfRows(std::size_t outputs_of_one, std::size_t targets_of_one, std::uint64_t stream,
             const std::function<double(RandomStream&)>& target)
      : outputs(outputs_of_one), per_row(targets_of_one) {
    RandomStream random(11, stream);
    for (std::size_t i = 0; i < outputs * kPack; ++i) {
      mean.push_back(static_cast<T>(random.normal()));
      variance.push_back(static_cast<T>(random.log_uniform(0.01, 2)));
    }
    for (std::size_t i = 0; i < per_row * kPack; ++i)
      targets.push_back(i % 3 == 1 ? std::numeric_limits<T>::quiet_NaN()
                                   : static_cast<T>(target(random)));
    for (std::size_t lane = 0; lane < kPack; ++lane)
      noise.push_back(static_cast<T>(random.log_uniform(0.01, 1)));
    shift.resize(mean.size());
    spread = least = shift;
  }

  std::vector<T> lane(const std::vector<T>& pack, std::size_t at) const {
    std::vector<T> out;
    for (std::size_t i = at; i < pack.size(); i += kPack) out.push_back(pack[i]);
    return out;
  }
};

inline void expect_same_bits(double found, double alone) {
  EXPECT_TRUE(found == alone || (std::isnan(found) && std::isnan(alone)))
      << found << " instead of " << alone;
}

// As of a row whose targets are all missing.
template <class T>
void expect_nothing_said(const Observed& observed, const std::vector<T>& shift,
                         const std::vector<T>& least) {
  EXPECT_TRUE(std::isnan(observed.log_likelihood));
  EXPECT_EQ(shift, std::vector<T>(shift.size()));
  EXPECT_EQ(least, std::vector<T>(least.size(), static_cast<T>(kVague)));
}

// Each network hears what it would hear alone, to the bit. Returns how many messages were guarded.
template <class T>
std::size_t expect_pack_as_alone(PackOfRows<T>& rows, Observation<T>& observation) {
  const PackObserved found = observation.observe_pack(
      {rows.mean, rows.variance, rows.targets, rows.noise}, {rows.shift, rows.spread, rows.least});
  std::size_t guarded = 0;
  for (std::size_t lane = 0; lane < kPack; ++lane) {
    SCOPED_TRACE(lane);
    std::vector<T> shift(rows.outputs), spread(rows.outputs), least(rows.outputs);
    SweepRecord record;
    const std::vector<T> mean = rows.lane(rows.mean, lane),
                         variance = rows.lane(rows.variance, lane),
                         targets = rows.lane(rows.targets, lane);
    const Observed alone =
        observation.observe({mean, variance, targets, std::vector<T>{rows.noise[lane]}},
                            {shift, spread, least}, record);
    expect_same_bits(found.observed[lane].log_likelihood, alone.log_likelihood);
    expect_same_bits(found.observed[lane].noise_slope, alone.noise_slope);
    EXPECT_EQ(found.guarded[lane], record.guarded);
    EXPECT_EQ(rows.lane(rows.shift, lane), shift);
    EXPECT_EQ(rows.lane(rows.spread, lane), spread);
    EXPECT_EQ(rows.lane(rows.least, lane), least);
    if (std::ranges::all_of(targets, [](T target) { return std::isnan(target); }))
      expect_nothing_said(found.observed[lane], shift, least);
    guarded += record.guarded;
  }
  return guarded;
}

}  // namespace postrider::network

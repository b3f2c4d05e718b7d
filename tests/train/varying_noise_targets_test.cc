#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "complaint.h"
#include "factor/varying_noise.h"
#include "sweep/workspace.h"
#include "train/rows_of_packs.h"
#include "train/targets.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-12;

struct Row {
  std::vector<double> mean, variance, shift, spread, least;
  Observed observed;
  SweepRecord record;

  Row(std::vector<double> means, std::vector<double> variances, const std::vector<double>& targets,
      double noise)
      : mean(std::move(means)),
        variance(std::move(variances)),
        shift(mean.size()),
        spread(mean.size()),
        least(mean.size()) {
    const auto kind = make_targets<double>(Likelihood::varying_noise, mean.size());
    EXPECT_EQ(kind->per_row(), targets.size());
    observed = kind->observation()->observe({mean, variance, targets, std::vector{noise}},
                                            {shift, spread, least}, record);
  }
};

TEST(VaryingNoiseTargets, SendWhatTheFactorSays) {
  const Row row({0.5, -0.2}, {1.5, 0.4}, {1.1}, 0.3);
  const auto said = varying_noise_derivatives({0.6, 1.5, -0.2, 0.4, 0.3});
  EXPECT_NEAR(row.shift[0], said.x_g1 / said.x_g2, kRounding);
  EXPECT_NEAR(row.least[0], 1 / said.x_g2 - 1.5, kRounding);
  EXPECT_NEAR(row.shift[1], said.log_g1 / said.log_g2, kRounding);
  EXPECT_NEAR(row.spread[1], 1 / said.log_g2, kRounding);
  EXPECT_NEAR(row.observed.log_likelihood, said.log_z, kRounding);
  EXPECT_NEAR(row.observed.noise_slope, said.scale_slope, kRounding);
}

TEST(VaryingNoiseTargets, AMissingOneOfSeveralTeachesNothing) {
  const Row row({0, 1, 0, 0.5}, {1, 1, 0.3, 0.3}, {0.7, kMissing}, 0.5);
  EXPECT_NEAR(row.observed.log_likelihood, varying_noise_log_density({0.7, 1, 0, 0.3, 0.5}),
              kRounding);
  for (const std::size_t silent : {1U, 3U}) {
    EXPECT_EQ(row.shift[silent], 0);
    EXPECT_EQ(row.least[silent], kVague);
  }
  EXPECT_TRUE(std::isnan(Row({0, 0}, {1, 1}, {kMissing}, 0.5).observed.log_likelihood));
}

// Targets so far off that some messages must be guarded.
template <class T>
void test_pack(std::size_t targets, bool noise_may_vary) {
  const auto kind = make_targets<T>(Likelihood::varying_noise, 2 * targets);
  const auto observation = kind->observation(noise_may_vary);
  std::size_t guarded = 0;
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    PackOfRows<T> rows(2 * targets, targets, stream,
                       [](RandomStream& random) { return 3 * random.normal(); });
    guarded += expect_pack_as_alone(rows, *observation);
  }
  EXPECT_GT(guarded, 0U);
}

TEST(VaryingNoiseTargets, NetworksSideBySideHearWhatTheyHearAlone) {
  for (const std::size_t targets : {1U, 3U})
    for (const bool noise_may_vary : {true, false}) {
      test_pack<float>(targets, noise_may_vary);
      test_pack<double>(targets, noise_may_vary);
    }
}

// The lanes' order is not the code's own word for it: each lane against the factor.
TEST(VaryingNoiseTargets, ALaneOfAPackIsANetwork) {
  const auto observation = make_targets<double>(Likelihood::varying_noise, 2)->observation();
  PackOfRows<double> rows(2, 1, 0, [](RandomStream& random) { return random.normal(); });
  const PackObserved found = observation->observe_pack(
      {rows.mean, rows.variance, rows.targets, rows.noise}, {rows.shift, rows.spread, rows.least});
  for (std::size_t lane = 0; lane < kPack; ++lane) {
    SCOPED_TRACE(lane);
    if (lane % 3 == 1) {
      EXPECT_TRUE(std::isnan(found.observed[lane].log_likelihood));
      EXPECT_EQ(found.observed[lane].noise_slope, 0);
      EXPECT_EQ(found.guarded[lane], 0U);
      for (const std::size_t at : {lane, kPack + lane}) {
        EXPECT_EQ(rows.shift[at], 0);
        EXPECT_EQ(rows.spread[at], kVague);
        EXPECT_EQ(rows.least[at], kVague);
      }
      continue;
    }
    const auto said = varying_noise_derivatives({rows.targets[lane] - rows.mean[lane],
                                                 rows.variance[lane], rows.mean[kPack + lane],
                                                 rows.variance[kPack + lane], rows.noise[lane]});
    EXPECT_NEAR(found.observed[lane].log_likelihood, said.log_z, kRounding);
    EXPECT_NEAR(found.observed[lane].noise_slope, said.scale_slope, kRounding);
    EXPECT_NEAR(rows.shift[lane] * said.x_g2, said.x_g1, kRounding * (1 + std::abs(said.x_g1)));
    EXPECT_NEAR(rows.shift[kPack + lane] * said.log_g2, said.log_g1, kRounding);
  }
}

TEST(VaryingNoiseTargets, AreScoredByTheirDensity) {
  const auto targets = make_targets<double>(Likelihood::varying_noise, 2);
  targets->load(std::vector<double>{0.5, kMissing, -1}, 3);
  const std::vector<double> mean{0, 0.1, 9, 9, -0.5, 0.4}, variance{1, 0.2, 9, 9, 0.5, 0.1};
  EXPECT_NEAR(targets->assess_all({mean, variance}, {0.3}).score,
              0.5 * (varying_noise_log_density({0.5, 1, 0.1, 0.2, 0.3}) +
                     varying_noise_log_density({-0.5, 0.5, 0.4, 0.1, 0.3})),
              kRounding);
}

// Rows say b exp(h) together: b takes over what all rows' h have in common, with a tenth in each epoch.
TEST(VaryingNoiseTargets, TheCommonNoiseFollowsTheLevelOfItsRows) {
  const auto targets = make_targets<double>(Likelihood::varying_noise, 4);
  targets->load(std::vector<double>{0, 1, 2, 3}, 2, std::vector<double>{1, 3});
  const std::vector<double> mean{0, 0, 1, 3, 0, 0, 5, 7}, variance(8, 0.1);
  const std::vector<Observed> observed{{-1, 0}, {-2, 0}};
  const std::vector<std::uint32_t> rows{0, 1};
  const Assessment found = targets->assess({mean, variance, observed}, {0.3}, rows);
  EXPECT_EQ(found.evidence.levels, (std::vector<double>{2, 6}));
  // No slopes: the noise is where its rows want it, but for the level, (2 + 3 * 6) / 4.
  EXPECT_NEAR(targets->learned_noise({0.3}, found.evidence, false)[0], 0.3 * std::exp(0.5),
              kRounding);
  Assessment twice = found;
  twice.add(found);
  EXPECT_EQ(twice.evidence.levels, (std::vector<double>{2, 6, 2, 6}));
}

// E[scale exp(g)] = scale exp(m_g + v_g / 2).
TEST(VaryingNoiseTargets, TheTypicalNoiseIsThatOfTheRowInTheMiddle) {
  const auto targets = make_targets<double>(Likelihood::varying_noise, 2);
  const std::vector<double> mean{0, 3, 0, -0.5, 0, 0.1}, variance{1, 0.1, 1, 0.4, 1, 0.2};
  EXPECT_NEAR(targets->typical_noise({mean, variance}, {0.3}), 0.3 * std::exp(0.2), kRounding);
  const auto gaussian = make_targets<double>(Likelihood::gaussian, 2);
  EXPECT_EQ(gaussian->typical_noise({mean, variance}, {0.3, 0.7}), 0.3);
}

TEST(VaryingNoiseTargets, MistakesAreNamed) {
  EXPECT_EQ(complaint([] { make_targets<double>(Likelihood::varying_noise, 3); }),
            "outputs = 3: must be two per target where the noise varies");
  const auto targets = make_targets<double>(Likelihood::varying_noise, 2);
  EXPECT_EQ(complaint([&] {
              targets->load(std::vector<double>{1, 2}, 1);
            }),
            "targets = 2: must hold one value per row and mean");
  EXPECT_EQ(complaint([&] {
              targets->first_noise({1, 2});
            }),
            "noise_variance = 2: must hold one value where the noise varies");
}

}  // namespace
}  // namespace postrider::network

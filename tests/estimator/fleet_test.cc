#include "postrider/fleet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "complaint.h"
#include "estimator/labelled.h"
#include "estimator/sine.h"
#include "files.h"
#include "postrider/classifier.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

// As many as lanes are worth taking for them alone.
constexpr std::size_t kManyMembers = 12;
// Another order of sums in double, after a few epochs.
constexpr double kRounding = 1e-9;

EstimatorOptions small(std::size_t members) {
  EstimatorOptions out{.hidden = {6}, .weights_per_example = 0, .ensemble_size = members};
  out.encoding = Encoding::standard;
  out.precision = network::Precision::float64;
  out.training.max_epochs = 5;
  return out;
}

// Sines of other sizes, in other units.
std::vector<Sine> sensors(std::size_t count) {
  std::vector<Sine> out;
  for (std::size_t k = 0; k < count; ++k) {
    out.push_back(noisy_sine(40 + 17 * k, k + 1));
    for (double& y : out.back().y) y = 1000.0 * static_cast<double>(k) + 10 * y;
  }
  return out;
}

std::vector<Examples> rows_of(const std::vector<Sine>& sensors) {
  std::vector<Examples> out;
  for (const Sine& sensor : sensors) out.push_back({sensor.x, sensor.y});
  return out;
}

std::vector<Regressor> regressors(std::size_t count, const EstimatorOptions& options) {
  std::vector<Regressor> out;
  for (std::size_t k = 0; k < count; ++k) {
    EstimatorOptions own = options;
    own.training.seed = k + 1;
    out.emplace_back(own);
  }
  return out;
}

void expect_same_reports(const std::vector<FitReport>& found, const std::vector<FitReport>& alone,
                         double tolerance) {
  ASSERT_EQ(found.size(), alone.size());
  for (std::size_t m = 0; m < found.size(); ++m) {
    EXPECT_EQ(found[m].best_epoch, alone[m].best_epoch);
    EXPECT_EQ(found[m].reason, alone[m].reason);
    ASSERT_EQ(found[m].epochs.size(), alone[m].epochs.size());
    for (std::size_t e = 0; e < found[m].epochs.size(); ++e) {
      EXPECT_EQ(found[m].epochs[e].member, m);
      EXPECT_NEAR(found[m].epochs[e].score, alone[m].epochs[e].score, tolerance);
    }
  }
}

// Beliefs in all weights.
void expect_same_networks(const Estimator& found, const Estimator& alone, double tolerance) {
  ASSERT_EQ(found.ensemble_size(), alone.ensemble_size());
  for (std::size_t m = 0; m < found.ensemble_size(); ++m) {
    const network::Network &a = found.network(m), &b = alone.network(m);
    ASSERT_EQ(a.weight_count(), b.weight_count());
    for (std::size_t w = 0; w < a.weight_count(); ++w) {
      EXPECT_NEAR(a.weight(w).mean(), b.weight(w).mean(), tolerance);
      EXPECT_NEAR(a.weight(w).variance(), b.weight(w).variance(), tolerance);
    }
  }
}

TEST(Fleet, EveryModelIsWhatFitMakesOfIt) {
  const std::vector<Sine> data = sensors(4);
  // Few members are put into lanes in a fleet only, many also alone: then the bits are the same.
  for (const std::size_t members : {std::size_t{1}, std::size_t{5}, kManyMembers})
    for (const bool varying_noise : {false, true}) {
      SCOPED_TRACE(members);
      EstimatorOptions options = small(members);
      options.varying_noise = varying_noise;
      std::vector<Regressor> fleet = regressors(4, options), alone = regressors(4, options);
      const std::vector<FleetReport> reports = fit_fleet(fleet, rows_of(data));
      ASSERT_EQ(reports.size(), 4U);
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(reports[k].failure, "");
        expect_same_reports(reports[k].fits, alone[k].fit(data[k].x, data[k].y), kRounding);
        expect_same_networks(fleet[k], alone[k], kRounding);
        EXPECT_EQ(fleet[k].rows_learned(), data[k].y.size());
        EXPECT_EQ(fleet[k].target_scales().front().std, alone[k].target_scales().front().std);
      }
    }
}

TEST(Fleet, LanesThatAreTakenEitherWayGiveTheSameBits) {
  const std::vector<Sine> data = sensors(2);
  EstimatorOptions options = small(16);
  options.precision = network::Precision::float32;
  std::vector<Regressor> fleet = regressors(2, options), alone = regressors(2, options);
  fit_fleet(fleet, rows_of(data));
  for (std::size_t k = 0; k < 2; ++k) {
    alone[k].fit(data[k].x, data[k].y);
    expect_same_networks(fleet[k], alone[k], 0);
  }
}

TEST(Fleet, TheOthersDoNotMatter) {
  const std::vector<Sine> data = sensors(16);
  EstimatorOptions options = small(1);
  std::vector<Regressor> all = regressors(16, options), backwards = regressors(16, options);
  std::vector<Examples> rows = rows_of(data);
  fit_fleet(all, rows);
  std::vector<Regressor*> models;
  for (Regressor& model : backwards) models.push_back(&model);
  std::ranges::reverse(models);
  std::ranges::reverse(rows);
  fit_fleet(models, rows);
  for (std::size_t k = 0; k < 16; ++k) expect_same_networks(backwards[k], all[k], 0);
}

TEST(Fleet, ThreadsDoNotMatter) {
  const std::vector<Sine> data = sensors(5);
  EstimatorOptions options = small(kManyMembers);
  std::vector<Regressor> one = regressors(5, options);
  options.training.threads = 4;
  std::vector<Regressor> four = regressors(5, options);
  std::size_t told = 0;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport&) { return ++told > 0; };
  fit_fleet(one, rows_of(data));
  fit_fleet(four, rows_of(data), callbacks);
  for (std::size_t k = 0; k < 5; ++k) expect_same_networks(four[k], one[k], 0);
  EXPECT_EQ(told, 5 * kManyMembers * options.training.max_epochs);
}

// One that has far more rows than the others is not worth fifteen lanes that wait for it.
TEST(Fleet, SizesMayDifferByFar) {
  std::vector<Sine> data = sensors(16);
  data[7] = noisy_sine(1500, 1);
  EstimatorOptions options = small(1);
  std::vector<Regressor> fleet = regressors(16, options), alone = regressors(16, options);
  fit_fleet(fleet, rows_of(data));
  for (std::size_t k = 0; k < 16; ++k) {
    alone[k].fit(data[k].x, data[k].y);
    expect_same_networks(fleet[k], alone[k], kRounding);
  }
}

// Sixteen networks would have to share messages among examples where one need not.
TEST(Fleet, LanesAreNotTakenWhereGroupsWouldBeOthers) {
  const std::vector<Sine> data = sensors(16);
  EstimatorOptions options = small(1);
  options.training.store_budget = std::size_t{1} << 19;
  std::vector<Regressor> fleet = regressors(16, options), alone = regressors(16, options);
  fit_fleet(fleet, rows_of(data));
  for (std::size_t k = 0; k < 16; ++k) {
    alone[k].fit(data[k].x, data[k].y);
    expect_same_networks(fleet[k], alone[k], kRounding);
  }
}

TEST(Fleet, ClassifiersOfOtherClassesAndSizes) {
  std::vector<Labelled> data{noisy_xor(60, 1), rings(90, 3, 2), noisy_xor(1100, 3),
                             rings(70, 3, 4)};
  EstimatorOptions options = small(3);
  std::vector<Classifier> fleet, alone;
  std::vector<std::vector<double>> labels;
  for (const Labelled& each : data) labels.emplace_back(each.y.begin(), each.y.end());
  std::vector<Examples> rows;
  for (std::size_t k = 0; k < data.size(); ++k) {
    rows.push_back({data[k].x, labels[k]});
    fleet.emplace_back(options);
    alone.emplace_back(options);
  }
  fit_fleet(fleet, rows);
  for (std::size_t k = 0; k < data.size(); ++k) {
    alone[k].fit(data[k].x, data[k].y);
    EXPECT_EQ(fleet[k].classes(), k % 2 == 0 ? 2U : 3U);
    expect_same_networks(fleet[k], alone[k], kRounding);
    EXPECT_NEAR(fleet[k].temperature(), alone[k].temperature(), kRounding);
  }
  EXPECT_NE(fleet[2].temperature(), 1);
}

TEST(Fleet, WeightsAreThoseOfTheModel) {
  const Sine data = noisy_sine(80, 1);
  std::vector<double> weights(80, 1);
  for (std::size_t i = 0; i < 40; ++i) weights[i] = 0.1;
  std::vector<Regressor> fleet = regressors(2, small(1));
  Regressor alone(small(1));
  fit_fleet(fleet, std::vector<Examples>{{data.x, data.y, weights}, {data.x, data.y}});
  alone.fit(data.x, data.y, weights);
  expect_same_networks(fleet[0], alone, kRounding);
}

// The others of the fleet have groups of their own, or none.
TEST(Fleet, GroupsAreThoseOfTheModel) {
  const std::vector<Sine> data = sensors(3);
  std::vector<std::vector<std::uint32_t>> groups(3);
  for (std::uint32_t i = 0; i < data[0].y.size(); ++i) groups[0].push_back(i / 3);
  for (std::uint32_t i = 0; i < data[2].y.size(); ++i) groups[2].push_back(i % 11);
  std::vector<Examples> rows = rows_of(data);
  for (std::size_t k = 0; k < 3; ++k) rows[k].groups = groups[k];
  std::vector<Regressor> fleet = regressors(3, small(8)), alone = regressors(3, small(8)),
                         without = regressors(3, small(8));
  fit_fleet(fleet, rows);
  for (std::size_t k = 0; k < 3; ++k) {
    alone[k].fit(data[k].x, data[k].y, {}, {}, groups[k]);
    without[k].fit(data[k].x, data[k].y);
    expect_same_networks(fleet[k], alone[k], kRounding);
    const auto own = [](const Regressor& of) { return of.out_of_fold_score()->log_likelihood; };
    EXPECT_NEAR(own(fleet[k]), own(alone[k]), kRounding);
    EXPECT_EQ(std::abs(own(fleet[k]) - own(without[k])) > kRounding, k != 1);
  }
  rows[2].groups = groups[0];
  EXPECT_EQ(complaint([&] { fit_fleet(fleet, rows); }),
            "model 2: groups = 40: must be one for each row, or none");
}

TEST(Fleet, GroupsOfClassifiersAreThoseOfTheModel) {
  const Labelled data = noisy_xor(90, 1);
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < 90; ++i) groups.push_back(i % 10);
  std::vector<Classifier> fleet;
  for (int k = 0; k < 2; ++k) fleet.emplace_back(small(8));
  Classifier alone(small(8)), without(small(8));
  const std::vector<double> labels(data.y.begin(), data.y.end());
  fit_fleet(fleet, std::vector<Examples>{{data.x, labels, {}, groups}, {data.x, labels}});
  alone.fit(data.x, data.y, {}, {}, groups);
  without.fit(data.x, data.y);
  expect_same_networks(fleet[0], alone, kRounding);
  expect_same_networks(fleet[1], without, kRounding);
  EXPECT_NE(alone.out_of_fold_score()->log_likelihood, without.out_of_fold_score()->log_likelihood);
}

TEST(Fleet, OptionsMayDiffer) {
  const std::vector<Sine> data = sensors(3);
  std::vector<Regressor> fleet, alone;
  for (const std::size_t epochs : {2, 7, 2}) {
    EstimatorOptions options = small(2);
    options.training.max_epochs = epochs;
    fleet.emplace_back(options);
    alone.emplace_back(options);
  }
  std::vector<std::size_t> told(2 * 3);
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    EXPECT_EQ(report.members, told.size());
    ++told.at(report.member);
    return true;
  };
  const std::vector<FleetReport> reports = fit_fleet(fleet, rows_of(data), callbacks);
  for (std::size_t k = 0; k < 3; ++k) {
    expect_same_reports(reports[k].fits, alone[k].fit(data[k].x, data[k].y), kRounding);
    expect_same_networks(fleet[k], alone[k], kRounding);
  }
  EXPECT_EQ(std::accumulate(told.begin(), told.end(), std::size_t{0}), 2U * (2 + 7 + 2));
  EXPECT_TRUE(std::ranges::all_of(told, [](std::size_t epochs) { return epochs > 0; }));
}

// One with a power and weights that no belief can hold, and values far from all others.
TEST(Fleet, AModelThatDivergesLeavesTheOthersAlone) {
  std::vector<Sine> data = sensors(6);
  EstimatorOptions options = small(2);
  options.precision = network::Precision::float32;
  options.copies = EstimatorOptions::Copies::together;
  std::vector<Regressor> fleet = regressors(6, options), sane = regressors(6, options);
  fit_fleet(sane, rows_of(data));
  options.power = 1000;
  fleet[1] = Regressor(options);
  // In every fold, so that the rows that networks leave out show it.
  for (std::size_t i = 0; i < data[1].x.size(); i += 5) data[1].x[i] = 1e30;
  const std::vector<double> heavy(data[1].y.size(), 100);
  std::vector<Examples> rows = rows_of(data);
  rows[1].sample_weights = heavy;
  const std::vector<FleetReport> reports = fit_fleet(fleet, rows);
  EXPECT_EQ(reports[1].failure.find("training diverged in its first epoch"), 0U);
  EXPECT_TRUE(reports[1].fits.empty());
  EXPECT_EQ(fleet[1].inputs(), 0U) << "it is as it was";
  for (const std::size_t k : {0, 2, 3, 4, 5}) {
    EXPECT_EQ(reports[k].failure, "");
    expect_same_networks(fleet[k], sane[k], 0);
  }
}

TEST(Fleet, ModelsThatHadNotBegunWhenItWasCancelledAreAsTheyWere) {
  const std::vector<Sine> data = sensors(3);
  EstimatorOptions options = small(1), other = options;
  other.training.patience = 3;  // so that it is trained after the first two
  std::vector<Regressor> fleet;
  for (const EstimatorOptions& each : {options, other, options}) fleet.emplace_back(each);
  fleet[1].fit(data[0].x, data[0].y);
  const std::vector<double> before = fleet[1].predict(data[1].x).mean;
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport& report) { return report.epoch < 2; };
  const std::vector<FleetReport> reports = fit_fleet(fleet, rows_of(data), callbacks);
  // Who has most rows begins.
  ASSERT_EQ(reports[2].fits.size(), 1U);
  EXPECT_EQ(reports[2].fits[0].reason, FitReport::StopReason::cancelled);
  EXPECT_EQ(fleet[2].rows_learned(), data[2].y.size());
  for (const std::size_t k : {0, 1}) {
    EXPECT_TRUE(reports[k].fits.empty());
    EXPECT_EQ(reports[k].failure, "");
  }
  EXPECT_EQ(fleet[0].inputs(), 0U);
  EXPECT_EQ(fleet[1].predict(data[1].x).mean, before);
  // By the other way to end it: before a network has finished an epoch.
  callbacks = {};
  callbacks.interrupted = [] { return true; };
  fleet = regressors(3, options);
  const std::vector<FleetReport> at_once = fit_fleet(fleet, rows_of(data), callbacks);
  EXPECT_EQ(at_once[2].fits.at(0).reason, FitReport::StopReason::cancelled);
  EXPECT_GT(fleet[2].inputs(), 0U);
  EXPECT_EQ(fleet[1].inputs(), 0U);
}

TEST(Fleet, CheckpointsAreApart) {
  const std::vector<Sine> data = sensors(2);
  const TemporaryFolder folder;
  EstimatorOptions options = small(1);
  options.weights_per_example = 1;  // other widths, so that nothing is in lanes
  options.training.checkpoint = folder.file("checkpoint");
  std::vector<Regressor> fleet = regressors(2, options);
  fit_fleet(fleet, rows_of(data));
  EXPECT_TRUE(std::filesystem::exists(folder.file("checkpoint")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("checkpoint.1")));
  EstimatorOptions other = options;
  other.training.patience = 3;
  fleet[1] = Regressor(other);
  EXPECT_NE(complaint([&] {
              fit_fleet(fleet, rows_of(data));
            }).find("must not be that of another model, since their options of training differ"),
            std::string::npos);
}

TEST(Fleet, MistakesNameTheModelAndChangeNothing) {
  const std::vector<Sine> data = sensors(2);
  std::vector<Regressor> fleet = regressors(2, small(1));
  EXPECT_EQ(complaint([&] {
              fit_fleet(fleet, std::vector<Examples>{{data[0].x, data[0].y}});
            }),
            "rows = 1: must be as many as models, 2");
  std::vector<Examples> rows = rows_of(data);
  rows[1] = {data[1].x, {}};
  EXPECT_EQ(complaint([&] { fit_fleet(fleet, rows); }),
            "model 1: targets = 0: must be a whole number of rows, at least one");
  std::vector<double> inputs = data[1].x;
  inputs[3] = std::numeric_limits<double>::infinity();
  rows = rows_of(data);
  rows[1] = {inputs, data[1].y};
  EXPECT_EQ(complaint([&] { fit_fleet(fleet, rows); }).substr(0, 9), "model 1: ");
  EXPECT_EQ(fleet[0].inputs(), 0U);
  const std::vector<Regressor*> twice{&fleet[0], &fleet[0]};
  EXPECT_EQ(complaint([&] { fit_fleet(twice, rows_of(data)); }),
            "models = 2: must all be others: one of them comes twice");
  EXPECT_TRUE(fit_fleet(std::span<Regressor>(), {}).empty());
}

}  // namespace
}  // namespace postrider

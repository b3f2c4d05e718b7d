#include <gtest/gtest.h>

#include <limits>

#include "complaint.h"
#include "postrider/network/trainer.h"

namespace postrider::network {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Change>
std::string complaint_of(Change&& change) {
  TrainerOptions options;
  change(options);
  return complaint([&] { options.validate(); });
}

TEST(TrainerOptions, EveryFieldIsChecked) {
  EXPECT_EQ(complaint_of([](auto&) {}), "no complaint");
  EXPECT_EQ(complaint_of([](auto& o) { o.patience = 0; }), "no complaint") << "as the effort says";
  EXPECT_EQ(complaint_of([](auto& o) { o.tolerance = -1; }),
            "tolerance = -1: must be a number of at least 0");
  EXPECT_EQ(complaint_of([](auto& o) { o.tolerance = kNaN; }),
            "tolerance = nan: must be a number of at least 0");
  EXPECT_EQ(complaint_of([](auto& o) { o.store = TrainerOptions::Store::mapped_file; }),
            "store_path = \"\": must name a file for the mapped store");
  for (const double bad : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_NE(complaint_of([&](auto& o) {
                o.noise_variance = {1, bad};
              }).find("must be numbers of at least 1e-30 and at most 1e+30"),
              std::string::npos);
    EXPECT_NE(
        complaint([&] { Trainer::Task{.power = bad}.validate(); }).find("must be a number above 0"),
        std::string::npos);
  }
  EXPECT_EQ(complaint_of([](auto& o) {
              o.noise_variance = {1, -2};
            }),
            "noise_variance = -2: must be numbers of at least 1e-30 and at most 1e+30");
  EXPECT_EQ(complaint([] { Trainer::Task{.power = 0}.validate(); }),
            "power = 0: must be a number above 0");
  for (const double bad : {-0.5, 1.0, 1.5, kNaN})
    EXPECT_NE(complaint_of([&](auto& o) {
                o.damping = bad;
              }).find("must be a number of at least 0 and at most 0.999"),
              std::string::npos);
  for (const std::size_t block : {0U, 1U, 2U, 4U, 8U})
    EXPECT_EQ(complaint_of([&](auto& o) { o.block = block; }), "no complaint");
  EXPECT_EQ(complaint_of([](auto& o) { o.block = 16; }),
            "block = 16: must be at least 1 and at most 8, or 0 to choose it");
  for (const std::size_t block : {3U, 5U, 6U, 7U})
    EXPECT_NE(complaint_of([&](auto& o) {
                o.block = block;
              }).find("must be 1, 2, 4 or 8, or 0 to choose by the network's size"),
              std::string::npos);
  EXPECT_EQ(complaint_of([](auto& o) { o.parallel_groups = 0; }),
            "parallel_groups = 0: must be at least 1 and at most 4096");
  EXPECT_EQ(complaint_of([](auto& o) { o.threads = 0; }), "no complaint") << "all cores";
}

TEST(TrainerOptions, MustFitTheNetwork) {
  Network network(NetworkOptions::dense(1, {}, 3));
  EXPECT_EQ(complaint([&] {
              Trainer(network, {.noise_variance = {1, 2}});
            }),
            "noise_variance = 2: must hold one value, or one per output");
  EXPECT_EQ(complaint([&] { Trainer(network, {.parallel_groups = 0}); }),
            "parallel_groups = 0: must be at least 1 and at most 4096");
  EXPECT_EQ(complaint([&] {
              Trainer(network, {.noise_variance = {1, 2, 3}}, {Likelihood::classes});
            }),
            "noise_variance = 3: must hold one value for all scores of classes");
  EXPECT_EQ(Trainer(network).noise_variance(), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(Trainer(network, {}, {Likelihood::classes}).noise_variance(),
            (std::vector<double>{0.05}));
  EXPECT_EQ(Trainer(network, {.noise_variance = {3}}).noise_variance(),
            (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(Trainer(network, {.noise_variance = {1, 2, 3}}).noise_variance(),
            (std::vector<double>{1, 2, 3}));

  NetworkOptions direct = NetworkOptions::dense(1, {});
  direct.rule = graph::Rule::direct;
  Network direct_network(direct);
  EXPECT_EQ(complaint([&] { Trainer(direct_network, {.block = 2}); }),
            "block = 2: must be 1 with the direct rule");
  EXPECT_EQ(complaint([&] { Trainer(direct_network, {.block = 1}); }), "no complaint");
  EXPECT_EQ(complaint([&] { Trainer(direct_network, {.block = 0}); }), "no complaint");
}

TEST(FitReport, MayStillRiseIfItDidInTheLastTenth) {
  FitReport report;
  EXPECT_FALSE(report.may_still_rise());  // without an epoch
  const auto add = [&](std::size_t epochs, double each) {
    for (std::size_t k = 0; k < epochs; ++k) {
      const double score = report.epochs.empty() ? -2 : report.epochs.back().score + each;
      report.epochs.emplace_back().score = score;
    }
  };
  add(1, 0);
  EXPECT_TRUE(report.may_still_rise());  // one says nothing of the next
  add(35, 0.01);
  EXPECT_TRUE(report.may_still_rise());
  report.reason = FitReport::StopReason::patience;
  EXPECT_FALSE(report.may_still_rise());
  report.reason = FitReport::StopReason::max_epochs;
  add(4, 0.001);  // of forty epochs the last four
  EXPECT_FALSE(report.may_still_rise());
}

TEST(StopReason, HasAName) {
  EXPECT_EQ(to_string(FitReport::StopReason::converged), "converged");
  EXPECT_EQ(to_string(FitReport::StopReason::patience), "no better score");
  EXPECT_EQ(to_string(FitReport::StopReason::max_epochs), "largest number of epochs");
  EXPECT_EQ(to_string(FitReport::StopReason::cancelled), "cancelled");
  EXPECT_EQ(to_string(FitReport::StopReason::diverged), "diverged");
}

}  // namespace
}  // namespace postrider::network

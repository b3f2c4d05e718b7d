#include "postrider/graph/model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "complaint.h"
#include "postrider/error.h"

namespace postrider::graph {
namespace {

constexpr double kLogTwoPi = 1.8378770664093453;
const std::vector<std::uint32_t> kFirst{0}, kBoth{0, 1};
const std::vector<double> kOne{1}, kZero{0};

// x ~ N(0, 2^2), and y = 3 with noise 1: the posterior is N(2.4, 0.8).
Model one_number() {
  Model model;
  model.add_variables(1);
  model.add_gaussian({kFirst, kOne, 1}, kZero, std::vector<double>{2});
  model.add_gaussian({kFirst, kOne, 1}, std::vector<double>{3}, kOne);
  return model;
}

TEST(Model, GivesTheBeliefOfANumber) {
  Model model = one_number();
  EXPECT_TRUE(model.infer().converged);
  EXPECT_NEAR(model.mean(0), 2.4, 1e-12);
  EXPECT_NEAR(model.deviation(0), std::sqrt(0.8), 1e-12);
  EXPECT_NEAR(model.log_evidence(), -0.5 * (kLogTwoPi + std::log(5) + 9.0 / 5), 1e-12);
  EXPECT_NEAR(model.variances_of({kFirst, std::vector<double>{3}, 1})[0], 7.2, 1e-12);
  const std::vector<double> draws = model.draws(2000, 1), more = model.draws(2001, 1);
  double sum = 0;
  for (const double x : draws) sum += x;
  EXPECT_NEAR(sum / 2000, 2.4, 5 * std::sqrt(0.8 / 2000));
  EXPECT_EQ(draws[1999], more[1999]);
}

TEST(Model, NumbersOfAPlateMayChange) {
  Model model = one_number();
  model.infer();
  model.change_gaussian(1, {}, std::vector<double>{-3}, std::vector<double>{2});
  EXPECT_THROW(model.mean(0), NotFitted);
  model.infer();
  EXPECT_NEAR(model.mean(0), -1.5, 1e-12);
  EXPECT_NEAR(model.deviation(0), std::sqrt(2), 1e-12);
  Model block;
  block.add_variables(2);
  block.add_block(kBoth, 2, std::vector<double>{2, 0, 0, 8}, std::vector<double>{1, 2}, kZero);
  block.infer();
  EXPECT_NEAR(block.deviation(1), std::sqrt(1.0 / 8), 1e-12);
  block.change_block(0, {}, std::vector<double>{5, 6}, {});
  block.infer();
  EXPECT_NEAR(block.mean(1), 6, 1e-12);
}

// A plate of each kind says something else, and is taken out again before a run or after it.
TEST(Model, APlateThatIsRemovedMightNeverHaveBeen) {
  for (const bool inferred_between : {false, true}) {
    Model model = one_number();
    const std::vector<double> y{1};
    const std::array plates{
        model.add_likelihood("bernoulli_logit", {kFirst, kOne, 1}, {y}),
        model.add_gaussian({kFirst, kOne, 1}, std::vector<double>{-7}, kOne),
        model.add_block(kFirst, 1, std::vector<double>{5}, std::vector<double>{9}, kOne)};
    const Model::Plate last = model.add_gaussian({kFirst, kOne, 1}, std::vector<double>{100}, kOne);
    if (inferred_between) model.infer();
    for (const Model::Plate plate : plates) model.remove(plate);
    EXPECT_THROW(model.mean(0), NotFitted);
    EXPECT_EQ(complaint([&] { model.remove(plates[1]); }), "plate = 3: was removed");
    // Numbers of the others stay.
    model.change_gaussian(last, {}, std::vector<double>{3}, {});
    model.remove(1);
    EXPECT_TRUE(model.infer().converged);
    EXPECT_NEAR(model.mean(0), 2.4, 1e-12);
    EXPECT_NEAR(model.deviation(0), std::sqrt(0.8), 1e-12);
    EXPECT_NEAR(model.log_evidence(), -0.5 * (kLogTwoPi + std::log(5) + 9.0 / 5), 1e-12);
    model.remove(0);
    model.remove(last);
    EXPECT_NE(complaint([&] { model.infer(); }).find("give each variable a prior"),
              std::string::npos);
  }
}

// Two likelihoods of two edges, and of one: another model starts where this one has ended.
TEST(Model, StartsFromMessages) {
  const auto with_sites = [] {
    Model model;
    model.add_variables(2);
    model.add_gaussian({kBoth, std::vector<double>{1, 0, 0, 1}, 2}, std::vector<double>{0, 1},
                       kOne);
    model.add_likelihood("poisson", {kFirst, kOne, 1}, {std::vector<double>{7}});
    model.add_likelihood("normal_log_variance", {kBoth, std::vector<double>{1, 0, 0, 1}, 2},
                         {std::vector<double>{0.5}});
    return model;
  };
  Model first = with_sites(), second = with_sites();
  EXPECT_TRUE(first.infer().converged);
  EXPECT_TRUE(first.messages(0).empty());
  EXPECT_EQ(first.messages(1).size(), 2U);
  EXPECT_EQ(first.messages(2).size(), 6U);
  for (const Model::Plate plate : {0U, 1U, 2U}) second.start_from(plate, first.messages(plate));
  EXPECT_EQ(second.infer().sweeps, 1U);
  EXPECT_NEAR(second.mean(1), first.mean(1), 1e-8);
  second.start_from(1, std::vector<double>{0, 0});
  EXPECT_GT(second.infer().sweeps, 1U);
  EXPECT_EQ(complaint([&] { second.start_from(1, kOne); }), "messages = 1: must be 2 numbers");
  EXPECT_EQ(complaint([&] { second.change_block(1, {}, kOne, {}); }),
            "plate = 1: must be one of add_block()");
}

TEST(Model, TakesLikelihoodsByNameAndByFormula) {
  Model named, given;
  for (Model* model : {&named, &given}) {
    model->add_variables(1);
    model->add_gaussian({kFirst, kOne, 1}, kZero, kOne);
  }
  const std::vector<double> y{3};
  named.add_likelihood("poisson", {kFirst, kOne, 1}, {y, {}, {}, std::vector<double>{0.5}});
  given.add_density(
      [](std::span<const std::uint32_t>, std::size_t, std::span<const double> z,
         std::span<double> out) {
        for (std::size_t k = 0; k < out.size(); ++k)
          out[k] = 3 * (z[k] + 0.5) - std::exp(z[k] + 0.5) - std::log(6.0);
      },
      1, {kFirst, kOne, 1}, true);
  EXPECT_TRUE(named.infer().converged && given.infer().converged);
  EXPECT_NEAR(named.mean(0), given.mean(0), 1e-9);
  EXPECT_NEAR(named.log_evidence(), given.log_evidence(), 1e-9);
  const Model::Check check = named.check({.draws = 4000, .seed = 1});
  EXPECT_TRUE(check.can_tell);
  EXPECT_NEAR(check.means[0], named.mean(0), 4 * check.mean_errors[0]);
  EXPECT_NEAR(check.log_evidence, named.log_evidence(), 4 * check.log_evidence_error);
}

// Weights of an exact belief: even enough, and their mean is the evidence, in few dimensions and in many.
TEST(Model, AnExactBeliefIsCertified) {
  for (const std::size_t size : {1U, 60U}) {
    Model model;
    model.add_variables(size);
    std::vector<std::uint32_t> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::uint32_t>(i);
    model.add_gaussian({all, std::vector<double>(size, 1), 1}, std::vector<double>(size, 0.3),
                       kOne);
    model.infer();
    const Model::Check check = model.check({.draws = 4000, .seed = 1});
    EXPECT_TRUE(check.can_tell);
    EXPECT_GT(check.effective_draws, 2000);
    EXPECT_NEAR(check.log_evidence, 0, 4 * check.log_evidence_error);
    EXPECT_NEAR(check.means[0], 0.3, 4 * check.mean_errors[0]);
    EXPECT_NEAR(check.deviations[0], 1, 4 * check.deviation_errors[0]);
  }
}

TEST(Model, ProgressMayEndIt) {
  Model model = one_number();
  const std::vector<double> weights{1, 2, -3}, y{1, 1, 1};
  model.add_likelihood("bernoulli_logit", {kFirst, weights, 1}, {y});
  Model::Options options;
  options.progress = [](const Model::Report& report) { return report.sweeps < 2; };
  const Model::Report report = model.infer(options);
  EXPECT_EQ(report.sweeps, 2U);
  EXPECT_EQ(report.change.size(), 2U);
  EXPECT_FALSE(report.converged);
}

TEST(Model, SaysWhatItDoesNotTake) {
  Model model = one_number();
  const std::vector<double> none, nan{std::numeric_limits<double>::quiet_NaN()};
  const std::vector<std::uint32_t> beyond{1};
  EXPECT_EQ(complaint([&] {
              model.add_gaussian({beyond, kOne, 1}, kZero, kOne);
            }),
            "variables[0] = 1: must be below 1, the number of variables");
  EXPECT_EQ(complaint([&] {
              model.add_gaussian({kFirst, kOne, 1}, nan, kOne);
            }),
            "targets[0] = nan: must be finite");
  EXPECT_EQ(complaint([&] {
              model.add_gaussian({kFirst, kOne, 1}, kZero, kZero);
            }),
            "deviations[0] = 0: must be above 0");
  EXPECT_EQ(complaint([&] {
              model.add_gaussian({kFirst, none, 1}, kZero, kOne);
            }),
            "weights = 0: must be 1: one for each row, edge and variable");
  EXPECT_EQ(complaint([&] { model.change_gaussian(2, {}, kZero, {}); }),
            "plate = 2: must be below 2");
  EXPECT_THROW(model.check(), NotFitted);
}

TEST(Model, AsksForPriors) {
  Model model;
  model.add_variables(2);
  model.add_gaussian({kBoth, std::vector<double>{1, 1}, 2}, kZero, kOne);
  EXPECT_NE(complaint([&] { model.infer(); }).find("give each variable a prior"),
            std::string::npos);
}

TEST(Model, HyperparametersNeedAModeToStartFrom) {
  const auto flat = [](std::span<const double>) {
    return -std::numeric_limits<double>::infinity();
  };
  EXPECT_NE(complaint([&] { Model::at_nodes(flat, kZero, kOne); }).find("no mode"),
            std::string::npos);
  EXPECT_EQ(complaint([&] { Model::at_nodes(flat, kZero, kZero); }), "scale = 0: must be above 0");
}

}  // namespace
}  // namespace postrider::graph

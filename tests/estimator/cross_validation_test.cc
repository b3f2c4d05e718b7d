#include "estimator/cross_validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "complaint.h"
#include "estimator/labelled.h"
#include "estimator/sine.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

// Another order of sums in double, after a few epochs.
constexpr double kRounding = 1e-9;

EstimatorOptions small() {
  EstimatorOptions out{.hidden = {50}, .ensemble_size = 2};
  out.precision = network::Precision::float64;
  out.training.max_epochs = 4;
  return out;
}

TEST(CrossValidation, FoldsAreEvenAndDrawn) {
  const std::vector<std::size_t> folds = folds_of(103, {.folds = 5, .seed = 1});
  for (std::size_t k = 0; k < 5; ++k) {
    const auto rows = std::ranges::count(folds, k);
    EXPECT_TRUE(rows == 20 || rows == 21) << k;
  }
  EXPECT_EQ(folds, folds_of(103, {.folds = 5, .seed = 1}));
  EXPECT_NE(folds, folds_of(103, {.folds = 5, .seed = 2}));
  EXPECT_FALSE(std::ranges::is_sorted(folds));
  // Each row is left out once, and learned by all other folds.
  const std::vector<Fold> parts = parts_of(folds);
  std::vector<std::size_t> learned(103), left_out(103);
  for (const Fold& part : parts) {
    for (const std::size_t row : part.learned) ++learned[row];
    for (const std::size_t row : part.left_out) ++left_out[row];
  }
  EXPECT_EQ(learned, std::vector<std::size_t>(103, 4));
  EXPECT_EQ(left_out, std::vector<std::size_t>(103, 1));
}

TEST(CrossValidation, FoldsHaveTheirShareOfEachClass) {
  std::vector<std::size_t> labels;
  for (std::size_t row = 0; row < 97; ++row) labels.push_back(row % 10 == 0 ? 2 : row % 3 == 0);
  const std::vector<std::size_t> folds = folds_of(labels, {.folds = 4, .seed = 3});
  std::map<std::size_t, std::vector<std::size_t>> counts;
  for (std::size_t row = 0; row < 97; ++row) {
    std::vector<std::size_t>& of_class = counts[labels[row]];
    of_class.resize(4);
    ++of_class[folds[row]];
  }
  ASSERT_EQ(counts.size(), 3U);
  for (const auto& [label, rows] : counts)
    EXPECT_LE(std::ranges::max(rows) - std::ranges::min(rows), 1U) << label;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_GE(std::ranges::count(folds, k), 97 / 4);
}

TEST(CrossValidation, FoldsMustBePossible) {
  EXPECT_EQ(complaint([] { folds_of(10, {.folds = 1}); }),
            "folds = 1: must be at least 2, and at most the number of rows, 10");
  EXPECT_EQ(complaint([] { folds_of(10, {.folds = 11}); }),
            "folds = 11: must be at least 2, and at most the number of rows, 10");
}

// Each fold by hand: its rows copied, a model of the common shape, predictions and scores.
TEST(CrossValidation, EveryRowIsPredictedByTheModelThatHasNotLearnedIt) {
  const Sine rows = noisy_sine(82, 1);
  const Regressor::Validation found =
      validate_regressor(small(), Examples{rows.x, rows.y}, {.folds = 4, .seed = 2});
  ASSERT_EQ(found.models.size(), 4U);
  std::set<std::size_t> widths;
  std::vector<double> errors, likelihoods, coverages;
  for (std::size_t k = 0; k < 4; ++k) {
    Sine learned, left_out;
    std::vector<std::size_t> places;
    for (std::size_t row = 0; row < 82; ++row) {
      Sine& to = found.folds[row] == k ? left_out : learned;
      to.x.push_back(rows.x[row]);
      to.y.push_back(rows.y[row]);
      if (found.folds[row] == k) places.push_back(row);
    }
    EstimatorOptions options = small();
    options.hidden = {found.models[k].network().options().layers.front().units};
    widths.insert(options.hidden[0]);
    options.weights_per_example = 0;
    Regressor by_hand(options);
    by_hand.fit(learned.x, learned.y);
    EXPECT_EQ(found.models[k].rows_learned(), learned.y.size());
    const Forecast forecast = by_hand.predict(left_out.x);
    double squares = 0, inside = 0;
    const std::vector<double> ends = by_hand.intervals(left_out.x, 0.9);
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_NEAR(found.forecast.mean[places[i]], forecast.mean[i], kRounding);
      EXPECT_NEAR(found.forecast.variance[places[i]], forecast.variance[i], kRounding);
      EXPECT_NEAR(found.forecast.noise_variance[places[i]], forecast.noise_variance[i], kRounding);
      squares += std::pow(forecast.mean[i] - left_out.y[i], 2);
      if (left_out.y[i] >= ends[2 * i] && left_out.y[i] <= ends[2 * i + 1]) inside += 1;
    }
    const auto count = static_cast<double>(places.size());
    errors.push_back(std::sqrt(squares / count));
    coverages.push_back(inside / count);
    likelihoods.push_back(by_hand.log_likelihood(left_out.x, left_out.y));
  }
  // With 61 or 62 rows: u units have 2 u weights below them and 2 u + 2 above, so that 62 would fill 15.
  EXPECT_EQ(widths, std::set<std::size_t>{14});
  const auto expect_mean = [](const Estimate& estimate, const std::vector<double>& scores) {
    double mean = 0, squares = 0;
    for (const double score : scores) mean += score / 4;
    for (const double score : scores) squares += (score - mean) * (score - mean);
    EXPECT_NEAR(estimate.value, mean, kRounding);
    EXPECT_NEAR(estimate.standard_error, std::sqrt(squares / 3 / 4), kRounding);
  };
  expect_mean(found.root_mean_square_error, errors);
  expect_mean(found.log_likelihood, likelihoods);
  expect_mean(found.coverage, coverages);
}

// No group is both learned and predicted, and each model leaves groups out by itself, as one that learns its rows alone.
TEST(CrossValidation, GroupsCutTheFoldsAndThoseOfTheirModels) {
  constexpr std::size_t kRows = 120;
  const Sine rows = noisy_sine(kRows, 1);
  std::vector<std::uint32_t> groups;
  for (std::uint32_t row = 0; row < kRows; ++row) groups.push_back(500 - row % 24);
  EstimatorOptions options = small();
  options.hidden = {5};
  options.weights_per_example = 0;
  options.ensemble_size = 8;
  const Regressor::Validation found =
      validate_regressor(options, Examples{rows.x, rows.y, {}, groups}, {.folds = 3, .seed = 2});
  std::map<std::uint32_t, std::set<std::size_t>> folds_of_group;
  for (std::size_t row = 0; row < kRows; ++row)
    folds_of_group[groups[row]].insert(found.folds[row]);
  for (const auto& [group, folds] : folds_of_group) EXPECT_EQ(folds.size(), 1U) << group;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(std::ranges::count(found.folds, k), 40);
    Sine learned;
    std::vector<std::uint32_t> own;
    for (std::size_t row = 0; row < kRows; ++row) {
      if (found.folds[row] == k) continue;
      learned.x.push_back(rows.x[row]);
      learned.y.push_back(rows.y[row]);
      own.push_back(groups[row]);
    }
    Regressor alone(options), apart(options);
    alone.fit(learned.x, learned.y, {}, {}, own);
    apart.fit(learned.x, learned.y);
    const auto score = [](const Regressor& of) { return of.out_of_fold_score()->log_likelihood; };
    EXPECT_NEAR(score(found.models[k]), score(alone), kRounding);
    EXPECT_GT(std::abs(score(alone) - score(apart)), kRounding);
  }
  EXPECT_EQ(complaint([&] {
              validate_regressor(options, Examples{rows.x, rows.y, {}, groups}, {.folds = 25});
            }),
            "folds = 25: must be at least 2, and at most the number of groups, 24");
  // Folds of classes are cut in the same way.
  const Labelled labelled = noisy_xor(kRows, 1);
  const std::vector<double> of_classes(labelled.y.begin(), labelled.y.end());
  const Classifier::Validation classes = validate_classifier(
      options, Examples{labelled.x, of_classes, {}, groups}, {.folds = 3, .seed = 2});
  EXPECT_EQ(classes.folds, found.folds);
}

TEST(CrossValidation, OfSeveralTargetsAndWithWeights) {
  const Sine sine = noisy_sine(60, 1);
  std::vector<double> targets, weights(60, 1);
  for (const double y : sine.y) targets.insert(targets.end(), {y, 100 - 5 * y});
  for (std::size_t row = 0; row < 30; ++row) weights[row] = 0.05;
  EstimatorOptions options = small();
  options.outputs = 2;
  const Regressor::Validation plain =
      validate_regressor(options, {Inputs(sine.x, 60, 1), targets}, {3, 1});
  const Regressor::Validation weighted =
      validate_regressor(options, {Inputs(sine.x, 60, 1), targets, weights}, {3, 1});
  ASSERT_EQ(plain.forecast.mean.size(), 120U);
  EXPECT_NE(plain.forecast.mean, weighted.forecast.mean);
  for (std::size_t row = 0; row < 60; ++row) {
    const Forecast own = plain.models[plain.folds[row]].predict(std::vector{sine.x[row]});
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(plain.forecast.mean[2 * row + k], own.mean[k], kRounding);
  }
}

TEST(CrossValidation, OfClasses) {
  // The last class has two rows only: with three folds, one fold leaves out none of them.
  Labelled rows = rings(100, 3, 1);
  for (std::size_t& label : rows.y) label = std::min<std::size_t>(label, 1);
  rows.y[10] = rows.y[20] = 2;
  const std::vector<double> labels(rows.y.begin(), rows.y.end());
  const Classifier::Validation found =
      validate_classifier(small(), {rows.x, labels}, {.folds = 3, .seed = 5});
  ASSERT_EQ(found.models.size(), 3U);
  ASSERT_EQ(found.probabilities.size(), 300U);
  std::vector<double> right(3), loss(3), count(3);
  for (std::size_t row = 0; row < 100; ++row) {
    const std::size_t k = found.folds[row];
    const std::vector<double> own =
        found.models[k].predict_probabilities(std::span(rows.x).subspan(2 * row, 2));
    ASSERT_EQ(own.size(), 3U);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(found.probabilities[3 * row + c], own[c], kRounding);
    right[k] += std::ranges::max(own) == own[rows.y[row]] ? 1 : 0;
    loss[k] -= std::log(std::max(own[rows.y[row]], 1e-15));
    count[k] += 1;
  }
  double accuracy = 0, log_loss = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    accuracy += right[k] / count[k] / 3;
    log_loss += loss[k] / count[k] / 3;
  }
  EXPECT_NEAR(found.accuracy.value, accuracy, kRounding);
  EXPECT_NEAR(found.log_loss.value, log_loss, kRounding);
  EXPECT_GT(found.log_loss.standard_error, 0);
}

TEST(CrossValidation, WhatWasCancelledHasNoScores) {
  const Sine rows = noisy_sine(60, 1);
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport& report) { return report.epoch < 2; };
  EXPECT_THROW(validate_regressor(small(), Examples{rows.x, rows.y}, {}, callbacks), Interrupted);
}

TEST(CrossValidation, TheCheckpointIsNotTouched) {
  const Sine rows = noisy_sine(60, 1);
  const TemporaryFolder folder;
  EstimatorOptions options = small();
  options.training.checkpoint = folder.file("checkpoint");
  options.training.resume = true;
  validate_regressor(options, Examples{rows.x, rows.y});
  EXPECT_FALSE(std::filesystem::exists(folder.file("checkpoint")));
}

}  // namespace
}  // namespace postrider

#include "estimator/encoding_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "postrider/classifier.h"
#include "postrider/error.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

struct Rows {
  std::vector<double> inputs, targets;
};

// A staircase: straight lines say little of it.
Rows stairs(std::size_t count, std::uint64_t seed = 1) {
  RandomStream random(seed, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(0, 8);
    out.inputs.push_back(x);
    out.targets.push_back(std::fmod(std::floor(x) * 3, 8) + 0.1 * random.normal());
  }
  return out;
}

// Inputs over many orders of magnitude, of which the logarithm counts.
Rows powers(std::size_t count) {
  RandomStream random(2, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = random.normal();
    out.inputs.push_back(std::exp(4 * z));
    out.targets.push_back(z + 0.1 * random.normal());
  }
  return out;
}

EstimatorOptions small(Encoding encoding = Encoding::chosen) {
  EstimatorOptions out{.hidden = {10}, .ensemble_size = 2, .encoding = encoding};
  out.training.max_epochs = 12;
  return out;
}

Encoding used(const Rows& rows, const EstimatorOptions& options) {
  Regressor model(options);
  model.fit(rows.inputs, rows.targets);
  return model.encodings().front().kind;
}

TEST(EncodingChoice, StairsHaveKnotsOrBins) {
  const Encoding found = used(stairs(300), small());
  EXPECT_TRUE(found == Encoding::piecewise || found == Encoding::bins) << to_string(found);
}

TEST(EncodingChoice, EffortSaysWhetherAnythingRaces) {
  const Rows rows = stairs(300);
  for (const TrainerOptions::Effort effort :
       {TrainerOptions::Effort::quick, TrainerOptions::Effort::standard,
        TrainerOptions::Effort::thorough}) {
    EstimatorOptions options = small();
    options.training.effort = effort;
    std::vector<TrainingCallbacks::Choosing> told;
    Regressor model(options);
    model.fit(
        rows.inputs, rows.targets, {},
        {.choosing = [&](const TrainingCallbacks::Choosing& report) { told.push_back(report); }});
    EXPECT_EQ(told.empty(), effort == TrainerOptions::Effort::quick);
    EXPECT_EQ(model.encodings().front().kind == Encoding::standard,
              effort == TrainerOptions::Effort::quick);
    for (std::size_t k = 0; k < told.size(); ++k) {
      EXPECT_EQ(told[k].epochs, k + 1);
      EXPECT_GE(told[k].most_epochs, told[k].epochs);
      EXPECT_TRUE(told[k].ways >= 1 && told[k].ways <= 4);
    }
  }
}

TEST(EncodingChoice, WideRangesAreNotStandardised) {
  EXPECT_NE(used(powers(300), small()), Encoding::standard);
}

// The winner of the race goes on, and ends as if it had begun anew; so does one whose race was small.
TEST(EncodingChoice, WhatIsChosenIsLearnedAsIfItHadBeenAskedFor) {
  const Rows rows = stairs(300);
  for (const std::size_t members : {0U, 2U}) {
    EstimatorOptions options = small();
    options.ensemble_size = members;
    options.training.max_epochs = 90;
    std::vector<std::size_t> told;
    Regressor chosen(options);
    const std::vector<FitReport> fits =
        chosen.fit(rows.inputs, rows.targets, {}, {.progress = [&](const EpochReport& report) {
                     if (report.member == 0) told.push_back(report.epoch);
                     return true;
                   }});
    options.encoding = chosen.encodings().front().kind;
    options.target_scale = chosen.target_scale();
    Regressor asked(options);
    EXPECT_EQ(asked.fit(rows.inputs, rows.targets).size(), fits.size());
    EXPECT_EQ(asked.predict(rows.inputs).mean, chosen.predict(rows.inputs).mean);
    ASSERT_EQ(told.size(), fits.front().epochs.size()) << "of all epochs, also those of the race";
    for (std::size_t e = 0; e < told.size(); ++e) EXPECT_EQ(told[e], e + 1);
  }
}

// Where small networks race in the place of the estimator's own: while they do, and before the others have learned an epoch.
TEST(EncodingChoice, WhoeverEndsTheRaceHasASmallModel) {
  for (const std::size_t count : {300U, 3200U}) {
    const Rows rows = stairs(count), test = stairs(300, 10);
    EstimatorOptions options = small();
    options.training.threads = 1;
    options.training.max_epochs = 90;  // more than the race has
    for (const bool is_in_the_middle : {true, false}) {
      SCOPED_TRACE(testing::Message() << count << " rows, in the middle: " << is_in_the_middle);
      std::size_t told = 0;
      bool is_over = false;
      Regressor model(options);
      const std::vector<FitReport> fits =
          model.fit(rows.inputs, rows.targets, {},
                    {.interrupted = [&] { return is_over || (is_in_the_middle && told == 3); },
                     .choosing =
                         [&](const TrainingCallbacks::Choosing& report) {
                           ++told;
                           is_over = report.epochs == report.most_epochs;
                         }});
      ASSERT_EQ(fits.size(), 16U) << "small ones are a whole ensemble";
      EXPECT_EQ(model.ensemble_size(), 16U);
      EXPECT_EQ(fits.front().reason, FitReport::StopReason::cancelled);
      if (is_in_the_middle) {
        EXPECT_EQ(fits.front().epochs.size(), 3U);
      }
      EXPECT_TRUE(model.out_of_fold_score());
      double error = 0, spread = 0;
      const std::vector<double> mean = model.predict(test.inputs).mean;
      for (std::size_t i = 0; i < mean.size(); ++i) {
        error += std::pow(mean[i] - test.targets[i], 2);
        spread += std::pow(test.targets[i] - 3.5, 2);
      }
      EXPECT_LT(error, spread) << "it has learned something";
    }
  }
}

// Ranks are learned faster, and lead after four epochs by less than a fifth would give.
TEST(EncodingChoice, AShortRaceOfWhatIsStillLearnedFastTellsNothing) {
  RandomStream random(1, 0);
  Rows rows;
  for (std::size_t i = 0; i < 3200; ++i) {
    const double x = random.normal(), z = random.normal();
    rows.inputs.insert(rows.inputs.end(), {x, z});
    rows.targets.push_back(std::sin(2 * x) * z);
  }
  EstimatorOptions options{.hidden = {20}};
  options.training.max_epochs = 4;
  EXPECT_EQ(used(rows, options), Encoding::standard);
}

// Time is over in the first epoch: a part of it is no model, but small networks that raced are one.
TEST(EncodingChoice, TheFirstEpochEndsEarlyWhereThereIsASmallModel) {
  const Rows many = stairs(3200), few = stairs(100);
  EstimatorOptions options = small();
  options.training.max_epochs = 30;  // more than the race has
  for (const Rows* rows : {&many, &few}) {
    Regressor model(options);
    const std::vector<FitReport> fits =
        model.fit(rows->inputs, rows->targets, {}, {.ends_first_epoch = [] { return true; }});
    EXPECT_EQ(fits.size(), rows == &many ? 16U : 2U);
    EXPECT_EQ(fits.front().reason == FitReport::StopReason::cancelled, rows == &many);
    EXPECT_FALSE(fits.front().epochs.empty());
  }
}

// What is left of the race never grows, whichever ensembles are given up on the way.
TEST(EncodingChoice, TheRaceIsAtMostAsLongAsItSaid) {
  for (const std::size_t members : {0U, 2U}) {
    EstimatorOptions options = small();
    options.ensemble_size = members;
    options.training.max_epochs = 90;
    const Rows rows = stairs(300);
    std::vector<std::size_t> most;
    Regressor model(options);
    model.fit(rows.inputs, rows.targets, {},
              {.choosing = [&](const TrainingCallbacks::Choosing& report) {
                most.push_back(report.most_epochs);
              }});
    ASSERT_GT(most.size(), 64U);
    EXPECT_EQ(most.front(), 4U * 64);
    EXPECT_TRUE(std::ranges::is_sorted(most, std::greater()));
    EXPECT_EQ(most.back(), most.size()) << "all are over in the end";
  }
}

TEST(EncodingChoice, WhoeverEndsTheRaceAtOnceHasNoModel) {
  const Rows rows = stairs(3200);
  Regressor model(small());
  const std::vector<FitReport> fits =
      model.fit(rows.inputs, rows.targets, {}, {.interrupted = [] { return true; }});
  for (const FitReport& fit : fits) EXPECT_TRUE(fit.epochs.empty());
}

TEST(EncodingChoice, TheChoiceIsBetterThanTheStandard) {
  // Half of the rows say where the knots are: of 300 too few for all stairs.
  const Rows rows = stairs(1200), test = stairs(300, 10);
  // Damped networks need some epochs to tell stairs.
  EstimatorOptions longer = small(), plain = small(Encoding::standard);
  longer.training.max_epochs = plain.training.max_epochs = 40;
  Regressor chosen(longer), standard(plain);
  chosen.fit(rows.inputs, rows.targets);
  standard.fit(rows.inputs, rows.targets);
  EXPECT_GT(chosen.log_likelihood(test.inputs, test.targets),
            standard.log_likelihood(test.inputs, test.targets) + 0.2);
}

// Ranks of evenly spread numbers say what the numbers say: which of the two predicts better is chance.
TEST(EncodingChoice, ChanceDoesNotChoose) {
  for (std::uint64_t seed = 3; seed <= 5; ++seed) {
    RandomStream random(seed, 0);
    Rows rows;
    for (std::size_t i = 0; i < 240; ++i) {
      rows.inputs.push_back(random.normal());
      rows.targets.push_back(rows.inputs.back() + random.normal());
    }
    EXPECT_EQ(used(rows, small()), Encoding::standard) << "seed " << seed;
  }
}

TEST(EncodingChoice, WhatWasAskedForIsUsed) {
  for (const Encoding encoding :
       {Encoding::standard, Encoding::quantile, Encoding::piecewise, Encoding::bins})
    EXPECT_EQ(used(stairs(300), small(encoding)), encoding);
}

// Squares of a line with noise: large targets are the noisier ones.
Rows amounts(std::size_t count, std::uint64_t seed = 7) {
  RandomStream random(seed, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(0, 8), root = std::max(0.0, x + 0.5 * random.normal());
    out.inputs.push_back(x);
    out.targets.push_back(root * root);
  }
  return out;
}

Regressor learned(const Rows& rows, EstimatorOptions::TargetScale scale, double plus = 0) {
  EstimatorOptions options = small(Encoding::standard);
  options.varying_noise = false;
  options.target_scale = scale;
  Regressor out(options);
  std::vector<double> targets = rows.targets;
  for (double& target : targets) target += plus;
  out.fit(rows.inputs, targets);
  return out;
}

TEST(EncodingChoice, AmountsAreLearnedAsRoots) {
  const Rows rows = amounts(400), test = amounts(400, 8);
  const Regressor chosen = learned(rows, EstimatorOptions::TargetScale::chosen);
  const Regressor plain = learned(rows, EstimatorOptions::TargetScale::plain);
  EXPECT_EQ(chosen.target_scale(), EstimatorOptions::TargetScale::root);
  EXPECT_EQ(plain.target_scale(), EstimatorOptions::TargetScale::plain);
  EXPECT_GT(chosen.log_likelihood(test.inputs, test.targets),
            plain.log_likelihood(test.inputs, test.targets) + 0.1);
  EXPECT_GE(std::ranges::min(chosen.predict(test.inputs).mean), 0);
}

TEST(EncodingChoice, TargetsThatMayBeNegativeArePlain) {
  EXPECT_EQ(learned(amounts(400), EstimatorOptions::TargetScale::chosen, -30).target_scale(),
            EstimatorOptions::TargetScale::plain);
  RandomStream random(4, 0);  // a straight line with the same noise everywhere
  Rows rows = amounts(400);
  for (std::size_t i = 0; i < 400; ++i)
    rows.targets[i] = 2 + rows.inputs[i] + 0.3 * random.normal();
  EXPECT_EQ(learned(rows, EstimatorOptions::TargetScale::chosen).target_scale(),
            EstimatorOptions::TargetScale::plain);
}

// Whatever the scale, scores are those of targets with deviation 1.
TEST(EncodingChoice, ScoresOfRootsAreThoseOfTargets) {
  const Rows rows = amounts(400), test = amounts(2000, 9);
  EstimatorOptions options = small(Encoding::standard);
  options.varying_noise = false;
  options.target_scale = EstimatorOptions::TargetScale::root;
  options.ensemble_size = 1;
  Regressor model(options);
  double last = 0;
  const std::vector<FitReport> fits =
      model.fit(rows.inputs, rows.targets, {}, {.progress = [&](const EpochReport& report) {
                  last = report.score;
                  return true;
                }});
  const double unit = std::log(model.target_scales()[0].std);
  EXPECT_NEAR(fits[0].best_score() - unit, model.log_likelihood(test.inputs, test.targets), 0.15);
  EXPECT_EQ(fits[0].epochs.back().score, last);
  const StreamReport report = model.partial_fit(test.inputs, test.targets);
  EXPECT_NEAR(report.score - unit, model.log_likelihood(test.inputs, test.targets), 0.15);
}

// As a network of the standard encoding does, and more.
TEST(EncodingChoice, DoubtGrowsBeyondTheKnots) {
  const Rows rows = stairs(300);
  EstimatorOptions longer = small(Encoding::piecewise);
  longer.ensemble_size = 16;
  longer.training.max_epochs = 40;
  Regressor model(longer);
  model.fit(rows.inputs, rows.targets);
  const Forecast at = model.predict(std::vector<double>{4, 9, 16, -8});
  EXPECT_GT(at.variance[1], at.variance[0]);
  EXPECT_GT(at.variance[2], 4 * at.variance[1]);
  EXPECT_GT(at.variance[3], 4 * at.variance[0]);
}

// The second one of two columns decides.
Rows one_of_two(std::size_t count) {
  RandomStream random(4, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    out.inputs.push_back(random.normal());
    out.inputs.push_back(random.normal());
    out.targets.push_back(std::sin(2 * out.inputs.back()));
  }
  return out;
}

TEST(EncodingChoice, FewRowsOfSeveralColumnsHaveRelevances) {
  EXPECT_EQ(used(one_of_two(9), small()), Encoding::standard);
  EXPECT_EQ(used(one_of_two(199), small()), Encoding::relevance);
  EXPECT_NE(used(one_of_two(200), small()), Encoding::relevance);
  Regressor model(small());
  const Rows rows = one_of_two(60);
  model.fit(rows.inputs, rows.targets);
  EXPECT_GT(model.encodings()[0].unit, 3 * model.encodings()[1].unit);
  EXPECT_EQ(used(one_of_two(60), small(Encoding::standard)), Encoding::standard);
}

TEST(EncodingChoice, FewRowsOfClassesAreStandardisedUnlessAsked) {
  const Rows rows = one_of_two(60);
  std::vector<std::size_t> labels;
  for (const double target : rows.targets) labels.push_back(target > 0 ? 1 : 0);
  for (const Encoding asked : {Encoding::chosen, Encoding::relevance}) {
    EstimatorOptions options = small(asked);
    options.classes = 2;
    Classifier model(options);
    model.fit(rows.inputs, labels);
    EXPECT_EQ(model.encodings().front().kind,
              asked == Encoding::chosen ? Encoding::standard : Encoding::relevance);
  }
}

TEST(EncodingChoice, FewRowsAndStreamsAreStandardised) {
  EXPECT_EQ(used(stairs(150), small()), Encoding::standard);  // one column
  const Rows rows = stairs(300);
  Regressor model(small());
  model.partial_fit(rows.inputs, rows.targets);
  EXPECT_EQ(model.encodings().front().kind, Encoding::standard);
}

TEST(EncodingChoice, ZerosAndOnesLeaveNoChoice) {
  RandomStream random(3, 0);
  Rows rows;
  for (std::size_t i = 0; i < 300; ++i) {
    rows.inputs.push_back(random.uniform() < 0.5 ? 0 : 1);
    rows.targets.push_back(rows.inputs.back() + random.normal());
  }
  EXPECT_EQ(used(rows, small()), Encoding::standard);
}

TEST(EncodingChoice, ClassesChooseToo) {
  const Rows rows = stairs(300);
  std::vector<std::size_t> labels;
  for (const double target : rows.targets) labels.push_back(target > 3.5 ? 1 : 0);
  Classifier model(small());
  model.fit(rows.inputs, labels);
  EXPECT_NE(model.encodings().front().kind, Encoding::standard);
  EXPECT_EQ(model.network_inputs().size(), model.network().options().inputs);
}

// One row has the last class: it is learned in two trials of three, and predicted in the third.
TEST(EncodingChoice, ARareClassIsNoTrouble) {
  const Rows rows = stairs(300);
  std::vector<std::size_t> labels;
  for (const double target : rows.targets) labels.push_back(target > 3.5 ? 1 : 0);
  labels.back() = 2;
  Classifier model(small());
  model.fit(rows.inputs, labels);
  EXPECT_EQ(model.classes(), 3U);
}

// Rows of ones and zeros, small counts and a number that is never zero, in both forms.
struct BothForms {
  std::vector<double> whole, targets;
  std::vector<std::size_t> labels;
  SparseInputs sparse{.columns = 8};

  BothForms(std::size_t count, bool keeps_zeros) {
    sparse.keeps_zeros = keeps_zeros;
    RandomStream random(6, 0);
    for (std::size_t row = 0; row < count; ++row) {
      double sum = 0.1 * random.normal();
      for (std::size_t c = 0; c < sparse.columns; ++c) {
        double x = random.uniform() < 0.3 ? 1 : 0;
        if (c == 6) x *= std::floor(random.uniform(1, 5));
        if (c == 7 && !keeps_zeros) x = 3 + random.normal();
        sum += x * (static_cast<double>(c) - 3);
        whole.push_back(x);
        if (x != 0) sparse.add(c, x);
      }
      sparse.end_row();
      targets.push_back(sum);
      labels.push_back(sum > 3 ? 1 : 0);
    }
  }
};

// To the bit, whichever encoding is used; so are predictions of either form.
TEST(EncodingChoice, SparseRowsAreLearnedAsWholeOnes) {
  const BothForms rows(240, /*keeps_zeros=*/false);
  for (const Encoding encoding : {Encoding::chosen, Encoding::standard, Encoding::bins}) {
    SCOPED_TRACE(to_string(encoding));
    Regressor of_whole(small(encoding)), of_sparse(small(encoding));
    of_whole.fit(rows.whole, rows.targets);
    of_sparse.fit(rows.sparse, rows.targets);
    EXPECT_EQ(of_sparse.encodings(), of_whole.encodings());
    const std::vector<double> expected = of_whole.predict(rows.whole).mean;
    EXPECT_EQ(of_sparse.predict(rows.sparse).mean, expected);
    EXPECT_EQ(of_whole.predict(rows.sparse).mean, expected);
    EXPECT_EQ(of_sparse.log_likelihood(rows.sparse, rows.targets),
              of_whole.log_likelihood(rows.whole, rows.targets));
  }
  EstimatorOptions options = small(Encoding::standard);
  options.calibration_share = 0.3;
  Classifier of_whole(options), of_sparse(options);
  of_whole.fit(rows.whole, rows.labels);
  of_sparse.fit(rows.sparse, rows.labels);
  EXPECT_NE(of_sparse.temperature(), 1);
  EXPECT_EQ(of_sparse.temperature(), of_whole.temperature());
  EXPECT_EQ(of_sparse.predict_probabilities(rows.sparse),
            of_whole.predict_probabilities(rows.whole));
}

// A stream begins with few rows, which are kept, or with enough of them.
TEST(EncodingChoice, SparseStreamsAreThoseOfWholeRows) {
  const BothForms rows(240, /*keeps_zeros=*/false);
  for (const std::size_t first : {50U, 150U}) {
    Regressor of_whole(small()), of_sparse(small());
    const std::span<const double> targets = rows.targets;
    for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, first}, {first, 240}}) {
      of_whole.partial_fit(Inputs(rows.whole, 240, 8).part(begin, end - begin),
                           targets.subspan(begin, end - begin));
      of_sparse.partial_fit(Inputs(rows.sparse).part(begin, end - begin),
                            targets.subspan(begin, end - begin));
    }
    EXPECT_EQ(of_sparse.predict(rows.sparse).mean, of_whole.predict(rows.whole).mean) << first;
    EXPECT_EQ(of_sparse.rows_learned(), 240U);
  }
}

TEST(EncodingChoice, ZerosStayZerosUnlessAnEncodingIsNamed) {
  const BothForms rows(240, /*keeps_zeros=*/true);
  Regressor model(small());
  model.fit(rows.sparse, rows.targets);
  for (const ColumnEncoding& column : model.encodings()) {
    EXPECT_EQ(column.kind, Encoding::standard);
    EXPECT_EQ(column.mean, 0);
  }
  EXPECT_GT(model.encodings()[6].unit, 1.5) << "counts from 1 to 4";
  EXPECT_EQ(model.encoded_inputs(rows.sparse).values.size(), rows.sparse.values.size());
  EXPECT_EQ(model.predict(rows.whole).mean, model.predict(rows.sparse).mean);
  Regressor named(small(Encoding::quantile));
  named.fit(rows.sparse, rows.targets);
  EXPECT_EQ(named.encodings()[6].kind, Encoding::quantile);
}

TEST(EncodingChoice, SparseRowsOfOtherColumnsAreRefused) {
  const BothForms rows(50, true);
  Regressor model(small());
  model.fit(rows.sparse, rows.targets);
  const SparseInputs other{7, {0, 0}, {}, {}};
  EXPECT_THROW(model.predict(other), InvalidArgument);
  EXPECT_THROW(model.partial_fit(other, std::vector{1.0}), InvalidArgument);
  EXPECT_THROW(model.fit(rows.sparse, std::vector{1.0}), InvalidArgument);
}

}  // namespace
}  // namespace postrider

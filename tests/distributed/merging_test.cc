#include "distributed/merging.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "distributed/spread_sine.h"
#include "files.h"
#include "postrider/distributed/parts.h"

namespace postrider::distributed {
using namespace internal;
namespace {

// Two runs: one with the first two of six shards, one with the others.
class MergingTest : public SpreadSine {
 protected:
  static constexpr std::size_t kFirst = 2, kAll = 6;

  Shards part(std::size_t begin, std::size_t end) {
    return {end - begin,
            [all = shards(kAll), begin](std::size_t shard) { return all.rows(begin + shard); }};
  }
  // Beliefs are those of the last epoch.
  static EstimatorOptions options(std::size_t epochs = 6) {
    EstimatorOptions out = small();
    out.training.stopping = TrainerOptions::Stopping::epochs;
    out.training.max_epochs = epochs;
    return out;
  }
  void train_both(const EstimatorOptions& how) {
    first_.emplace(learned(how, part(0, kFirst), {.checkpoint = first()}));
    second_.emplace(learned(how, part(kFirst, kAll), {.checkpoint = second()}));
  }
  std::string first() const { return folder_.file("first"); }
  std::string second() const { return folder_.file("second"); }
  DistributedOptions both() const { return {.merge = {first(), second()}}; }

  // What has begun with both runs, and has refreshed nothing.
  class Begun {
   public:
    Begun(const EstimatorOptions& how, const Shards& rows, const DistributedOptions& of)
        : model_(how), holder_(model_) {
      for (std::size_t s = 0; s < rows.count; ++s) {
        holder_.hold(s, rows.rows(s));
        summaries_.push_back(holder_.summary(s));
      }
      holder_.prepare(summaries_);
      driver_.emplace(model_, of, summaries_);
      if (!of.merge.empty()) driver_->merge(holder_.merge(of.merge));
    }
    RoundRequest first_request() {
      const ByteString step = driver_->next();
      WeightMessages<float> belief(holder_.merge({}).size() / 2);
      return RoundRequest::unpacked(unpacked_step(step).requests.front(), belief);
    }
    const Regressor& model() {
      driver_->conclude();
      return model_;
    }

   private:
    Regressor model_;
    ShardHolder holder_;
    std::vector<ByteString> summaries_;
    std::optional<DistributedDriver> driver_;
  };
  std::string refusal(const EstimatorOptions& how, const DistributedOptions& of) {
    return trouble([&] { learned(how, shards(), of); });
  }

  TemporaryFolder folder_;
  std::optional<Regressor> first_, second_;
};

// The belief is the prior times all messages: natural parameters add up.
TEST_F(MergingTest, WhatBothHaveSaidIsAddedUp) {
  for (const network::Precision precision :
       {network::Precision::float32, network::Precision::float64}) {
    EstimatorOptions how = options();
    how.precision = precision;
    train_both(how);
    Begun begun(how, shards(), both());
    const Regressor& model = begun.model();
    for (std::size_t k = 0; k < model.network().weight_count(); ++k) {
      const Gaussian prior = model.network().prior(k), belief = model.network().weight(k);
      const Gaussian a = first_->network().weight(k), b = second_->network().weight(k);
      EXPECT_NEAR(belief.rho() / (a.rho() + b.rho() - prior.rho()), 1, 1e-5) << k;
      EXPECT_NEAR(belief.tau(), a.tau() + b.tau() - prior.tau(), 1e-4 * std::sqrt(belief.rho()))
          << k;
    }
    // A third of the rows were the first one's.
    EXPECT_NEAR(model.noise_variance()[0] /
                    ((first_->noise_variance()[0] + 2 * second_->noise_variance()[0]) / 3),
                1, 0.01);
  }
}

TEST_F(MergingTest, TrainingBeginsWithWhatWasLearned) {
  train_both(options(40));
  const auto likelihood = [&](const Regressor& model) {
    return model.log_likelihood(held_out.x, held_out.y);
  };
  const double whole = likelihood(learned(options(40), shards()));
  // The noise is found anew, by the rows that this run leaves out: half of the way in each epoch.
  const double warm = likelihood(learned(options(4), shards(), both()));
  const double cold = likelihood(learned(options(1), shards()));
  EXPECT_GT(warm, whole - 0.05);
  EXPECT_LT(cold, whole - 0.2);
  EXPECT_EQ(report_.fits.front().epochs.size(), 1U);
}

// In a run that begins with nothing it may not, for some epochs: means are learned first.
TEST_F(MergingTest, TheNoiseMayVaryFromTheBeginning) {
  train_both(options());
  EXPECT_EQ(Begun(options(), shards(), both()).first_request().noise_may_vary, 1U);
  EXPECT_EQ(Begun(options(), shards(), {}).first_request().noise_may_vary, 0U);
}

// Shards that no run has are learned from nothing.
TEST_F(MergingTest, RowsMayBeNew) {
  train_both(options(40));
  const Regressor model = learned(options(4), shards(), {.merge = {first()}});
  const Regressor whole = learned(options(40), shards());
  EXPECT_GT(model.log_likelihood(held_out.x, held_out.y),
            whole.log_likelihood(held_out.x, held_out.y) - 0.1);
}

TEST_F(MergingTest, TheModelIsTheSameForAnyNumberOfProcessesAndLosses) {
  for (const std::size_t members : {1, 3}) {
    EstimatorOptions how = options(3);
    how.ensemble_size = members;
    train_both(how);
    const std::string one = alone(how, both());
    ThreadRanks three(3);
    EXPECT_EQ(together(three, how, both()), std::vector<std::string>(3, one));
    for (const std::size_t call : {1, 2, 30}) {
      ThreadRanks ranks(3);
      ranks.dies = [&](std::size_t rank, std::size_t at) { return rank == 1 && at == call; };
      DistributedOptions with_checkpoint = both();
      with_checkpoint.checkpoint = folder_.file("merged");
      EXPECT_EQ(together(ranks, how, with_checkpoint), std::vector<std::string>(2, one)) << call;
      std::filesystem::remove_all(with_checkpoint.checkpoint);
    }
  }
}

// Also without the runs that it was made of.
TEST_F(MergingTest, AMergedRunHasCheckpointsLikeAnyOther) {
  train_both(options());
  const std::string whole = alone(options(4), both());
  DistributedOptions how = both();
  how.checkpoint = folder_.file("merged");
  alone(options(2), how);
  how.merge.clear();
  how.resume = true;
  EXPECT_EQ(alone(options(4), how), whole);
}

TEST_F(MergingTest, RunsThatDoNotFitAreRefused) {
  train_both(options());
  EXPECT_NE(refusal(options(), {.merge = {second(), first()}}).find("from number 0 on"),
            std::string::npos);
  EXPECT_NE(refusal(options(), {.merge = {first(), first()}}).find("from number 2 on"),
            std::string::npos);
  EstimatorOptions other = options();
  other.training.seed = 2;
  EXPECT_NE(refusal(other, both()).find("same options and seed"), std::string::npos);
  EXPECT_NE(refusal(options(), {.merge = {folder_.file("nowhere")}}).find("nowhere"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("nowhere")));
  const std::string shard = second() + "/epoch-6.shard-3";
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) - 1);
  EXPECT_NE(refusal(options(), both()).find("shorter or longer"), std::string::npos);
}

TEST_F(MergingTest, AFolderThatIsMergedIsNotWrittenTo) {
  train_both(options());
  DistributedOptions how = both();
  how.checkpoint = folder_.file("other/../second");
  EXPECT_NE(refusal(options(), how).find("must not be a folder that is merged"), std::string::npos);
}

// The shard is from another checkpoint of the same run: its own bytes are whole.
TEST_F(MergingTest, ASumThatIsNotTheShardsIsRefused) {
  train_both(options());
  std::filesystem::copy_file(first() + "/epoch-6.shard-1", folder_.file("kept"));
  learned(options(5), part(0, kFirst), {.checkpoint = first()});
  std::filesystem::rename(folder_.file("kept"), first() + "/epoch-5.shard-1");
  EXPECT_NE(refusal(options(), both()).find("not that of the shards' messages"), std::string::npos);
}

TEST_F(MergingTest, NetworksOfOtherShapesAreRefused) {
  EstimatorOptions wide = options();
  wide.hidden = {60};  // more weights than the rows of the first run allow
  train_both(wide);
  EXPECT_NE(refusal(wide, both()).find("set weights_per_example to 0"), std::string::npos);
  wide.weights_per_example = 0;
  train_both(wide);
  EXPECT_EQ(refusal(wide, both()), "no trouble");
}

// The rows of the largest shard set how many share a message.
TEST_F(MergingTest, MessagesOfOtherGroupsAreRefused) {
  EstimatorOptions how = options();
  how.training.store_budget = 20000;
  const Shards unlike{2, [&](std::size_t shard) {
                        return shard == 0 ? part(0, 1).rows(0) : Examples{training.x, training.y};
                      }};
  learned(how, part(0, 1), {.checkpoint = first()});
  EXPECT_NE(trouble([&] {
              learned(how, unlike, {.merge = {first()}});
            }).find("set group_size for all runs"),
            std::string::npos);
  how.training.group_size = 1;
  learned(how, part(0, 1), {.checkpoint = first()});
  EXPECT_EQ(trouble([&] { learned(how, unlike, {.merge = {first()}}); }), "no trouble");
}

// Stored messages are those of the rows that sent them, also where the shard has another number.
TEST_F(MergingTest, AShardKeepsTheOrderOfItsRows) {
  const EstimatorState state(spread_options(small()), OptionInfo::Scope::numeric_target);
  const Examples given = numeric_examples(training.x, training.y, {}, 1);
  Shard first(0, OptionInfo::Scope::numeric_target, state.options, given);
  Shard third(2, OptionInfo::Scope::numeric_target, state.options, given);
  const std::vector<Bytes> summaries(3, first.summary().packed());
  const TrainingPlan plan = plan_of(state, summaries);
  first.prepare(state, plan);
  third.prepare(state, plan);
  const FittedModel model = untrained(state, plan.summary, false);
  RoundRequest request;
  const WeightMessages<float> belief =
      std::get<NetworkArrays<float>>(inside_of(model.members.front().network).arrays).prior;
  request.noise = {0.1};
  // Half of an epoch of all: of each shard as much.
  request.stretch = {0, plan.all_groups() / 2, plan.all_groups()};
  std::vector<std::int64_t> change(2 * belief.size());
  first.member(0).round(request.packed(belief), change);
  const Bytes saved = first.saved();
  std::vector<UnitSums> sums(1, UnitSums(change.size()));
  third.load(state, plan, saved, "a test", sums);
  EXPECT_EQ(third.saved(), saved);
  EXPECT_EQ(sums.front(), change);
  request.stretch = {0, plan.all_groups(), plan.all_groups()};
  std::vector<std::int64_t> of_first(change.size()), of_third(change.size());
  first.member(0).round(request.packed(belief), of_first);
  third.member(0).round(request.packed(belief), of_third);
  EXPECT_EQ(of_first, of_third);
}

}  // namespace
}  // namespace postrider::distributed

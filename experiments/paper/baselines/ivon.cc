#include "baselines/ivon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/workers.h"
#include "postrider/metrics.h"
#include "studies.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kDraws = 1000, kQuickDraws = 100;
constexpr std::size_t kShort = 500, kLong = 2000, kQuickShort = 20, kQuickLong = 30;  // epochs
constexpr std::size_t kFewSeeds = 20, kQuickSeeds = 4;
constexpr std::size_t kTogether = 50;
constexpr std::uint64_t kNoiseStreams = 5'000'000, kDrawStreams = 6'000'000;

constexpr Ivon paper_setting() { return {0.6, 0.9999, 0.1}; }

struct Plan {
  std::string name;
  Ivon ivon;
  std::size_t epochs, seeds;
};

std::vector<Plan> plans_of(const Ivon& best, bool quick) {
  const std::size_t brief = quick ? kQuickShort : kShort, lasting = quick ? kQuickLong : kLong;
  const std::size_t many = quick ? kQuickSeeds : kComparedSeeds,
                    few = quick ? kQuickSeeds : kFewSeeds;
  Ivon scaled = paper_setting(), low = paper_setting(), high = paper_setting();
  scaled.has_scaled_rate = true;
  low.first_curvature = 0.1;
  high.first_curvature = 10;
  return {{"paper", paper_setting(), brief, many},
          {"paper_long", paper_setting(), lasting, few},
          {"paper_scaled", scaled, brief, few},
          {"paper_low", low, brief, few},
          {"paper_high", high, brief, many},
          {"paper_high_long", high, lasting, few},
          {"best", best, brief, many},
          {"best_long", best, lasting, few}};
}

Object settings_of(const Plan& plan) {
  return {{"rate", {plan.ivon.rate}},
          {"beta2", {plan.ivon.beta2}},
          {"delta", {plan.ivon.delta}},
          {"first_curvature", {plan.ivon.first_curvature}},
          {"has_scaled_rate", {plan.ivon.has_scaled_rate}},
          {"epochs", {static_cast<std::int64_t>(plan.epochs)}}};
}

std::vector<Varied> train_chunk(const Study& study, const Seeds& seeds, const Plan& plan,
                                std::size_t first, std::size_t count, std::uint64_t seed) {
  std::vector<IvonTrainee> trainees;
  std::vector<RandomStream> streams;
  for (std::size_t i = first; i < first + count; ++i) {
    trainees.push_back({{i, seeds.starts[i]}, plan.ivon});
    streams.emplace_back(seed, kNoiseStreams + i);
  }
  return train_by_ivon(gradient_shape(study.task), seeds.rows, trainees, plan.epochs,
                       [&](std::size_t i, double* values, std::size_t values_count) {
                         for (std::size_t k = 0; k < values_count; ++k)
                           values[k] = streams[i].normal();
                       });
}

Arm run_arm(const Plan& plan, const Study& study, const Seeds& seeds, const Settings& settings) {
  const NetworkTask& task = study.task;
  Arm out{plan.name, settings_of(plan), std::vector<Outcome>(plan.seeds),
          std::vector<std::vector<double>>(std::min(plan.seeds, study.few))};
  const std::size_t draws = settings.quick ? kQuickDraws : kDraws;
  Workers(settings.threads).run((plan.seeds + kTogether - 1) / kTogether, [&](std::size_t chunk) {
    const std::size_t first = chunk * kTogether, count = std::min(kTogether, plan.seeds - first);
    std::vector<Varied> found = train_chunk(study, seeds, plan, first, count, settings.seed);
    for (std::size_t i = first; i < first + count; ++i) {
      Varied& run = found[i - first];
      const Predictor predictor =
          sampled_predictor(task, draw_weights(run.mean, run.deviation, draws,
                                               RandomStream(settings.seed, kDrawStreams + i)));
      out.outcomes[i] = outcome_of(task, seeds.problems[i], predictor, plan.epochs);
      if (i < out.curves.size()) out.curves[i] = std::move(run.curve);
      if (i == 0) out.shown = shown_prediction(task, seeds.problems[i], predictor);
    }
  });
  return out;
}

}  // namespace

std::vector<Arm> run_ivon(const IvonSweep& sweep, const Settings& settings) {
  const Study study = small_study(settings.quick);
  const std::vector<Plan> plans = plans_of(sweep.best().ivon, settings.quick);
  const Seeds seeds = draw_seeds(study, settings, plans.front().seeds);
  std::vector<Arm> out;
  for (const Plan& plan : plans) out.push_back(run_arm(plan, study, seeds, settings));
  return out;
}

Part describe_ivon(const std::vector<Arm>& arms, const Settings& settings) {
  Part out{"ivon",
           {{"draws", {static_cast<std::int64_t>(kDraws)}}, {"levels", {calibration_levels()}}},
           {}};
  Object all;
  for (const Arm& arm : arms) {
    all.push_back({arm.name, {describe(arm, small_study(settings.quick), settings)}});
    out.notes.push_back(fmt::format(
        "{}: training NLL {:.3f}, extrapolation NLL {:.3f}, {} of {} "
        "diverged, first seed {:.3f}",
        arm.name, median_of(arm, &Outcome::training), median_of(arm, &Outcome::beyond),
        diverged(arm, arm.outcomes.size()), arm.outcomes.size(), arm.outcomes.front().beyond));
  }
  out.result.push_back({"arms", {all}});
  return out;
}

Object summarise_ivon(const std::vector<Arm>& arms, const Settings& settings, Part& part) {
  Object out;
  for (const Published& published : PublishedValues{{"extrapolation_nll", 2.11, 6, 5.27}})
    out.push_back(
        {published.quantity, {summarise({&find(arms, "paper")}, published, settings, part)}});
  return out;
}

}  // namespace postrider::experiments

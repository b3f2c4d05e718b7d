#include "baselines/laplace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/workers.h"
#include "postrider/metrics.h"
#include "studies.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kEpochs = 200, kDraws = 1000;  // the paper's
constexpr double kRate = 0.1;
constexpr std::size_t kSeeds = 200;
constexpr std::size_t kQuickSeeds = 8, kQuickEpochs = 20, kQuickDraws = 100;
constexpr std::size_t kTogether = 50;
constexpr std::uint64_t kDrawStreams = 3'000'000;

struct Plan {
  std::size_t seeds, epochs, draws;
};
Plan plan_of(bool quick) {
  return quick ? Plan{kQuickSeeds, kQuickEpochs, kQuickDraws} : Plan{kSeeds, kEpochs, kDraws};
}

// Independent Gaussians, one per weight.
struct Prior {
  std::vector<double> mean, precision;
};

// N(0, 2 / fan-in).
Prior printed_prior(const NetworkShape& shape) {
  Prior out;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const std::size_t count = shape.widths[l] * shape.widths[l - 1];
    out.mean.insert(out.mean.end(), count, 0);
    out.precision.insert(out.precision.end(), count, static_cast<double>(shape.widths[l - 1]) / 2);
  }
  return out;
}

// That of message passing, with its means, which are not zero.
Prior own_prior(const Problem& problem) {
  Prior out;
  for (const WeightPrior& prior : problem.prior) {
    out.mean.push_back(prior.mean);
    out.precision.push_back(1 / prior.variance);
  }
  return out;
}

// The prior as a part of the mean loss of a row.
Adam adam_of(const Prior& prior, std::size_t rows) {
  Adam out{kRate};
  out.centre = prior.mean;
  for (const double precision : prior.precision)
    out.pull.push_back(precision / static_cast<double>(rows));
  return out;
}

struct Fitted {
  std::vector<double> mode, deviation;
  std::size_t bounded = 0;  // curvatures of the likelihood that were not positive, and left out
};

Fitted fitted(std::vector<double> mode, const std::vector<double>& curvature, const Prior& prior) {
  Fitted out{std::move(mode), {}};
  for (std::size_t k = 0; k < curvature.size(); ++k) {
    if (!(curvature[k] >= 0)) ++out.bounded;
    out.deviation.push_back(1 / std::sqrt(std::max(curvature[k], 0.0) + prior.precision[k]));
  }
  return out;
}

std::vector<Fitted> fit_chunk(const Study& study, const Seeds& seeds,
                              const std::vector<Prior>& priors, std::size_t first,
                              std::size_t count, std::size_t epochs) {
  const GradientShape shape = gradient_shape(study.task);
  std::vector<AdamTrainee> trainees;
  for (std::size_t i = first; i < first + count; ++i)
    trainees.push_back({{i, seeds.starts[i]}, adam_of(priors[i], study.task.examples)});
  std::vector<Descended> modes =
      train_by_adam(shape, seeds.rows, trainees, {epochs, study.task.batch_size()});
  std::vector<Trainee> at;
  for (std::size_t i = 0; i < count; ++i) at.push_back({first + i, modes[i].weights});
  const std::vector<std::vector<double>> curvatures = hessian_diagonals(shape, seeds.rows, at);
  std::vector<Fitted> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(fitted(std::move(modes[i].weights), curvatures[i], priors[first + i]));
  return out;
}

Arm run_arm(const std::string& name, const Study& study, const Seeds& seeds,
            const std::vector<Prior>& priors, const Plan& plan, const Settings& settings) {
  const NetworkTask& task = study.task;
  Arm out{name, {}, std::vector<Outcome>(plan.seeds)};
  std::vector<std::size_t> bounded(plan.seeds);
  Workers(settings.threads).run((plan.seeds + kTogether - 1) / kTogether, [&](std::size_t chunk) {
    const std::size_t first = chunk * kTogether, count = std::min(kTogether, plan.seeds - first);
    const std::vector<Fitted> found = fit_chunk(study, seeds, priors, first, count, plan.epochs);
    for (std::size_t i = first; i < first + count; ++i) {
      const Fitted& fit = found[i - first];
      const Predictor predictor =
          sampled_predictor(task, draw_weights(fit.mode, fit.deviation, plan.draws,
                                               RandomStream(settings.seed, kDrawStreams + i)));
      out.outcomes[i] = outcome_of(task, seeds.problems[i], predictor, plan.epochs);
      bounded[i] = fit.bounded;
      if (i == 0) out.shown = shown_prediction(task, seeds.problems[i], predictor);
    }
  });
  std::int64_t all = 0;
  for (const std::size_t count : bounded) all += static_cast<std::int64_t>(count);
  out.settings = {
      {"bounded_curvatures", {all}},
      {"curvatures", {static_cast<std::int64_t>(plan.seeds * study.task.shape.weights())}}};
  return out;
}

}  // namespace

std::vector<Arm> run_laplace(const Settings& settings) {
  const Plan plan = plan_of(settings.quick);
  const Study study = small_study(settings.quick);
  const Seeds seeds = draw_seeds(study, settings, plan.seeds);
  std::vector<Prior> printed, own;
  for (const Problem& problem : seeds.problems) {
    printed.push_back(printed_prior(study.task.shape));
    own.push_back(own_prior(problem));
  }
  return {run_arm("printed_prior", study, seeds, printed, plan, settings),
          run_arm("own_prior", study, seeds, own, plan, settings)};
}

Part describe_laplace(const std::vector<Arm>& arms, const Settings& settings) {
  const Plan plan = plan_of(settings.quick);
  Part out{"laplace",
           {{"many_seeds", {static_cast<std::int64_t>(plan.seeds)}},
            {"epochs", {static_cast<std::int64_t>(plan.epochs)}},
            {"draws", {static_cast<std::int64_t>(plan.draws)}},
            {"levels", {calibration_levels()}}},
           {}};
  Object all;
  for (const Arm& arm : arms) {
    all.push_back({arm.name, {describe(arm, small_study(settings.quick), settings)}});
    const auto bounded = std::get<std::int64_t>(arm.settings.front().second.value);
    // Along a single weight such a network is piecewise linear: its likelihood cannot curve the
    // other way.
    out.claims.push_back(
        {fmt::format("{}: {} curvatures of the likelihood are negative", arm.name, bounded),
         bounded == 0});
    out.notes.push_back(
        fmt::format("{}: training NLL {:.3f}, extrapolation NLL {:.3f}, calibration error {:+.3f}",
                    arm.name, median_of(arm, &Outcome::training), median_of(arm, &Outcome::beyond),
                    median_of(arm, &Outcome::calibration)));
  }
  out.result.push_back({"arms", {all}});
  return out;
}

Object summarise_laplace(const std::vector<Arm>& arms, const Settings& settings, Part& part) {
  Object out;
  for (const Published& published :
       PublishedValues{{"extrapolation_nll", 0.77, 20, 1.91}, {"calibration", -0.10, 20, 0.35}})
    out.push_back({published.quantity,
                   {summarise({&find(arms, "printed_prior"), &find(arms, "own_prior")}, published,
                              settings, part)}});
  return out;
}

}  // namespace postrider::experiments

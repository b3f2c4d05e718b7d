#include "baselines/adam_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/workers.h"
#include "studies.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kSmallEpochs = 200, kLargeEpochs = 100;  // the paper's
constexpr std::size_t kQuickSeeds = 8, kQuickEpochs = 20;
constexpr std::size_t kQuickLargeSeeds = 2, kQuickLargeEpochs = 2;
// Networks trained at once: enough to share libtorch's overhead, few enough to stay in the cache.
constexpr std::size_t kTogether = 250, kTogetherLarge = 30;

const std::vector<double> kRates{1e-3, 1e-2, 1e-1, 1};
const std::vector<double> kDecays{0.01, 0.1, 1, 10};
constexpr std::array kBothSteps{Steps::batches, Steps::full};
constexpr double kBestRate = 0.1;  // the paper's, for decays

std::vector<Adam> with_rates(const std::vector<double>& rates) {
  std::vector<Adam> out;
  for (const double rate : rates) out.push_back({rate});
  return out;
}

void resize(AdamStudy& of, bool quick) {
  of.study.many = kComparedSeeds;
  if (!quick) return;
  of.study.few = of.study.many = kQuickSeeds;
  of.epochs = kQuickEpochs;
}

void add_decays(std::vector<Adam>& out) {
  for (const double decay : kDecays) out.push_back({kBestRate, decay});
}

PublishedAdam extrapolation(const Adam& adam, double median, double range) {
  return {adam, {"extrapolation_nll", median, 20, range}};
}

PublishedAdam training(const Adam& adam, double value) {
  return {adam, {"training_nll", value, 1}};
}

// A seed's networks with every setting, side by side.
std::vector<AdamTrainee> trainees_of(const AdamStudy& of, const Seeds& seeds, std::size_t first,
                                     std::size_t count) {
  std::vector<AdamTrainee> out;
  for (std::size_t i = first; i < first + count; ++i)
    for (const Adam& adam : of.settings) out.push_back({{i, seeds.starts[i]}, adam});
  return out;
}

bool is_shown(const AdamStudy& of, const Adam& adam) {
  return std::any_of(of.shown.begin(), of.shown.end(), [&](const Adam& shown) {
    return shown.rate == adam.rate && shown.decay == adam.decay;
  });
}

// Trains some seeds with every setting, and scores them.
void run_chunk(const AdamStudy& of, Steps steps, const Seeds& seeds, std::size_t first,
               std::size_t count, std::span<Arm> arms) {
  const NetworkTask& task = of.study.task;
  const std::size_t batch = steps == Steps::full ? task.examples : task.batch_size();
  std::vector<Descended> found =
      train_by_adam(gradient_shape(task), seeds.rows, trainees_of(of, seeds, first, count),
                    {of.epochs, batch, first < of.study.few});
  for (std::size_t i = first; i < first + count; ++i)
    for (std::size_t a = 0; a < arms.size(); ++a) {
      Descended& run = found[(i - first) * arms.size() + a];
      const Predictor predictor = point_predictor(task, run.weights);
      arms[a].outcomes[i] = outcome_of(task, seeds.problems[i], predictor, of.epochs);
      if (i < of.study.few) arms[a].curves[i] = std::move(run.curve);
      if (i == 0 && is_shown(of, of.settings[a]))
        arms[a].shown = shown_prediction(task, seeds.problems[i], predictor);
    }
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double gap = std::abs(a[k] - b[k]);
    if (!(gap <= out)) out = gap;  // what is no number counts as well
  }
  return out;
}

}  // namespace

AdamStudy small_adam(bool quick) {
  AdamStudy out{"adam", small_study(quick), kSmallEpochs, with_rates(kRates), {}, {}};
  add_decays(out.settings);
  out.settings.push_back({0.01, 1});
  out.settings.push_back({1, 1});
  out.shown = {{0.1}, {0.1, 0.1}};
  out.published = {extrapolation({0.1}, 12.09, 11.52),    extrapolation({0.1, 0.01}, 8.05, 10.73),
                   extrapolation({0.1, 0.1}, 5.52, 9.86), extrapolation({0.1, 1}, 4.07, 10.47),
                   extrapolation({0.1, 10}, 4.08, 8.59),  extrapolation({0.01, 1}, 4.05, 10.81)};
  resize(out, quick);
  return out;
}

AdamStudy mismatch_adam(bool quick) {
  AdamStudy out{
      "mismatch_adam", mismatch_study(quick), kSmallEpochs, with_rates({kBestRate}), {}, {}};
  add_decays(out.settings);
  out.shown = {{0.1}, {0.1, 0.1}};
  out.published = {extrapolation({0.1}, 0.50, 2.23), extrapolation({0.1, 0.1}, -0.36, 0.73)};
  resize(out, quick);
  return out;
}

AdamStudy large_adam(bool quick) {
  AdamStudy out{"large_adam", large_study(quick), kLargeEpochs, with_rates(kRates), {}, {}};
  out.settings.push_back({0.1, 0.1});
  out.shown = {{0.01}};
  out.published = {training({0.01}, -0.79), training({1e-3}, 0.84), training({0.1, 0.1}, -0.47)};
  out.study.many = std::min(out.study.many, kComparedLargeSeeds);
  if (quick) {
    out.study.few = out.study.many = kQuickLargeSeeds;
    out.epochs = kQuickLargeEpochs;
  }
  return out;
}

std::string name_of(Steps steps, const Adam& adam) {
  const std::string start = steps == Steps::full ? "full" : "batches";
  return adam.decay > 0 ? fmt::format("{}_adamw_{:g}_{:g}", start, adam.rate, adam.decay)
                        : fmt::format("{}_adam_{:g}", start, adam.rate);
}

std::vector<Arm> run(const AdamStudy& of, const Settings& settings) {
  const std::size_t many = of.study.many, count = of.settings.size();
  const Seeds seeds = draw_seeds(of.study, settings, many);
  std::vector<Arm> out;
  for (const Steps steps : kBothSteps)
    for (const Adam& adam : of.settings)
      out.push_back({name_of(steps, adam),
                     {{"rate", {adam.rate}}, {"decay", {adam.decay}}},
                     std::vector<Outcome>(many),
                     std::vector<std::vector<double>>(of.study.few)});
  const std::size_t together = (of.study.task.is_large ? kTogetherLarge : kTogether) / count;
  const std::size_t chunks = (many + together - 1) / together;
  Workers(settings.threads).run(kBothSteps.size() * chunks, [&](std::size_t task) {
    const std::size_t which = task / chunks, first = task % chunks * together;
    run_chunk(of, kBothSteps[which], seeds, first, std::min(together, many - first),
              std::span(out).subspan(which * count, count));
  });
  return out;
}

Part describe(const AdamStudy& of, const std::vector<Arm>& arms, const Settings& settings) {
  Part out{of.name, {}, {}, {}};
  out.result = {{"few_seeds", {static_cast<std::int64_t>(of.study.few)}},
                {"many_seeds", {static_cast<std::int64_t>(of.study.many)}},
                {"epochs", {static_cast<std::int64_t>(of.epochs)}}};
  Object all;
  for (const Arm& arm : arms) {
    all.push_back({arm.name, {describe(arm, of.study, settings)}});
    out.notes.push_back(
        fmt::format("{}: training NLL {:.3f}, extrapolation NLL {:.3f}, {} diverged", arm.name,
                    median_of(arm, &Outcome::training), median_of(arm, &Outcome::beyond),
                    diverged(arm, arm.outcomes.size())));
  }
  out.result.push_back({"arms", {all}});
  return out;
}

Object summarise(const AdamStudy& of, const std::vector<Arm>& arms, const Settings& settings,
                 Part& part) {
  Object out;
  for (const auto& [adam, published] : of.published) {
    std::vector<const Arm*> readings;
    for (const Steps steps : kBothSteps) readings.push_back(&find(arms, name_of(steps, adam)));
    out.push_back({fmt::format("{:g}_{:g}", adam.rate, adam.decay),
                   {summarise(readings, published, settings, part)}});
  }
  return out;
}

void check_updates(const Settings& settings, Part& part) {
  constexpr double kTolerance = 1e-9;
  constexpr std::size_t kEpochs = 5;
  const Study study = small_study(true);
  const Seeds seeds = draw_seeds(study, settings, 1);
  const GradientShape shape = gradient_shape(study.task);
  for (const Adam& adam : {Adam{0.01}, Adam{0.1, 1}}) {
    AdamTrainee trainee;
    trainee.trainee.start = seeds.starts[0];
    trainee.adam = adam;
    const Course course{kEpochs, study.task.batch_size()};
    const std::vector<double> ours =
        train_by_adam(shape, seeds.rows, {trainee, trainee}, course).back().weights;
    const double gap = largest_difference(
        ours, train_by_library_adam(shape, seeds.rows[0], trainee, course).weights);
    part.claims.push_back({fmt::format("{}: after {} epochs weights differ from libtorch's "
                                       "optimiser by {:.0e}, at most {:.0e}",
                                       name_of(Steps::batches, adam), kEpochs, gap, kTolerance),
                           gap <= kTolerance});
  }
}

}  // namespace postrider::experiments

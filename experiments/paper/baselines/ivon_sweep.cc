#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/workers.h"
#include "baselines/ivon.h"
#include "studies.h"

namespace postrider::experiments {
using namespace internal;
namespace {

// The paper's grid, epochs and limit.
const std::vector<double> kRates{1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 6e-1, 1};
const std::vector<double> kBetas{0.9, 0.99, 0.999, 0.9999};
const std::vector<double> kDeltas{1e-4, 1e-3, 1e-2, 1e-1, 5e-1};
// The paper does not say where the curvature starts: around 1, the default of its authors' program.
const std::vector<double> kFirstCurvatures{0.1, 1, 10};
constexpr double kDefaultCurvature = 1;
constexpr std::size_t kEpochs = 500, kQuickEpochs = 20;
constexpr double kConverged = 1.0;
const std::vector<double> kShownRates{1e-3, 1e-2, 1e-1};

constexpr std::uint64_t kNoiseStreams = 4'000'000;

std::vector<Ivon> grid() {
  std::vector<Ivon> out;
  for (const double curvature : kFirstCurvatures)
    for (const double rate : kRates)
      for (const double beta : kBetas)
        for (const double delta : kDeltas) {
          out.push_back({rate, beta, delta});
          out.back().first_curvature = curvature;
        }
  return out;
}

double last(const IvonRun& run) {
  const double score = run.curve.back();
  return std::isfinite(score) ? score : std::numeric_limits<double>::infinity();
}

double least(const IvonRun& run) {
  double out = std::numeric_limits<double>::infinity();
  for (const double score : run.curve)
    if (score < out) out = score;
  return out;
}

Object describe(const IvonRun& run) {
  return {{"rate", {run.ivon.rate}},   {"beta2", {run.ivon.beta2}},
          {"delta", {run.ivon.delta}}, {"first_curvature", {run.ivon.first_curvature}},
          {"least_nll", {least(run)}}, {"final_nll", {last(run)}}};
}

Object with_curve(const IvonRun& run) {
  Object out = describe(run);
  out.push_back({"curve", {run.curve}});
  return out;
}

}  // namespace

const IvonRun& IvonSweep::best(double curvature, double rate) const {
  const IvonRun* out = nullptr;
  for (const IvonRun& run : runs)
    if ((curvature == 0 || run.ivon.first_curvature == curvature) &&
        (rate == 0 || run.ivon.rate == rate) && (out == nullptr || last(run) < last(*out)))
      out = &run;
  return *out;
}

IvonSweep sweep_ivon(const Settings& settings) {
  const Study study = small_study(settings.quick);
  const Seeds seeds = draw_seeds(study, settings, 1);
  const std::vector<Ivon> all = grid();
  IvonSweep out;
  for (const Ivon& ivon : all) out.runs.push_back({ivon, {}});
  // One task per rate and first curvature: the networks of a task share libtorch's overhead.
  const std::size_t together = kBetas.size() * kDeltas.size();
  Workers(settings.threads).run(all.size() / together, [&](std::size_t task) {
    const std::size_t first = task * together;
    std::vector<IvonTrainee> trainees;
    std::vector<RandomStream> streams;
    for (std::size_t i = first; i < first + together; ++i) {
      trainees.push_back({{0, seeds.starts[0]}, all[i]});
      streams.emplace_back(settings.seed, kNoiseStreams + i);
    }
    std::vector<Varied> found = train_by_ivon(
        gradient_shape(study.task), seeds.rows, trainees, settings.quick ? kQuickEpochs : kEpochs,
        [&](std::size_t i, double* values, std::size_t count) {
          for (std::size_t k = 0; k < count; ++k) values[k] = streams[i].normal();
        });
    for (std::size_t i = 0; i < together; ++i)
      out.runs[first + i].curve = std::move(found[i].curve);
  });
  return out;
}

Part describe_sweep(const IvonSweep& sweep) {
  Part out{
      "ivon_sweep",
      {{"epochs", {static_cast<std::int64_t>(sweep.runs.front().curve.size())}},
       {"configurations", {static_cast<std::int64_t>(sweep.runs.size() / kFirstCurvatures.size())}},
       {"converged_below", {kConverged}},
       {"default_curvature", {kDefaultCurvature}},
       {"best", {with_curve(sweep.best())}}},
      {}};
  Object by_rate, by_curvature;
  for (const double rate : kShownRates)
    by_rate.push_back(
        {fmt::format("{:g}", rate), {with_curve(sweep.best(kDefaultCurvature, rate))}});
  out.result.push_back({"by_rate", {by_rate}});
  for (const double curvature : kFirstCurvatures) {
    const IvonRun& best = sweep.best(curvature);
    Object runs;
    for (const IvonRun& run : sweep.runs)
      if (run.ivon.first_curvature == curvature)
        runs.push_back({fmt::format("{}", runs.size()), {describe(run)}});
    by_curvature.push_back(
        {fmt::format("{:g}", curvature), {Object{{"best", {describe(best)}}, {"runs", {runs}}}}});
    const auto converged =
        std::count_if(sweep.runs.begin(), sweep.runs.end(), [&](const IvonRun& run) {
          return run.ivon.first_curvature == curvature && last(run) < kConverged;
        });
    out.notes.push_back(fmt::format(
        "first curvature {:g}: {} of {} configurations end below {:g}; best {:.3f} with rate {:g}, "
        "beta2 {:g}, delta {:g}",
        curvature, converged, runs.size(), kConverged, last(best), best.ivon.rate, best.ivon.beta2,
        best.ivon.delta));
  }
  out.result.push_back({"by_curvature", {by_curvature}});
  return out;
}

}  // namespace postrider::experiments

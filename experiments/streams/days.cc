// Rides by the hour, learned day by day: each day is predicted before it is learned. Beside it the same
// without drift and for predictions of the next row, as streams were; and a model that is fitted anew every week
// on all days before.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "parts.h"
#include "postrider/regressor.h"
#include "prequential.h"
#include "streams.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kHorizon = 24, kWarmUp = 2000, kWindow = 1000, kQuickRows = 500;
constexpr std::size_t kDaysOfAWeek = 7, kEpochs = 20;
constexpr double kLeastHeld = 0.86, kMostHeld = 0.94;

EstimatorOptions living(std::uint64_t seed, EstimatorOptions::TargetScale scale) {
  EstimatorOptions out;
  out.target_scale = scale;
  out.training.seed = seed;
  out.training.horizon = kHorizon;
  return out;
}

// As streams were before beliefs drifted.
EstimatorOptions former(std::uint64_t seed) {
  EstimatorOptions out;
  out.training.seed = seed;
  out.drift = false;
  return out;
}

// A fit takes as long as thousands of rows of a stream: fewer epochs and networks than by default, and no trials
// of encodings.
EstimatorOptions refitted(std::uint64_t seed) {
  EstimatorOptions out;
  out.training.seed = seed;
  out.training.threads = 1;
  out.training.max_epochs = kEpochs;
  out.encoding = Encoding::standard;
  out.target_scale = EstimatorOptions::TargetScale::root;
  out.ensemble_size = 1;
  return out;
}

}  // namespace

Part bike(const Settings& settings) {
  Part part{"bike", {}, {}, {}};
  Stream stream = read_bike(settings.data);
  if (settings.quick) stream = stream.beginning(kQuickRows);
  // Counts: their square roots are learned.
  const Prequential ours =
      day_by_day(stream, living(settings.seed, EstimatorOptions::TargetScale::root), 0);
  const Prequential plain =
      day_by_day(stream, living(settings.seed, EstimatorOptions::TargetScale::plain), 0);
  const Prequential before = day_by_day(stream, former(settings.seed), 0);
  const std::size_t warm = settings.quick ? stream.size() / 2 : kWarmUp;
  const std::size_t window = settings.quick ? stream.size() / 4 : kWindow;
  const auto told = [&](const char* name, const Prequential& found) {
    const Windows windows = windows_of(found, warm, window);
    fmt::print("  {}: log-likelihood {:.4f}, held {:.3f}, windows {:.3f} to {:.3f}\n", name,
               mean_after(found.log_likelihoods, warm), mean_after(found.held, warm), windows.worst,
               windows.best);
    return windows;
  };
  const Prequential refits = day_by_day(stream, refitted(settings.seed), kDaysOfAWeek);
  const Windows of_ours = told("drift, a day ahead", ours);
  part.result = to_object(ours, of_ours, warm);
  part.result.push_back({"rows", {static_cast<std::int64_t>(stream.size())}});
  part.result.push_back(
      {"plain_targets", {to_object(plain, told("of plain targets", plain), warm)}});
  part.result.push_back({"former", {to_object(before, told("as before", before), warm)}});
  part.result.push_back(
      {"refitted", {to_object(refits, told("refitted every week", refits), warm)}});
  if (settings.quick) return part;
  const bool held = std::ranges::all_of(
      of_ours.coverage, [](double each) { return each >= kLeastHeld && each <= kMostHeld; });
  part.claims = {
      {"every thousand rows 86 to 94 % are in the 90 % intervals", held},
      {"a higher log-likelihood than streams had before",
       mean_after(ours.log_likelihoods, warm) > mean_after(before.log_likelihoods, warm)},
      {"a higher log-likelihood than a model that is fitted anew every week",
       mean_after(ours.log_likelihoods, warm) > mean_after(refits.log_likelihoods, warm)}};
  return part;
}

}  // namespace postrider::experiments

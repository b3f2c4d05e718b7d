// How soon after a change intervals hold again what they promise: a generated stream whose function is drawn
// anew at known rows, and the changes that were told of the rides by the hour.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "parts.h"
#include "prequential.h"
#include "streams.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kRows = 20000, kStretch = 5000, kBlock = 20, kQuickRows = 1200,
                      kQuickStretch = 400;
constexpr std::size_t kDay = 24;
// Coverage of the next so many rows, within four points of 90 %.
constexpr std::size_t kNext = 250;
constexpr double kLevel = 0.9, kClose = 0.04;

EstimatorOptions options_of(std::uint64_t seed, bool drift, std::size_t horizon) {
  EstimatorOptions out;
  out.drift = drift;
  out.training.seed = seed;
  out.training.horizon = horizon;
  return out;
}

// Rows from the change until the coverage of the next rows is back; all that are left if it never is.
std::size_t delay_of(const std::vector<double>& held, std::size_t change, std::size_t end) {
  for (std::size_t row = change; row + kNext <= end; ++row) {
    double sum = 0;
    for (std::size_t k = row; k < row + kNext; ++k) sum += held[k];
    if (std::abs(sum / static_cast<double>(kNext) - kLevel) <= kClose) return row - change;
  }
  return end - change;
}

// The first that was found within a stretch, counted from its beginning.
std::optional<std::size_t> found_after(const std::vector<StreamReport::Change>& changes,
                                       std::size_t first, std::size_t end) {
  for (const StreamReport::Change& change : changes)
    if (change.found >= first && change.found < end) return change.found - first;
  return {};
}

// The worst stretch of rows after the change.
double least_held(const std::vector<double>& held, std::size_t change, std::size_t end) {
  constexpr std::size_t kFew = 100;
  double least = 1;
  for (std::size_t row = change; row + kFew <= std::min(end, change + 1000); row += kFew) {
    double sum = 0;
    for (std::size_t k = row; k < row + kFew; ++k) sum += held[k];
    least = std::min(least, sum / static_cast<double>(kFew));
  }
  return least;
}

Object delays(const Prequential& found, const std::vector<std::size_t>& at, std::size_t rows,
              const char* name) {
  std::vector<double> starts, delay, least, noticed;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const std::size_t end = k + 1 < at.size() ? at[k + 1] : rows;
    starts.push_back(static_cast<double>(at[k]));
    delay.push_back(static_cast<double>(delay_of(found.held, at[k], end)));
    least.push_back(least_held(found.held, at[k], end));
    const std::optional<std::size_t> seen = found_after(found.changes, at[k], end);
    noticed.push_back(seen ? static_cast<double>(*seen) : -1);
    fmt::print("  {}: change at {}: coverage back after {} rows, least {:.2f}, told after {}\n",
               name, at[k], delay.back(), least.back(), noticed.back());
  }
  return {{"at", {starts}},
          {"delay", {delay}},
          {"least_held", {least}},
          {"told_after", {noticed}},
          {"told", {static_cast<std::int64_t>(found.changes.size())}},
          {"log_likelihood", {mean_after(found.log_likelihoods, rows / 20)}}};
}

}  // namespace

Part changes(const Settings& settings) {
  Part part{"changes", {}, {}, {}};
  const std::size_t rows = settings.quick ? kQuickRows : kRows,
                    stretch = settings.quick ? kQuickStretch : kStretch;
  const Stream generated = changing_stream(rows, stretch, kBlock, settings.seed);
  std::vector<std::size_t> at;
  for (std::size_t row = stretch; row < rows; row += stretch) at.push_back(row);
  const Prequential ours = day_by_day(generated, options_of(settings.seed, true, kBlock), 0);
  const Prequential still = day_by_day(generated, options_of(settings.seed, false, 1), 0);
  part.result = {{"generated", {delays(ours, at, rows, "generated")}},
                 {"generated_former", {delays(still, at, rows, "generated, as before")}}};
  if (settings.quick) return part;
  const auto told_soon = static_cast<std::size_t>(std::ranges::count_if(at, [&](std::size_t row) {
    return found_after(ours.changes, row, row + stretch / 10).has_value();
  }));
  part.claims = {
      {"most changes of the generated stream are told within 500 rows", 2 * told_soon > at.size()},
      {"a higher log-likelihood than streams had before",
       mean_after(ours.log_likelihoods, rows / 20) > mean_after(still.log_likelihoods, rows / 20)}};
  if (settings.data.empty()) return part;
  const Stream rides = read_bike(settings.data);
  const Prequential days = day_by_day(rides, options_of(settings.seed, true, kDay), 0);
  std::vector<std::size_t> told;
  for (const StreamReport::Change& change : days.changes) told.push_back(change.began);
  const Prequential former = day_by_day(rides, options_of(settings.seed, false, 1), 0);
  part.result.push_back({"bike", {delays(days, told, rides.size(), "bike")}});
  part.result.push_back({"bike_former", {delays(former, told, rides.size(), "bike, as before")}});
  return part;
}

}  // namespace postrider::experiments

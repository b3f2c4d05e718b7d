#include "verdict.h"

#include <algorithm>

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr const char* kReproduced = "reproduced";
constexpr const char* kWithin = "within the range of seeds";  // which says less
constexpr const char* kBetween = "between the readings";

}  // namespace

Found find_median(const std::vector<double>& values, const Published& published,
                  const Settings& settings) {
  const RandomStream random(settings.seed, 0);
  return {spread(values, random).median, median_interval(values, values.size(), random),
          median_interval(values, published.seeds, random),
          share_of_medians_below(values, published.seeds, published.value, random)};
}

Object describe(const Found& found) {
  return {{"median", {found.median}},
          {"interval_low", {found.interval.low}},
          {"interval_high", {found.interval.high}},
          {"likely_low", {found.likely.low}},
          {"likely_high", {found.likely.high}},
          {"share_below_paper", {found.lower}}};
}

std::string verdict(const Published& published, const std::vector<Found>& readings) {
  const double value = published.value;
  double low = readings.front().likely.low, high = readings.front().likely.high;
  for (const Found& found : readings) {
    if (found.likely.contains(value)) return published.seeds > 1 ? kReproduced : kWithin;
    low = std::min(low, found.likely.low);
    high = std::max(high, found.likely.high);
  }
  if (value > low && value < high) return kBetween;
  return value < low ? "the paper's is lower" : "the paper's is higher";
}

bool is_reproduced(const std::string& verdict) {
  return verdict == kReproduced || verdict == kWithin || verdict == kBetween;
}

}  // namespace postrider::experiments

#include <fmt/format.h>

#include <algorithm>

#include "studies.h"

namespace postrider::experiments {
namespace {

double Outcome::*member_of(const std::string& quantity) {
  for (const auto& [name, value] : all_quantities())
    if (name == quantity) return value;
  return nullptr;
}

struct Found {
  double median;
  Interval interval;  // of our median
  Interval likely;    // where a median of as many seeds as the paper has falls
  double lower;       // share of such medians below the paper's
};

Found find_median(const Cell& cell, const Published& published, const Settings& settings) {
  const std::vector<double> values =
      values_of(cell, member_of(published.quantity), cell.outcomes.size());
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

constexpr const char* kReproduced = "reproduced";
constexpr const char* kWithin = "within the range of seeds";  // which says less
constexpr const char* kBetween = "between the readings";

// Of the paper's value against ours with its own messages.
std::string verdict(const Published& published, const std::vector<Found>& direct) {
  const double value = published.value;
  double low = direct.front().likely.low, high = direct.front().likely.high;
  for (const Found& found : direct) {
    if (found.likely.contains(value)) return published.seeds > 1 ? kReproduced : kWithin;
    low = std::min(low, found.likely.low);
    high = std::max(high, found.likely.high);
  }
  if (value > low && value < high) return kBetween;
  return value < low ? "the paper's is lower" : "the paper's is higher";
}

}  // namespace

Object summarise(const Study& study, const std::vector<Cell>& cells, const Settings& settings,
                 Part& part) {
  Object out;
  for (const Published& published : study.published) {
    Object entry{{"paper", {published.value}},
                 {"paper_seeds", {static_cast<std::int64_t>(published.seeds)}},
                 {"seeds", {static_cast<std::int64_t>(study.many)}}};
    std::vector<Found> direct;
    for (const Rule rule : {Rule::direct, Rule::conditioned}) {
      Object readings;
      for (const bool same_means : study.readings) {
        const Found found =
            find_median(find(cells, same_means, rule, Stopping::paper), published, settings);
        readings.push_back({same_means ? "same" : "fresh", {describe(found)}});
        if (rule == Rule::direct) direct.push_back(found);
      }
      entry.push_back({rule == Rule::direct ? "direct" : "conditioned", {readings}});
    }
    const std::string found = verdict(published, direct);
    entry.push_back({"verdict", {found}});
    const std::string text =
        fmt::format("{} {}: paper {:g}, direct {:.3f}: {}", study.name, published.quantity,
                    published.value, direct.back().median, found);
    if (!settings.quick && published.quantity.ends_with("_nll"))
      part.claims.push_back({text, found == kReproduced || found == kWithin || found == kBetween});
    else
      part.notes.push_back(text);
    out.push_back({published.quantity, {entry}});
  }
  return out;
}

}  // namespace postrider::experiments

#include "estimator/encoding_choice.h"

#include <cmath>
#include <utility>
#include <vector>

#include "data/target_scales.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kFewestRowsWeighed = 10, kMostColumns = 100;

// Whether some column has more than two different numbers: of others there is one encoding only.
bool has_a_choice(const Examples& rows) {
  // For each column, two numbers besides zero, and how often zero is not there.
  std::vector<double> first(rows.columns(), std::nan("")), second = first;
  std::vector<std::size_t> others(rows.columns());
  bool has_three = false;
  rows.inputs.for_each([&](std::size_t, std::size_t c, double x) {
    if (x != 0) ++others[c];
    if (x == 0 || std::isnan(x) || x == first[c] || x == second[c]) return;
    if (!std::isnan(second[c])) has_three = true;
    (std::isnan(first[c]) ? first[c] : second[c]) = x;
  });
  for (std::size_t c = 0; c < rows.columns() && !has_three; ++c)
    has_three = !std::isnan(second[c]) && others[c] < rows.count();
  return has_three;
}

// With fewer rows, or more columns, the relevances would be chance.
bool can_tell_relevance(const Examples& rows) {
  return rows.count() >= kFewestRowsWeighed && rows.columns() > 1 && rows.columns() <= kMostColumns;
}

std::vector<Preparation> all_encodings(EstimatorOptions::TargetScale targets) {
  std::vector<Preparation> out;
  for (const Encoding kind :
       {Encoding::standard, Encoding::quantile, Encoding::piecewise, Encoding::bins})
    out.push_back({kind, targets});
  return out;
}

// The encoding first.
ChosenPreparation chosen_by_race(EstimatorState& state, const Examples& rows, Preparation best,
                                 bool has_encoding, bool has_scale,
                                 const TrainingCallbacks& callbacks) {
  const bool may_be_encoded = !has_encoding && has_a_choice(rows);
  const bool may_be_scaled = !has_scale && may_be_root(rows.targets, state.options.outputs);
  if (!may_be_encoded && !may_be_scaled) return {best};
  Race race(state, rows, callbacks);
  if (may_be_encoded)
    race.run(all_encodings(best.targets));
  else
    race.run({best});
  if (may_be_scaled) race.challenge({race.winner().encoding, EstimatorOptions::TargetScale::root});
  best = race.winner();
  return {best, race.take_winner(), race.take_small_model()};
}

}  // namespace

ChosenPreparation choose_preparation(EstimatorState& state, const Examples& rows,
                                     const TrainingCallbacks& callbacks) {
  const bool is_classifier = state.kind() == ModelKind::classifier;
  const bool has_encoding = state.options.encoding != Encoding::chosen || rows.inputs.keeps_zeros();
  const bool has_scale =
      state.options.target_scale != EstimatorOptions::TargetScale::chosen || is_classifier;
  Preparation asked{state.options.encoding, state.options.target_scale};
  if (asked.encoding == Encoding::chosen) asked.encoding = Encoding::standard;
  if (asked.targets == EstimatorOptions::TargetScale::chosen)
    asked.targets = EstimatorOptions::TargetScale::plain;
  if (has_encoding && has_scale) return {asked};
  if (Race::can_tell(state, rows)) {
    if (state.options.training.effort == TrainerOptions::Effort::quick) return {asked};
    return chosen_by_race(state, rows, asked, has_encoding, has_scale, callbacks);
  }
  if (!has_encoding && !is_classifier && can_tell_relevance(rows))
    asked.encoding = Encoding::relevance;
  return {asked};
}

}  // namespace postrider::internal

#include "table/evaluation_warnings.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/access.h"
#include "estimator/model_file.h"
#include "estimator/state.h"
#include "table/learning.h"

namespace postrider::internal {
namespace {

// Between the score of training and that of other rows: standard errors that make it clear, and nats that matter.
constexpr double kClearDifference = 4, kLeastDifference = 0.25;

std::string hundredths(double value) {
  std::array<char, 64> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::fixed, 2).ptr;
  return {room.data(), end};
}

// Nothing of a model that has learned more since it was trained.
std::optional<TableWarning> disagreement(const TableModelState& state,
                                         const TableEvaluation& figures) {
  const TableEstimator& estimator = state.estimator;
  const std::optional<Estimator::OutOfFoldScore> score =
      std::visit([](const Estimator& each) { return each.out_of_fold_score(); }, estimator);
  if (!score || state.history.size() != 1) return {};
  const Estimate found = state.encoding.classifies()
                             ? Estimate{-figures.log_loss.value, figures.log_loss.standard_error}
                             : figures.log_likelihood;
  const double difference = found.value - score->log_likelihood;
  const double error = std::hypot(found.standard_error, score->standard_error);
  if (!(std::abs(difference) > kLeastDifference) ||
      !(std::abs(difference) > kClearDifference * error))
    return {};
  return TableWarning{
      TableWarning::Kind::disagreement,
      "",
      "These " + std::to_string(figures.rows) + " rows are predicted " +
          (difference < 0 ? "worse" : "better") +
          " than rows of training were by networks that had not learned them: log-likelihood " +
          hundredths(found.value) + " in place of " + hundredths(score->log_likelihood) +
          " nats per row, " + hundredths(std::abs(difference / error)) +
          " standard errors apart. They are not rows like those that were learned.",
      {}};
}

}  // namespace

std::vector<TableWarning> evaluation_warnings(const TableModelState& state,
                                              const TableEvaluation& figures,
                                              const GroupCoverage& coverage) {
  std::vector<TableWarning> out;
  if (!figures.warning.empty())
    out.push_back({TableWarning::Kind::learned_rows, "", figures.warning + ".", {}});
  else if (std::optional<TableWarning> found = disagreement(state, figures))
    out.push_back(std::move(*found));
  for (TableWarning& each : coverage.warnings(TableCheck::kLevel)) out.push_back(std::move(each));
  return out;
}

void add_coverage_warnings(TableModelState& state, const TableCheckState& checked,
                           std::vector<TableWarning>& to) {
  auto* regressor = std::get_if<Regressor>(&state.estimator);
  if (regressor == nullptr) return;
  std::optional<FittedModel>& fitted = Access::inside(*regressor).fitted;
  if (!fitted || fitted->left_out.empty()) return;
  const ScoresOfRows judged = std::exchange(fitted->left_out_rows, {});
  std::vector<std::size_t> rows;
  std::vector<double> levels;
  std::size_t k = 0;  // both are in order
  for (std::size_t row = 0; row < checked.places().size(); ++row) {
    const std::size_t place = checked.places()[row];
    if (place == TableCheckState::kNoPlace) continue;
    while (k < judged.rows.size() && judged.rows[k] < place) ++k;
    if (k == judged.rows.size()) break;
    if (judged.rows[k] != place) continue;
    rows.push_back(row);
    levels.push_back(fitted->left_out.front().level_of(judged.scores[k]));
  }
  GroupCoverage coverage(state.encoding.schema, state.profile);
  coverage.add(checked.kept(), rows, levels);
  for (TableWarning& each : coverage.warnings(TableCheck::kLevel)) to.push_back(std::move(each));
}

}  // namespace postrider::internal

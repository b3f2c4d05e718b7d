// What the first screen of a report says.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/content_parts.h"
#include "report/page/text.h"
#include "text/model_facts.h"
#include "text/text_table.h"
#include "text/warning_lines.h"

namespace postrider::internal {
using namespace cli;  // words of src/text

namespace {

constexpr double kClear = 2;           // standard errors that make a difference clear
constexpr double kOff = 0.03;          // of a share, that matters
constexpr std::size_t kFewRows = 100;  // on which figures are rough
constexpr std::size_t kInputsNamed = 3;
constexpr double kFarMean = 0.5;  // standard deviations of training between the means of a column

std::string predicts_text(const TableModel& model) {
  std::size_t rows = 0;
  for (const TableModel::Step& step : model.history()) rows += step.rows;
  std::vector<std::size_t> columns;
  for (const Schema::Feature& feature : model.features())
    if (std::ranges::find(columns, feature.column) == columns.end())
      columns.push_back(feature.column);
  return fmt::format(
      "{}, {}, from {}, learned from {} rows.", model.target(),
      model.classifies() ? fmt::format("one of {} classes", model.classes().size()) : "a number",
      counted(columns.size(), "column"), count_text(rows));
}

// The log-loss of classes, the root mean square error of numbers.
const Estimate& score_of(const TableModel& model, const TableEvaluation& e) {
  return model.classifies() ? e.log_loss : e.root_mean_square_error;
}

std::string verdict_text(const TableModel& model, const TableEvaluation& e) {
  if (e.baselines.empty())
    return "This file is from before baselines were kept; train anew to see them.";
  const TableEvaluation::Baseline& linear = e.baselines.front();
  const double own = score_of(model, e).value, simple = score_of(model, linear.evaluation).value;
  const std::string much = fmt::format("{:.0f} %", 100 * std::abs(1 - own / simple));
  const char* const what = model.classifies() ? "Log-loss" : "The typical error";
  if (std::abs(linear.gain.value) <= kClear * linear.gain.standard_error)
    return "No clear difference from a linear model: the simpler one may do.";
  if (linear.gain.value < 0)
    return fmt::format("Worse than a linear model: {} is {} larger.", what, much);
  if (own >= simple)
    return "Its uncertainty is better than a linear model's, its single predictions are not.";
  return fmt::format("{} is {} smaller than a linear model's.", what, much);
}

// In the place of praise, where rows were learned.
constexpr const char* kNoPromise = "no promise for new rows, since rows of these were learned.";

void add_trust(const ReportSource& source, const TableEvaluation& e, ReportHeadline& to) {
  const bool was_learned = source.rows.repeated.repeated > 0;
  if (source.model.classifies()) {
    const Estimate& error = e.expected_calibration_error;
    to.is_trusted = error.value < kOff;
    to.trust = fmt::format("Right in {} of the rows. A probability is off by {} on average{}",
                           percent_text(e.accuracy.value), percent_text(error.value),
                           !to.is_trusted ? ": take it with care."
                           : was_learned  ? fmt::format(": {}", kNoPromise)
                                          : ": take it as it is.");
    return;
  }
  const TableModel::Prediction predicted = source.model.predict(source.rows.table);
  const std::vector<double> levels = predicted.distributions.levels(source.rows.targets);
  std::vector<double> inside;
  for (const double level : levels) inside.push_back(level < source.level ? 1 : 0);
  const Estimate share = mean_estimate(inside);
  const double off = share.value - source.level;
  const bool is_off = std::abs(off) > std::max(kOff, kClear * share.standard_error);
  to.is_trusted = !(is_off && off < 0);
  to.trust = fmt::format("{} of the rows lie inside their {} interval: {}",
                         percent_text(share.value), percent_text(source.level),
                         !to.is_trusted ? "too few. The model is too sure of itself."
                         : was_learned  ? kNoPromise
                         : !is_off      ? "as promised."
                                   : "more than promised. The intervals are wider than needed.");
}

// How much is lost in a unit that people know, beside nats.
std::string matters_text(const TableModel& model, const ReportImportance& one) {
  const std::string nats = fmt::format("{} nats per row", number_text(*one.loss, 2));
  const double grows = one.error_growth.value_or(0);
  if (!(grows > 0) || !std::isfinite(grows))
    return fmt::format("{}: without it, predictions lose {}", one.input, nats);
  return fmt::format("{}: without it, the {} is {} larger ({})", one.input,
                     model.classifies() ? "log-loss" : "typical error", growth_text(grows), nats);
}

void add_worries(const ReportSource& source, const TableEvaluation& e, const ReportContent& content,
                 ReportHeadline& to) {
  const auto worry = [&](std::string text) { to.worries.push_back(std::move(text)); };
  if (!content.learned.empty()) worry(sentence(content.learned));
  if (!to.is_trusted)
    worry(std::string(source.model.classifies()
                          ? "Probabilities are not what they say; see Predictions."
                          : "Intervals are too narrow; see Predictions.") +
          " If rows belong together or follow each other in time, train with --group COLUMN or "
          "--time COLUMN; else train anew with rows like these.");
  for (const TableEvaluation::Baseline& one : e.baselines)
    if (!(one.gain.value > kClear * one.gain.standard_error))
      worry(
          fmt::format("Not clearly better than “{}”: {} nats per row. train --dry-run shows "
                      "whether columns are read as they should be; --effort thorough looks for "
                      "longer.",
                      one.name, with_error_text(one.gain.value, one.gain.standard_error)));
  if (e.rows < kFewRows)
    worry(fmt::format("Only {}: all figures are rough. train --folds 5 judges by all rows.",
                      counted(e.rows, "row")));
  for (const ReportColumn& column : content.data.columns) {
    if (column.unknown > 0)
      worry(
          fmt::format("{} cells of {} are of categories that training did not have. Train anew "
                      "with rows that have them.",
                      count_text(column.unknown), column.name));
    if (!column.is_target && column.mean && column.learned_mean &&
        std::abs(*column.mean - *column.learned_mean) > kFarMean * *column.learned_deviation)
      worry(
          fmt::format("{} lies elsewhere than in training: mean {} instead of {}. If its unit is "
                      "the same, postrider update learns rows like these.",
                      column.name, number_text(*column.mean), number_text(*column.learned_mean)));
  }
  if (!content.over_time.empty()) {
    const ReportErrors &first = content.over_time.front(), &last = content.over_time.back();
    const double moved = last.mean - first.mean;
    if (std::abs(moved) > 2 * kClear * std::hypot(first.error, last.error))
      worry(
          fmt::format("Errors change over {0}: see Where it errs. Train with --time {0}, and learn "
                      "what comes by postrider update.",
                      content.time));
  }
  double most = 0;
  for (const ReportErrors& one : content.by_group)
    if (one.rows >= kFewRows / 5) most = std::max(most, one.size);
  for (const ReportErrors& one : content.by_group)
    if (one.rows >= kFewRows / 5 && one.size == most &&
        most >
            1.5 * (source.model.classifies() ? e.log_loss.value : e.root_mean_square_error.value))
      worry(
          fmt::format("Errors are largest for {} {}. Learn more rows of it, or a model of its own.",
                      content.group, one.name));
  for (const TableModel::Step& step : source.model.history())
    if (ended_early(step))
      worry("Training ended before the score stopped rising: " + ended_text(step) +
            ". train --max-epochs or --time-budget allows more.");
  const auto tell = [&](const TableWarning& one) {
    worry(one.text + " " + one.remedy(OptionInfo::Spelling::command_line));
  };
  for (const TableWarning& one : without(e.warnings, TableWarning::Kind::learned_rows)) tell(one);
  for (const TableWarning& one : source.model.warnings()) tell(one);
}

}  // namespace

void add_headline(const ReportSource& source, const TableEvaluation& e, ReportContent& to) {
  ReportHeadline h;
  const TableModel& model = source.model;
  h.predicts = predicts_text(model);
  h.score = model.classifies()
                ? "Log-loss in nats per row"
                : fmt::format("Typical error (root mean square), in units of {}", model.target());
  h.contenders.push_back(
      {"this model", score_of(model, e).value, score_of(model, e).standard_error});
  for (const TableEvaluation::Baseline& one : e.baselines) {
    const Estimate& score = score_of(model, one.evaluation);
    h.contenders.push_back({one.name, score.value, score.standard_error});
  }
  if (const RepeatWatch::Found& repeated = source.rows.repeated; repeated.repeated > 0)
    h.verdict = repeated.repeated == repeated.rows ? "On rows that it has learned: "
                                                   : "On rows of which some were learned: ";
  h.verdict += verdict_text(model, e);
  add_trust(source, e, h);
  std::vector<ReportImportance> inputs;
  for (const ReportImportance& one : to.importances)
    if (one.loss && *one.loss > kClear * one.loss_error.value_or(0)) inputs.push_back(one);
  std::ranges::stable_sort(inputs, std::greater(),
                           [](const ReportImportance& one) { return *one.loss; });
  for (std::size_t k = 0; k < std::min(kInputsNamed, inputs.size()); ++k)
    h.matters.push_back(matters_text(model, inputs[k]));
  add_worries(source, e, to, h);
  to.headline = std::move(h);
}

}  // namespace postrider::internal

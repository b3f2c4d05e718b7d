#include "text/evaluation_facts.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "text/text_table.h"

namespace postrider::cli {
namespace {

// One row has no standard error, and rows that are all alike have one of rounding: neither says how far others would differ.
bool has_error(const Estimate& estimate) {
  constexpr double kRounding = 1e-12;
  return estimate.standard_error > kRounding * std::abs(estimate.value);
}

// One line of figures: of the model, of each baseline, and what it means.
class Figures {
 public:
  explicit Figures(const TableEvaluation& e) : e_(e), table_(columns(e)) {
    if (e.baselines.empty()) return;
    std::vector<std::string> heads{"", "this model"};
    for (const TableEvaluation::Baseline& one : e.baselines) heads.push_back(one.name);
    heads.emplace_back();
    table_.add(std::move(heads));
  }

  void add(const std::string& name, const std::function<Estimate(const TableEvaluation&)>& figure,
           const std::string& meaning) {
    std::vector<std::string> cells{name, estimate_text(figure(e_))};
    for (const TableEvaluation::Baseline& one : e_.baselines)
      cells.push_back(estimate_text(figure(one.evaluation)));
    cells.push_back(meaning);
    table_.add(std::move(cells));
  }
  void add(const std::string& name, Estimate TableEvaluation::*figure, const std::string& meaning) {
    add(
        name, [figure](const TableEvaluation& e) { return e.*figure; }, meaning);
  }

  std::string text() const {
    std::string out = table_.text();
    for (const TableEvaluation::Baseline& one : e_.baselines) out += "\n  " + gain_text(one);
    return out + (e_.baselines.empty() ? "" : "\n");
  }

 private:
  static std::vector<Align> columns(const TableEvaluation& e) {
    return std::vector<Align>(3 + e.baselines.size(), Align::left);
  }

  const TableEvaluation& e_;
  TextTable table_;
};

std::string share_text(const Estimate& share) {
  const std::string value = fmt::format("{:.1f} %", 100 * share.value);
  return has_error(share) ? value + fmt::format(" ± {:.1f}", 100 * share.standard_error) : value;
}

std::string numbers_text(const EvaluatedTarget& target, const TableEvaluation& e) {
  const std::string unit = "in units of " + target.name + "; lower is better";
  Figures figures(e);
  figures.add("root mean square error", &TableEvaluation::root_mean_square_error, unit);
  figures.add("mean absolute error", &TableEvaluation::mean_absolute_error, unit);
  if (e.mean_absolute_percentage_error)
    figures.add(
        "mean absolute percentage error",
        [](const TableEvaluation& of) { return of.mean_absolute_percentage_error.value(); },
        "a share of the target; lower is better");
  figures.add("R²", &TableEvaluation::explained_variance,
              "share of the variance explained; higher is better");
  for (std::size_t q = 0; q < e.pinball.size(); ++q)
    figures.add(
        fmt::format("pinball loss at {:g} %", 100 * e.pinball[q].probability),
        [q](const TableEvaluation& of) { return of.pinball.at(q).loss; }, unit);
  figures.add("CRPS", &TableEvaluation::crps, unit);
  figures.add("log-likelihood", &TableEvaluation::log_likelihood, "nats per row; higher is better");
  TextTable calibration({Align::left, Align::left});
  calibration.add({"interval", "rows inside"});
  for (const TableEvaluation::Coverage& at : e.coverage)
    calibration.add({fmt::format("{:g} %", 100 * at.level), share_text(at.share)});
  return figures.text() + "\n" + calibration.text();
}

std::string by_class_text(const EvaluatedTarget& target, const TableEvaluation& e) {
  TextTable table(
      {Align::left, Align::right, Align::left, Align::left, Align::left, Align::left, Align::left});
  table.add(
      {"class", "rows", "precision", "recall", "F1", "area under the curve", "average precision"});
  for (std::size_t k = 0; k < e.by_class.size(); ++k) {
    const ClassMetrics& one = e.by_class[k];
    table.add({target.classes[k], std::to_string(one.rows), estimate_text(one.precision),
               estimate_text(one.recall), estimate_text(one.f1),
               estimate_text(one.area_under_curve), estimate_text(one.average_precision)});
  }
  return table.text();
}

std::string classes_text(const EvaluatedTarget& target, const TableEvaluation& e) {
  const std::string whose =
      target.classes.size() == 2 ? "of " + target.classes[1] : "mean over classes";
  Figures figures(e);
  figures.add("accuracy", &TableEvaluation::accuracy, "share of right classes; higher is better");
  figures.add("log-loss", &TableEvaluation::log_loss, "nats per row; lower is better");
  figures.add("Brier score", &TableEvaluation::brier, "from 0 to 2; lower is better");
  figures.add("area under the curve", &TableEvaluation::area_under_curve,
              whose + "; 0.5 is chance, 1 is best");
  figures.add("average precision", &TableEvaluation::average_precision,
              whose + "; higher is better");
  figures.add("expected calibration error", &TableEvaluation::expected_calibration_error,
              "distance of probabilities from shares; lower is better");
  TextTable calibration({Align::left, Align::right, Align::right, Align::right});
  calibration.add({"probability", "rows", "said", "right"});
  for (const TableEvaluation::Bin& bin : e.bins)
    if (bin.rows > 0)
      calibration.add({fmt::format("{:.0f} to {:.0f} %", 100 * bin.low, 100 * bin.high),
                       std::to_string(bin.rows), fmt::format("{:.1f} %", 100 * bin.confidence),
                       fmt::format("{:.1f} %", 100 * bin.accuracy)});
  return figures.text() + "\n" + by_class_text(target, e) + "\n" + calibration.text();
}

}  // namespace

std::string estimate_text(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "-";
  if (!has_error(estimate)) return short_number(estimate.value);
  return fmt::format("{} ± {:.2g}", short_number(estimate.value), estimate.standard_error);
}

std::string gain_text(const TableEvaluation::Baseline& baseline) {
  // Where two means differ by less than this many standard errors, neither is clearly better.
  constexpr double kClear = 2;
  const Estimate& gain = baseline.gain;
  const Estimate size{std::abs(gain.value), gain.standard_error};
  const char* verdict = gain.value < 0 ? "worse than" : "better than";
  std::string out =
      fmt::format("{} nats per row {} {}", estimate_text(size), verdict, baseline.name);
  if (!(std::abs(gain.value) > kClear * gain.standard_error)) out += ", which is within the error";
  return out;
}

std::string evaluation_text(const EvaluatedTarget& target, const TableEvaluation& evaluation) {
  std::string out = counted(evaluation.rows, "row");
  if (evaluation.without_target > 0)
    out += fmt::format("; {} more without a value of {} were passed over",
                       evaluation.without_target, target.name);
  return out + "\n\n" +
         (target.classes.empty() ? numbers_text(target, evaluation)
                                 : classes_text(target, evaluation));
}

std::string evaluation_text(const TableModel& model, const TableEvaluation& evaluation) {
  return evaluation_text(EvaluatedTarget{model.target(), model.classes()}, evaluation);
}

}  // namespace postrider::cli

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <numeric>

#include "cli/commands/commands.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "io/predicted_columns.h"
#include "postrider/error.h"
#include "text/evaluation_facts.h"
#include "text/model_facts.h"
#include "text/warning_lines.h"

namespace postrider::cli {
namespace {

std::vector<std::string> first_names(const std::vector<std::string>& keys) {
  std::vector<std::string> out = keys;
  out.emplace_back(kTargetName);
  return out;
}

// What a row of the file has behind the prediction.
class Judged {
 public:
  Judged(const TableModel& model, const TableModel::Prediction& predicted, const Table& table)
      : classifies_(model.classifies()), predicted_(predicted) {
    const Table::Column& target = table.column(model.schema().target());
    if (classifies_) {
      labels_.assign(target.codes.begin(), target.codes.end());
      chosen_ = predicted.most_probable();
      return;
    }
    targets_ = target.numbers;
    densities_ = predicted.distributions.log_densities(targets_);
    bounds_ = predicted.intervals(PredictRequest().level);
  }

  std::vector<std::string> names() const {
    if (classifies_) return {"right", "log-likelihood"};
    return {"error", "inside", "log-likelihood"};
  }

  std::vector<JsonCell> cells(std::size_t row) const {
    if (classifies_) {
      const double probability =
          predicted_.probabilities[row * predicted_.classes() + labels_[row]];
      return {{"right", chosen_[row] == labels_[row] ? 1.0 : 0.0},
              {"log-likelihood", std::log(probability)}};
    }
    const bool is_inside =
        targets_[row] >= bounds_[2 * row] && targets_[row] <= bounds_[2 * row + 1];
    return {{"error", targets_[row] - predicted_.mean[row]},
            {"inside", is_inside ? 1.0 : 0.0},
            {"log-likelihood", densities_[row]}};
  }

 private:
  bool classifies_;
  const TableModel::Prediction& predicted_;
  std::vector<std::size_t> labels_, chosen_;
  std::vector<double> targets_, densities_, bounds_;
};

OutputKind evaluated_kind(const std::vector<std::string>& keys) {
  const std::string header = csv_header(first_names(keys));
  return text_kind("evaluated rows", {header.substr(0, header.size() - 1) + ","});
}

// For each row with a target: keys, the target, what predict writes, and for numbers the error (target less mean) and
// whether the target is inside the interval, for classes whether the class is right; last the log-likelihood.
void write_evaluated(const TableModel& model, const Table& table,
                     const std::vector<std::string>& keys, const std::string& path) {
  std::vector<std::size_t> all(table.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Table rows = table.selected(rows_with_target(model, table, all));
  const TableModel::Prediction predicted = model.predict(rows);
  const Judged judged(model, predicted, rows);
  const PredictRequest request;
  PredictedColumns columns(request, model);
  columns.begin(predicted, rows);
  std::vector<std::string> names = first_names(keys);
  std::ranges::copy(columns.names(), std::back_inserter(names));
  std::ranges::copy(judged.names(), std::back_inserter(names));
  Output output(path);
  output.stream() << csv_header(names);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::vector<JsonCell> cells;
    for (std::size_t k = 0; k < keys.size(); ++k)
      cells.push_back({keys[k], 0, rows.key(k, row), true});
    cells.push_back(target_cell(model, rows, row));
    std::ranges::move(columns.row(row), std::back_inserter(cells));
    std::ranges::move(judged.cells(row), std::back_inserter(cells));
    output.stream() << csv_line(cells);
  }
  output.finish();
}

// Above all figures.
std::string learned_line(const RepeatWatch::Found& repeated) {
  return repeated.repeated == 0 ? "" : repeated.warning() + "\n\n";
}

// That rows were learned stands above all figures.
std::string worries_of(const TableEvaluation& evaluation) {
  const std::string out =
      warnings_text(without(evaluation.warnings, TableWarning::Kind::learned_rows));
  return out.empty() ? "" : "\n" + out;
}

}  // namespace

ExitCode evaluate(const EvaluateRequest& request) {
  if (!request.data.keys.empty() && request.output.empty())
    reject("--key", request.data.keys.front(), "needs --output, the file that keys are written to");
  expect_writable({"--output", request.output, {request.model, request.data.path}, request.force},
                  evaluated_kind(request.data.keys));
  const TableModel model = TableModel::load(request.model);
  TableReader reader = open_for_model(request.data, model);
  tell_absent("evaluate", reader);
  const RowWatch watch(model, reader);
  TableEvaluation evaluation;
  if (request.output.empty()) {
    evaluation = model.evaluate(reader);
  } else {
    const Table table = read_all(reader).table;
    evaluation = model.evaluate(table);
    write_evaluated(model, table, request.data.keys, request.output);
  }
  const std::vector<DriftWatch::Warning> drift = watch.found().warnings();
  std::ostream& talk = request.output == "-" ? std::cerr : std::cout;
  const RepeatWatch::Found repeated = watch.found().repeated();
  if (request.json)
    talk << evaluation_json(model, evaluation, drift, repeated);
  else
    talk << learned_line(repeated) << evaluation_text(model, evaluation) << worries_of(evaluation);
  tell_skipped("evaluate", reader.skipped());
  tell_drift("evaluate", drift);
  tell_repeated("evaluate", repeated);
  return ExitCode::ok;
}

}  // namespace postrider::cli

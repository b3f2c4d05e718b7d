// The report on a model: all of its content, and the page.
#include "postrider/report.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include "postrider/error.h"
#include "postrider/model_file.h"
#include "postrider/version.h"
#include "report/content_parts.h"
#include "report/page/page.h"
#include "text/model_facts.h"
#include "text/text_table.h"

namespace postrider {
using namespace internal;
using namespace cli;

namespace internal {
namespace {

std::size_t learned_rows(const TableModel& model) {
  std::size_t rows = 0;
  for (const TableModel::Step& step : model.history()) rows += step.rows;
  return rows;
}

std::size_t learned_copies(const TableModel& model) {
  std::size_t copies = 0;
  for (const TableModel::Step& step : model.history()) copies += step.copies;
  return copies;
}

RowsWithTarget observed_rows(const TableModel& model, const Table& table) {
  std::vector<std::size_t> all(table.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> rows = rows_with_target(model, table, all);
  if (rows.empty())
    throw CorruptFile("no row has a value of " + model.target() +
                      ", the target: there is nothing to compare predictions with");
  RowsWithTarget out;
  const Table::Column& target = table.column(model.schema().target());
  for (const std::size_t row : rows) {
    out.lines.push_back(table.line(row) > 0 ? table.line(row) : row + 1);
    out.targets.push_back(model.classifies() ? target.codes[row] : target.numbers[row]);
  }
  out.table = table.selected(rows);
  out.inputs = model.encode(out.table);
  RepeatWatch repeats(model.profile().sample);
  repeats.add(table);
  out.repeated = repeats.found();
  return out;
}

// The table's keys are as many as the page is to know.
void expect_keys(const Table& table, const TableReport::Options& options) {
  const std::size_t count =
      options.keys.size() + (options.time.empty() ? 0 : 1) + (options.group.empty() ? 0 : 1);
  try {
    if (count > 0) table.key(count - 1, 0);
  } catch (const std::out_of_range&) {
    reject("keys", count, "must be columns that the table was read with, as TableOptions::keys");
  }
}

network::NetworkCertificate certify_member(const TableModel& model, const RowsWithTarget& rows,
                                           std::size_t member,
                                           const network::NetworkCertificate::Options& options) {
  const network::Network& network = network_of(model, member);
  if (model.classifies()) {
    const Classifier& classifier = *model.classifier();
    const SparseInputs inputs = classifier.encoded_inputs(rows.inputs);
    return network::certify_network(network, {inputs, rows.targets}, network::Likelihood::classes,
                                    classifier.noise_variance(member), options);
  }
  const Regressor& regressor = *model.regressor();
  const SparseInputs inputs = regressor.encoded_inputs(rows.inputs);
  const std::vector<double> targets = regressor.standardised_targets(rows.targets);
  const network::Likelihood likelihood = regressor.options().varying_noise
                                             ? network::Likelihood::varying_noise
                                             : network::Likelihood::gaussian;
  return network::certify_network(network, {inputs, targets}, likelihood,
                                  regressor.noise_variance(member), options);
}

std::vector<ReportFact> facts_of(const TableModel& model, const RowsWithTarget& observed,
                                 const TableReport::Options& asked) {
  const RepeatWatch::Found& repeated = observed.repeated;
  const network::NetworkOptions& options = network_of(model).options();
  std::vector<ReportFact> out;
  if (!asked.model_path.empty()) {
    const std::string writer = describe_model_file(asked.model_path).writer;
    out = {{"model", asked.model_path}, {"written by", writer.empty() ? "unknown" : writer}};
  }
  out.push_back({"report by", std::string("postrider ") + kVersion});
  if (!asked.rows_path.empty()) out.push_back({"rows of this report", asked.rows_path});
  out.push_back({"network", network_text(model)});
  out.push_back({"rule", std::string(to_string(options.rule))});
  out.push_back({"seed", std::to_string(options.seed)});
  out.push_back({"training rows", std::to_string(learned_rows(model))});
  if (repeated.repeated > 0) out.push_back({"learned before", repeated.text()});
  if (!model.classifies())
    out.push_back({"noise", noise_text(model, typical_noise(model, observed.table))});
  return out;
}

ReportContent content_of(const TableModel& model, const RowsWithTarget& rows,
                         const TableReport::Options& options) {
  ReportContent out;
  out.title = options.title.empty() ? "Predicting " + model.target() : options.title;
  out.subtitle = fmt::format(
      "A Bayesian neural network learned {} from {}; this page says how far to trust it.",
      model.target(), counted(model.features().size(), "input"));
  out.facts = facts_of(model, rows, options);
  out.command = training_command(model);
  out.learned = rows.repeated.warning();
  out.data = {learned_rows(model), rows.table.rows(), report_columns(model, rows.table),
              learned_copies(model)};
  out.training = report_training(model);
  const ReportSource source{model, rows, options.level, options.keys};
  const TableEvaluation evaluation = model.evaluate(rows.table);
  add_metrics(source, evaluation, out);
  if (model.classifies())
    add_class_predictions(source, out);
  else
    add_number_predictions(source, out);
  out.importances = report_importances(source);
  out.weights = report_weights(model);
  out.certificate = certify_member(model, rows, 0, {});
  out.dependences = report_dependences(source, out.importances);
  out.interactions = report_interactions(source);
  add_errors(source, options.time, options.group, options.keys.size(), out);
  add_headline(source, evaluation, out);
  return out;
}

}  // namespace
}  // namespace internal

TableReport report_on(const TableModel& model, const Table& rows,
                      const TableReport::Options& options) {
  if (!(options.level > 0 && options.level < 1))
    reject("level", options.level, "must be above 0 and below 1");
  const RowsWithTarget observed = observed_rows(model, rows);
  expect_keys(observed.table, options);
  const ReportContent content = content_of(model, observed, options);
  return {render_report(content), observed.table.rows(), coverage_text(content),
          *content.certificate};
}

network::NetworkCertificate certify_model(const TableModel& model, const Table& rows,
                                          std::size_t member,
                                          const network::NetworkCertificate::Options& options) {
  if (member >= members_of(model))
    reject("member", member, fmt::format("must be below {}", members_of(model)));
  return certify_member(model, observed_rows(model, rows), member, options);
}

}  // namespace postrider

#include "cli/report/report.h"

#include <fmt/format.h>

#include <iostream>

#include "cli/commands/commands.h"
#include "cli/commands/report_parts.h"
#include "cli/commands/train_command.h"
#include "cli/report/coverage.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "postrider/error.h"
#include "postrider/model_file.h"
#include "postrider/version.h"
#include "text/model_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::size_t learned_rows(const TableModel& model) {
  std::size_t rows = 0;
  for (const TrainingStep& step : model.history()) rows += step.rows;
  return rows;
}

std::size_t learned_copies(const TableModel& model) {
  std::size_t copies = 0;
  for (const TrainingStep& step : model.history()) copies += step.copies;
  return copies;
}

std::vector<ReportFact> facts_of(const TableModel& model, const ObservedTable& observed,
                                 const ReportRequest& request) {
  const Table& rows = observed.table;
  const RepeatedRows& repeated = observed.repeated;
  const NetworkOptions& options = network_of(model).options();
  const std::string writer = describe_model_file(request.model).writer;
  std::vector<ReportFact> out{{"model", request.model},
                              {"written by", writer.empty() ? "unknown" : writer},
                              {"report by", std::string("postrider ") + kVersion},
                              {"rows of this report", request.data.path},
                              {"network", network_text(model)},
                              {"rule", std::string(to_string(options.rule))},
                              {"seed", std::to_string(options.seed)},
                              {"training rows", std::to_string(learned_rows(model))}};
  if (repeated.repeated > 0) out.push_back({"learned before", repeated.text()});
  if (!model.classifies()) out.push_back({"noise", noise_text(model, typical_noise(model, rows))});
  return out;
}

std::string finding_text(const NetworkCertificate& certificate) {
  if (certificate.passed())
    return fmt::format("no inconsistency found in {} messages", certificate.compared());
  return fmt::format("INCONSISTENT: {} of {} messages; see the certificate on the page",
                     certificate.inconsistent(), certificate.compared());
}

ReportContent content_of(const TableModel& model, const ObservedTable& rows,
                         const ReportRequest& request) {
  ReportContent out;
  out.title = request.title.empty() ? "Predicting " + model.target() : request.title;
  out.subtitle = fmt::format(
      "A Bayesian neural network learned {} from {}; this page says how far to trust it.",
      model.target(), counted(model.features().size(), "input"));
  out.facts = facts_of(model, rows, request);
  out.command = command_of(model);
  out.learned = rows.repeated.warning();
  out.data = {learned_rows(model), rows.table.rows(), report_columns(model, rows.table),
              learned_copies(model)};
  out.training = report_training(model);
  const ReportSource source{model, rows, request.level, request.data.keys};
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
  add_errors(source, request.time, request.group, request.data.keys.size(), out);
  add_headline(source, evaluation, out);
  return out;
}

}  // namespace

ExitCode report(const ReportRequest& request) {
  if (!(request.level > 0 && request.level < 1))
    reject("--level", request.level, "must be above 0 and below 1");
  expect_writable({"--out", request.output, {request.model, request.data.path}, request.force},
                  text_kind("a report", {"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"}));
  const TableModel model = TableModel::load(request.model);
  DataRequest data = request.data;
  for (const std::string& column : {request.time, request.group})
    if (!column.empty()) data.keys.push_back(column);
  const ObservedTable rows = read_observed(data, model);
  tell_repeated("report", rows.repeated);
  const ReportContent content = content_of(model, rows, request);
  Output output(request.output);
  output.stream() << render_report(content);
  output.finish();
  if (!request.quiet && request.output != "-")
    std::cout << request.output << ": " << counted(rows.table.rows(), "row") << "\n"
              << "  " << coverage_text(content) << "\n"
              << "  " << finding_text(*content.certificate) << "\n";
  return ExitCode::ok;
}

}  // namespace postrider::cli

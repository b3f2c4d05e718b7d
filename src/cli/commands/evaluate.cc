#include <iostream>

#include "cli/commands/commands.h"
#include "cli/evaluated_rows.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "postrider/error.h"
#include "text/evaluation_facts.h"

namespace postrider::cli {
namespace {

// Above all figures.
std::string learned_line(const RepeatedRows& repeated) {
  return repeated.repeated == 0 ? "" : repeated.warning() + "\n\n";
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
  const std::vector<DriftWarning> drift = watch.found().warnings();
  std::ostream& talk = request.output == "-" ? std::cerr : std::cout;
  const RepeatedRows repeated = watch.found().repeated();
  if (request.json)
    talk << evaluation_json(model, evaluation, drift, repeated);
  else
    talk << learned_line(repeated) << evaluation_text(model, evaluation);
  tell_skipped("evaluate", reader.skipped());
  tell_drift("evaluate", drift);
  tell_repeated("evaluate", repeated);
  return ExitCode::ok;
}

}  // namespace postrider::cli

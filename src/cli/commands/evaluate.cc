#include "cli/commands/evaluate.h"

#include <iostream>

#include "cli/facts.h"
#include "cli/json.h"
#include "cli/row_watch.h"

namespace postrider::cli {

ExitCode evaluate(const EvaluateRequest& request) {
  const TableModel model = TableModel::load(request.model);
  TableReader reader = open_for_model(request.data, model);
  const RowWatch watch(model, reader);
  const TableEvaluation evaluation = model.evaluate(reader);
  const std::vector<DriftWarning> drift = watch.warnings();
  std::cout << (request.json ? evaluation_json(model, evaluation, drift)
                             : evaluation_text(model, evaluation));
  tell_skipped("evaluate", reader.skipped());
  tell_drift("evaluate", drift);
  return ExitCode::ok;
}

}  // namespace postrider::cli

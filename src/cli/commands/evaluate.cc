#include "cli/commands/evaluate.h"

#include <iostream>

#include "cli/facts.h"
#include "cli/json.h"

namespace postrider::cli {

ExitCode evaluate(const EvaluateRequest& request) {
  const TableModel model = TableModel::load(request.model);
  TableReader reader = open_for_model(request.data, model);
  const TableEvaluation evaluation = model.evaluate(reader);
  std::cout << (request.json ? evaluation_json(model, evaluation)
                             : evaluation_text(model, evaluation));
  return ExitCode::ok;
}

}  // namespace postrider::cli

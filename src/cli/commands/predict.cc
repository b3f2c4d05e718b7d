#include "cli/commands/commands.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "io/predicted_columns.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

// Predictions of before begin as these would: with the same first columns, or as JSON with the first.
OutputKind predictions_kind(const std::vector<std::string>& names) {
  const std::string first = csv_cell(names[0]);
  std::string json = json_line({{names[0], 0}});
  json.erase(json.find_last_of(':') + 1);
  return text_kind("predictions of this model", {first + "," + csv_cell(names[1]), json});
}

}  // namespace

ExitCode predict(const PredictRequest& request) {
  const TableModel model = TableModel::load(request.model);
  expect_possible(request, model, "--");
  PredictedColumns columns(request, model);
  expect_writable({"--output", request.output, {request.model, request.data.path}, request.force},
                  predictions_kind(columns.names()));
  TableReader reader = open_for_model(request.data, model);
  tell_absent("predict", reader);
  const RowWatch watch(model, reader);
  Output output(request.output);
  if (!request.json) output.stream() << csv_header(columns.names());
  for (Table chunk; reader.next(chunk);) {
    columns.begin(model.predict(chunk), chunk);
    for (std::size_t row = 0; row < chunk.rows(); ++row)
      output.stream() << (request.json ? json_line(columns.row(row)) : csv_line(columns.row(row)));
  }
  output.finish();
  if (request.quiet) return ExitCode::ok;
  tell_skipped("predict", reader.skipped());
  tell_drift("predict", watch.found().warnings());
  return ExitCode::ok;
}

ExitCode stream(const StreamRequest& request) {
  const InterruptWatch watch;
  follow(request, [&watch] { return watch.interrupted(); });
  return watch.exit_code_of_service();
}

ExitCode serve(const ServeRequest& request) {
  const InterruptWatch watch;
  HangUpWatch hang_up;
  serve_models(request,
               {.should_end = [&] { return watch.interrupted() || hang_up.has_lost_terminal(); },
                .should_look = [&] { return hang_up.is_asked_to_look(); }});
  if (!watch.interrupted() && hang_up.has_lost_terminal()) return ExitCode::hung_up;
  return watch.exit_code_of_service();
}

}  // namespace postrider::cli

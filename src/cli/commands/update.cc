#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "cli/commands/commands.h"
#include "cli/commands/train.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "postrider/error.h"
#include "text/columns.h"
#include "text/model_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string summary(const TableModel& model, const LearnedFacts& facts) {
  const TableModel::Step& step = model.history().back();
  std::size_t before = 0;
  for (const TableModel::Step& earlier : model.history()) before += earlier.rows;
  before -= step.rows;
  TextTable table({Align::left, Align::left});
  table.add({"learned", fmt::format("{}, after {} before", counted(step.rows, "row"), before)});
  if (step.without_target > 0)
    table.add({"passed over", counted(step.without_target, "row") + " without a target"});
  add_stream_facts(model, step, table);
  if (!model.classifies()) table.add({"noise", noise_text(model, {})});
  table.add({"time", seconds_text(facts.seconds)});
  table.add({"model", facts.model_path});
  return table.text() +
         (facts.interrupted
              ? "\ninterrupted: the model has learned the rows until here; the others "
                "may still follow\n"
              : "");
}

}  // namespace

ExitCode update(const UpdateRequest& request) {
  using Clock = std::chrono::steady_clock;
  const bool in_place = request.output.empty() || is_same_file(request.output, request.model);
  // Noted before it is read: what another program writes in the meantime must not be undone.
  const FileWriter::Version version(request.model);
  if (!in_place)
    expect_writable({"--output", request.output, {request.data.path}, request.force}, model_kind());
  TableModel model = TableModel::load(request.model);
  TableReader reader = open_for_model(request.data, model, RowsFor::learning);
  const RowWatch rows(model, reader);
  const InterruptWatch watch;
  LiveLine live(request.quiet);
  const Clock::time_point begin = Clock::now();
  model.update(reader, [&](const TableModel::StreamProgress& progress) {
    live.show(stream_line(progress));
    return !watch.interrupted();
  });
  live.clear();
  LearnedFacts facts{in_place ? request.model : request.output,
                     std::chrono::duration<double>(Clock::now() - begin).count(),
                     watch.interrupted(),
                     {},
                     nullptr};
  if (model.history().back().rows == 0)
    throw CorruptFile(request.data.path + ": no row has a value of " + model.target() +
                      "; the model is left as it was");
  tell_skipped("update", reader.skipped());
  facts.drift = rows.found().warnings();
  const StreamReport& stream = model.history().back().stream;
  if (const std::string misfit = model.misfit(); !misfit.empty())
    throw CorruptFile(request.data.path + ": " + misfit + " The model is left as it was");
  if (!request.anyway) expect_new_rows(model, rows.found(), request.data.path);
  if (!stream.sound)
    throw Error(
        request.data.path +
        ": learning these rows made beliefs that are no numbers; the model is left as it was. "
        "Are there values in another unit?");
  if (in_place)
    save_model(model, version);
  else
    save_model(model, request.output);
  tell_drift("update", facts.drift);
  std::ostream& talk = talk_beside(request.output);
  if (request.json)
    talk << training_json(model, summaries_of(model.schema()), facts);
  else if (!request.quiet)
    talk << summary(model, facts);
  return watch.exit_code();
}

}  // namespace postrider::cli

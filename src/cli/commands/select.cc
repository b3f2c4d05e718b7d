#include <cmath>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "io/predicted_columns.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

// Rows with their targets, as the estimator sees them.
struct LearnedRows {
  std::vector<double> inputs, targets;

  Examples view() const { return {inputs, targets}; }
};

LearnedRows learned_rows(const SelectRequest& request, const TableModel& model) {
  DataRequest data = request.data;
  data.path = request.learned;
  data.keys.clear();
  TableReader reader = open_for_model(data, model);
  tell_absent("select", reader);
  const Table table = read_all(reader).table;
  if (table.rows() > 0 && !table.has_target())
    throw InvalidArgument("--learned: " + request.learned + " has no column '" + model.target() +
                          "'; it must hold the rows that the model learned, with their targets");
  LearnedRows out{model.encode(table), table.column(model.schema().target()).numbers};
  tell_skipped("select", reader.skipped());
  return out;
}

std::vector<std::string> names_of(const SelectRequest& request) {
  std::vector<std::string> out = request.data.keys;
  out.insert(out.end(), {"row", "line", "removed"});
  return out;
}

std::vector<JsonCell> cells_of(const SelectedRow& chosen, const Table& pool,
                               const std::vector<std::string>& names) {
  const std::size_t keys = names.size() - 3;
  std::vector<JsonCell> out;
  for (std::size_t k = 0; k < keys; ++k)
    out.push_back({names[k], 0, pool.key(k, chosen.row), true});
  out.push_back({names[keys], static_cast<double>(chosen.row + 1)});
  out.push_back({names[keys + 1], static_cast<double>(pool.line(chosen.row))});
  out.push_back({names[keys + 2], chosen.removed});
  return out;
}

// Only rows that have no target yet, where the file has its column.
std::vector<std::size_t> unlabelled_rows(const Table& table, const TableModel& model) {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (!table.has_target() || std::isnan(table.column(model.schema().target()).numbers[row]))
      out.push_back(row);
  return out;
}

}  // namespace

ExitCode select(const SelectRequest& request) {
  request.selection.validate();
  const TableModel model = TableModel::load(request.model);
  if (model.regressor() == nullptr)
    throw InvalidArgument(request.model + " predicts classes: select needs a numeric target");
  const std::vector<std::string> names = names_of(request);
  std::vector<std::string> inputs{request.model, request.data.path};
  if (!request.learned.empty()) inputs.push_back(request.learned);
  expect_writable({"--output", request.output, inputs, request.force},
                  text_kind("selected rows", {csv_header(names), "{\"" + names.front() + "\""}));
  std::optional<LearnedRows> learned;
  if (!request.learned.empty()) learned = learned_rows(request, model);
  TableReader reader = open_for_model(request.data, model);
  tell_absent("select", reader);
  const RowWatch watch(model, reader);
  const Table pool = read_all(reader).table;
  const std::vector<std::size_t> places = unlabelled_rows(pool, model);
  if (places.size() < request.selection.count)
    throw InvalidArgument("--count " + std::to_string(request.selection.count) + ": " +
                          request.data.path + " has " + std::to_string(places.size()) +
                          " rows without a target; there must be at least as many");
  const std::vector<double> rows = model.encode(pool.selected(places));
  std::optional<Examples> view;
  if (learned) view = learned->view();
  std::vector<SelectedRow> chosen =
      select_rows(*model.regressor(), rows, request.selection, view ? &*view : nullptr);
  Output output(request.output);
  if (!request.json) output.stream() << csv_header(names);
  for (SelectedRow& each : chosen) {
    each.row = places[each.row];
    const std::vector<JsonCell> cells = cells_of(each, pool, names);
    output.stream() << (request.json ? json_line(cells) : csv_line(cells));
  }
  output.finish();
  tell_skipped("select", reader.skipped());
  tell_drift("select", watch.found().warnings());
  return ExitCode::ok;
}

}  // namespace postrider::cli

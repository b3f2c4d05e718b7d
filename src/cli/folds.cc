#include "cli/folds.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/facts.h"
#include "cli/predicted_columns.h"
#include "cli/text_table.h"

namespace postrider::cli {
namespace {

constexpr const char* kRow = "row";
constexpr const char* kTarget = "target";

JsonCell target_cell(const Table& table, const TableModel& model, std::size_t row) {
  const TableColumn& target = table.column(model.schema().target());
  if (model.classifies()) return {kTarget, 0, model.classes()[target.codes[row]]};
  return {kTarget, target.numbers[row]};
}

// Lines of the rows that one fold has left out, by their places among all.
void add_lines(const Table& table, const TableValidation& found, std::size_t fold,
               std::vector<std::string>& lines) {
  const TableModel& model = found.models[fold];
  std::vector<std::size_t> places, rows;
  for (std::size_t place = 0; place < found.rows.size(); ++place) {
    if (found.folds[place] != fold) continue;
    places.push_back(place);
    rows.push_back(found.rows[place]);
  }
  const PredictRequest request;
  PredictedColumns columns(request, model);
  const Table part = table.selected(rows);
  columns.begin(model.predict(part), part);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<JsonCell> cells{{kRow, static_cast<double>(rows[i] + 1)},
                                target_cell(table, model, rows[i])};
    std::ranges::move(columns.row(i), std::back_inserter(cells));
    lines[places[i]] = csv_line(cells);
  }
}

}  // namespace

std::string folds_text(const TableModel& model, const TableValidation& found) {
  return fmt::format("cross-validation: {} folds, means over folds and their standard errors; ",
                     found.models.size()) +
         evaluation_text(model, found.evaluation);
}

OutputKind out_of_fold_kind() {
  return text_kind("predictions out of folds", {fmt::format("{},{},", kRow, kTarget)});
}

void write_out_of_fold(const Table& table, const TableValidation& found, const std::string& path) {
  const PredictRequest request;
  std::vector<std::string> names{kRow, kTarget};
  std::ranges::copy(PredictedColumns(request, found.models.front()).names(),
                    std::back_inserter(names));
  std::vector<std::string> lines(found.rows.size());
  for (std::size_t k = 0; k < found.models.size(); ++k) add_lines(table, found, k, lines);
  Output output(path);
  output.stream() << csv_header(names);
  for (const std::string& line : lines) output.stream() << line;
  output.finish();
}

}  // namespace postrider::cli

#include "cli/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "io/predicted_columns.h"
#include "text/evaluation_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr const char* kRow = "row";

// Lines of the rows of one model, by the rows.
void add_lines(const Table& table, const LeftOutRows& part, const PredictRequest& request,
               std::map<std::size_t, std::string>& lines) {
  PredictedColumns columns(request, part.model);
  const Table rows = table.selected(part.rows);
  columns.begin(part.model.predict(rows), rows);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const std::size_t row = part.rows[i];
    std::vector<JsonCell> cells{{kRow, static_cast<double>(row + 1)},
                                target_cell(part.model, table, row)};
    std::ranges::move(columns.row(i), std::back_inserter(cells));
    lines[row] = csv_line(cells);
  }
}

}  // namespace

std::string folds_text(const TableModel& model, const TableValidation& found,
                       const std::string& how) {
  return fmt::format("cross-validation{}: {} folds, means over folds and their standard errors; ",
                     how, found.models.size()) +
         evaluation_text(model, found.evaluation);
}

OutputKind out_of_fold_kind() {
  return text_kind("predictions out of folds", {fmt::format("{},{},", kRow, kTargetName)});
}

std::vector<LeftOutRows> left_out_rows(const TableValidation& found) {
  std::vector<LeftOutRows> out;
  for (const TableModel& model : found.models) out.push_back({model, {}});
  for (std::size_t place = 0; place < found.rows.size(); ++place)
    out[found.folds[place]].rows.push_back(found.rows[place]);
  return out;
}

void write_out_of_fold(const Table& table, const std::vector<LeftOutRows>& parts,
                       const std::vector<std::string>& keys, const std::string& path) {
  PredictRequest request;
  request.data.keys = keys;
  std::vector<std::string> names{kRow, kTargetName};
  std::ranges::copy(PredictedColumns(request, parts.front().model).names(),
                    std::back_inserter(names));
  std::map<std::size_t, std::string> lines;
  for (const LeftOutRows& part : parts) add_lines(table, part, request, lines);
  Output output(path);
  output.stream() << csv_header(names);
  for (const auto& [row, line] : lines) output.stream() << line;
  output.finish();
}

}  // namespace postrider::cli

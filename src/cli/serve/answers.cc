#include "cli/serve/answers.h"

#include <charconv>
#include <sstream>

#include "cli/json.h"
#include "cli/predicted_columns.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

// A borrowed reader of rows goes back only if it is as it was.
Table json_table(const ModelVersion& version, const PredictionQuery& query) {
  std::unique_ptr<JsonRows> rows = version.borrow();
  rows->add_all(query.body, query.most_rows);
  Table out = rows->finish();
  version.give_back(std::move(rows));
  return out;
}

Table csv_table(const ModelVersion& version, const PredictionQuery& query) {
  TableOptions options;
  options.format = TableFormat::csv;
  options.chunk_rows = query.most_rows + 1;
  TableReader reader = TableReader::of_text(query.body, version.model().schema(), options);
  Table out, more;
  if (!reader.next(out)) return out;
  if (out.rows() > query.most_rows || reader.next(more))
    throw CorruptFile("has more than " + std::to_string(query.most_rows) +
                      " rows, which are accepted at most");
  return out;
}

double number_of(const char* name, const std::string& text) {
  double out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    reject(name, text, "must be a number");
  return out;
}

PredictRequest request_of(const PredictionQuery& query) {
  PredictRequest out;
  out.far = query.far;
  if (!query.level.empty()) out.level = number_of("level", query.level);
  std::istringstream list(query.quantiles);
  for (std::string one; std::getline(list, one, ',');)
    out.quantiles.push_back(number_of("quantiles", one));
  return out;
}

std::string rows_json(const ModelVersion& version, const PredictRequest& request,
                      const Table& table) {
  PredictedColumns columns(request, version.model(), &version.far_rows());
  columns.begin(version.model().predict(table), table);
  std::string out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string line = json_line(columns.row(row));
    line.pop_back();  // its end
    out += (row == 0 ? "" : ",") + line;
  }
  return out;
}

}  // namespace

std::string error_body(const std::string& message) { return json_line({{"error", 0, message}}); }

Answer predictions(const ModelVersion& version, const PredictionQuery& query) {
  try {
    const PredictRequest request = request_of(query);
    expect_possible(request, version.model(), "");
    const Table table = query.is_csv ? csv_table(version, query) : json_table(version, query);
    version.drift().add(table);
    return {200, "{\"predictions\":[" + rows_json(version, request, table) + "]}\n", table.rows()};
  } catch (const Error& error) {
    return {400, error_body(error.what())};
  }
}

std::string description(const ModelVersion& version) { return served_json(version.model()); }

}  // namespace postrider::cli

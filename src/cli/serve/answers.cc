#include "cli/serve/answers.h"

#include <charconv>
#include <sstream>

#include "cli/json.h"
#include "cli/open_table.h"
#include "cli/predicted_columns.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kMostQuantiles = 100;

// A borrowed reader of rows goes back only if it is as it was.
Table json_table(const ModelVersion& version, const std::string& body,
                 const PredictionQuery& query) {
  std::unique_ptr<JsonRows> rows = version.borrow();
  rows->add_all(body, query.most_rows);
  Table out = rows->finish();
  version.give_back(std::move(rows));
  return out;
}

// All rows of a body that a reader reads.
Table whole_table(TableReader reader, const PredictionQuery& query) {
  Table out, more;
  if (!reader.next(out)) return out;
  if (out.rows() > query.most_rows || reader.next(more))
    throw CorruptFile("has more than " + std::to_string(query.most_rows) +
                      " rows, which are accepted at most");
  return out;
}

Table table_of(const ModelVersion& version, const std::string& body, const PredictionQuery& query) {
  if (query.kind == BodyKind::json) return json_table(version, body, query);
  const Schema& schema = version.model().schema();
  TableOptions options;
  options.chunk_rows = query.most_rows + 1;
  if (query.kind == BodyKind::arrow)
    return whole_table(open_arrow_bytes(body, schema, options), query);
  options.format = TableFormat::csv;
  return whole_table(TableReader::of_text(body, schema, options), query);
}

double number_of(const char* name, const std::string& text) {
  double out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    reject(name, text, "must be a number");
  return out;
}

PredictRequest request_of(const PredictionQuery& query) {
  for (const std::string& name : query.names)
    if (name != "level" && name != "quantiles" && name != "far")
      reject("query", name, "must be level, quantiles or far");
  PredictRequest out;
  out.far = query.far;
  if (!query.level.empty()) out.level = number_of("level", query.level);
  std::istringstream list(query.quantiles);
  for (std::string one; std::getline(list, one, ',');)
    out.quantiles.push_back(number_of("quantiles", one));
  if (out.quantiles.size() > kMostQuantiles)
    reject("quantiles", out.quantiles.size(),
           "numbers are too many; at most " + std::to_string(kMostQuantiles) + " are accepted");
  return out;
}

std::string rows_json(const ModelVersion& version, const PredictRequest& request,
                      const Table& table, std::size_t most_bytes) {
  PredictedColumns columns(request, version.model(), &version.far_rows());
  columns.begin(version.model().predict(table), table);
  std::string out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string line = json_line(columns.row(row));
    line.pop_back();  // its end
    out += (row == 0 ? "" : ",") + line;
    if (out.size() > most_bytes)
      throw CorruptFile("its answer would have more than " + std::to_string(most_bytes) +
                        " bytes, the server's --most-bytes; ask for fewer rows or quantiles");
  }
  return out;
}

}  // namespace

HttpAnswer predictions(const ModelVersion& version, const std::string& body,
                       const PredictionQuery& query) {
  try {
    const PredictRequest request = request_of(query);
    expect_possible(request, version.model(), "");
    const Table table = table_of(version, body, query);
    version.drift().add(table);
    HttpAnswer out{
        200, "{\"predictions\":[" + rows_json(version, request, table, query.most_bytes) + "]}\n"};
    out.rows = table.rows();
    return out;
  } catch (const Error& error) {
    return refusal(400, error.what());
  }
}

}  // namespace postrider::cli

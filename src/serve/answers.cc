#include "serve/answers.h"

#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

#include "io/open_table.h"
#include "io/predicted_columns.h"
#include "postrider/error.h"
#include "postrider/explain.h"
#include "serve/tensors.h"
#include "text/json_text.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kMostQuantiles = 100;
constexpr std::size_t kMostExplained = 32;  // rows; each takes as long as some hundred predictions

// What was sent.
struct Body {
  Table table = {};
  std::string id = {};                   // of tensors
  std::vector<std::string> absent = {};  // columns that a table lacks
};

// A borrowed reader of rows goes back only if it is as it was.
Body json_body(const TableVersion& version, const std::string& body, const PredictionQuery& query) {
  std::unique_ptr<JsonRows> rows = version.borrow();
  rows->add_all(body, query.most_rows);
  Body out{.table = rows->finish(), .absent = rows->absent()};
  version.give_back(std::move(rows));
  return out;
}

// All rows of a body that a reader reads.
Body whole_table(TableReader reader, const PredictionQuery& query) {
  Body body;
  body.absent = reader.absent();
  Table &out = body.table, more;
  if (!reader.next(out)) return body;
  if (out.rows() > query.most_rows || reader.next(more))
    throw CorruptFile("has more than " + std::to_string(query.most_rows) +
                      " rows, which are accepted at most");
  return body;
}

Body body_of(const TableVersion& version, const std::string& body, const PredictionQuery& query) {
  if (query.kind == BodyKind::json) return json_body(version, body, query);
  const Schema& schema = version.model().schema();
  Body out;
  if (query.kind == BodyKind::tensors) {
    out.table = tensor_table(body, schema, query.most_rows, out.id);
    return out;
  }
  TableOptions options;
  options.may_lack_columns = true;  // as rows of JSON may, and those of predict
  options.chunk_rows = query.most_rows + 1;
  if (query.kind == BodyKind::arrow)
    return whole_table(open_arrow_bytes(body, schema, options), query);
  options.format = TableOptions::Format::csv;
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
    if (name != "level" && name != "quantiles" && name != "far" && name != "explain")
      reject("query", name, "must be level, quantiles, far or explain");
  if (query.explain && query.kind == BodyKind::tensors)
    reject("explain", 1, "is for answers of rows, at /predict and /models/NAME/predict");
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

// The rows from one to before another, of those that the columns have.
std::string rows_json(const PredictedColumns& columns, std::size_t from, std::size_t to,
                      std::size_t most_bytes) {
  std::string out;
  for (std::size_t row = from; row < to; ++row) {
    if (row > from) out += ',';
    out += json_line(columns.row(row));
    out.pop_back();  // its end
    if (out.size() > most_bytes)
      throw CorruptFile("its answer would have more than " + std::to_string(most_bytes) +
                        " bytes, the server's --most-bytes; ask for fewer rows or quantiles");
  }
  return out;
}

// A name that was mistyped must not be taken for a column that is not known in silence.
std::string absent_json(const std::vector<std::string>& absent) {
  if (absent.empty()) return "";
  std::string names;
  for (const std::string& name : absent) names += (names.empty() ? "" : ",") + json_text(name);
  return ",\"missing_columns\":[" + names + "]";
}

// What columns contribute to a quantity of one row.
std::string contributions_json(const Explanation& found, std::size_t row, std::size_t quantity) {
  std::string columns;
  for (std::size_t c = 0; c < found.columns.size(); ++c)
    columns += (c > 0 ? "," : "") + json_text(found.columns[c]) + ":" +
               json_number(found.contributions[found.place(row, c, quantity)]);
  return "{\"baseline\":" + json_number(found.baseline[quantity]) + ",\"prediction\":" +
         json_number(found.predictions[row * found.quantities.size() + quantity]) +
         ",\"contributions\":{" + columns + "}}";
}

// An object for each row, with one for each quantity.
std::string explanations_json(const TableModel& model, const Table& rows) {
  if (rows.rows() > kMostExplained)
    throw CorruptFile("has " + std::to_string(rows.rows()) + " rows; at most " +
                      std::to_string(kMostExplained) + " are explained in one answer");
  if (rows.rows() == 0) return ",\"explanations\":[]";
  const Explanation found = explain(model, rows);
  std::string out;
  for (std::size_t row = 0; row < found.rows; ++row) {
    std::string quantities;
    for (std::size_t q = 0; q < found.quantities.size(); ++q)
      quantities += (q > 0 ? "," : "") + json_text(found.quantities[q]) + ":" +
                    contributions_json(found, row, q);
    out += (row > 0 ? ",{" : "{") + quantities + "}";
  }
  return ",\"explanations\":[" + out + "]";
}

HttpAnswer rows_answer(const PredictedColumns& columns, std::size_t from, std::size_t to,
                       std::size_t most_bytes, const std::vector<std::string>& absent,
                       const std::string& more = "") {
  HttpAnswer out;
  out.body = "{\"predictions\":[" + rows_json(columns, from, to, most_bytes) + "]" + more +
             absent_json(absent) + "}\n";
  out.rows = to - from;
  return out;
}

}  // namespace

bool is_compressed(const std::string& body) {
  return body.starts_with("\x1f\x8b") || body.starts_with("\x28\xb5\x2f\xfd");
}

HttpAnswer predictions(const TableVersion& version, const std::string& body,
                       const PredictionQuery& query) {
  if (query.kind == BodyKind::csv && is_compressed(body)) return refusal(415, kCompressed);
  try {
    const PredictRequest request = request_of(query);
    expect_possible(request, version.model(), "");
    const Body sent = body_of(version, body, query);
    const Table& table = sent.table;
    version.watch(table);
    PredictedColumns columns(request, version.model(), &version.far_rows());
    columns.begin(version.model().predict(table), table);
    if (query.kind == BodyKind::tensors)
      return tensors_answer(columns, table.rows(), query, sent.id);
    return rows_answer(columns, 0, table.rows(), query.most_bytes, sent.absent,
                       query.explain ? explanations_json(version.model(), table) : "");
  } catch (const Error& error) {
    return refusal(400, error.what());
  }
}

std::optional<std::vector<HttpAnswer>> predictions_together(
    const TableVersion& version, const std::vector<const std::string*>& bodies,
    const PredictionQuery& query) {
  if (query.explain) return std::nullopt;
  try {
    const PredictRequest request = request_of(query);
    expect_possible(request, version.model(), "");
    std::unique_ptr<JsonRows> rows = version.borrow();
    std::vector<std::size_t> ends;
    std::vector<std::vector<std::string>> absent;
    for (const std::string* body : bodies) {
      rows->add_all(*body, query.most_rows);
      ends.push_back(rows->rows());
      absent.push_back(rows->absent());
    }
    const Table table = rows->finish();
    version.give_back(std::move(rows));
    PredictedColumns columns(request, version.model(), &version.far_rows());
    columns.begin(version.model().predict(table), table);
    std::vector<HttpAnswer> out;
    for (std::size_t k = 0; k < ends.size(); ++k)
      out.push_back(
          rows_answer(columns, k == 0 ? 0 : ends[k - 1], ends[k], query.most_bytes, absent[k]));
    version.watch(table);
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

namespace {

// "/models/a/predict" is models, a, predict.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return out;
}

std::optional<Route> plain_route(std::string_view path) {
  for (const std::string_view name :
       {"/health", "/live", "/ready", "/v2/health/live", "/v2/health/ready"})
    if (path == name) return Route{Asked::health};
  for (const auto& [name, asked] : {std::pair{"/", Asked::first},
                                    {"/metrics", Asked::metrics},
                                    {"/models", Asked::models},
                                    {"/predict", Asked::predict},
                                    {"/v2", Asked::server}})
    if (path == name) return Route{asked};
  return std::nullopt;
}

// What stands behind the name and the version.
std::optional<Asked> asked_of_model(bool is_v2, const std::string& last) {
  if (last.empty()) return is_v2 ? Asked::tensors : Asked::model;
  if (!is_v2 && last == "predict") return Asked::predict;
  if (is_v2 && last == "ready") return Asked::is_ready;
  if (is_v2 && last == "infer") return Asked::infer;
  return std::nullopt;
}

}  // namespace

const char* Route::method() const {
  return asked == Asked::predict || asked == Asked::infer ? "POST" : "GET";
}

std::optional<Route> route_of(std::string_view path) {
  if (std::optional<Route> plain = plain_route(path)) return plain;
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> parts = parts_of(path);
  const bool is_v2 = parts.front() == "v2";
  if (is_v2) parts.erase(parts.begin());
  if (parts.size() < 2 || parts[0] != "models" || parts[1].empty()) return std::nullopt;
  Route out{Asked::model, parts[1]};
  std::size_t at = 2;
  if (parts.size() >= 4 && parts[2] == "versions") {
    out.version = parts[3];
    at = 4;
  }
  if (parts.size() > at + 1) return std::nullopt;
  const std::optional<Asked> asked =
      asked_of_model(is_v2, parts.size() > at ? parts[at] : std::string());
  if (!asked) return std::nullopt;
  out.asked = *asked;
  return out;
}

}  // namespace postrider::cli

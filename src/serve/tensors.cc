#include "serve/tensors.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "postrider/error.h"
#include "postrider/table_builder.h"

namespace postrider::cli {
namespace {

using Json = nlohmann::ordered_json;
using ReadJson = nlohmann::json;

constexpr std::size_t kDeepestTensor = 8;  // {"inputs": [{"data": [[...]]}]} has five levels
constexpr std::size_t kMostOthers = 1000;  // tensors, beside those that the model knows
constexpr const char* kForm =
    "must be {\"inputs\": [{\"name\": column, \"shape\": [rows], \"datatype\": \"FP64\" or "
    "\"BYTES\", \"data\": [...]}, ...]}";

// One column's cells: numbers until a text comes, which none may follow.
struct Tensor {
  std::string name;
  std::vector<double> numbers, shape;
  std::vector<std::string> texts;

  std::size_t size() const { return numbers.size() + texts.size(); }
};

// Names and results of the functions are nlohmann's; true means to go on.
class TensorReader {
 public:
  TensorReader(std::size_t columns, std::size_t most_rows)
      : most_tensors_(columns + kMostOthers), most_rows_(most_rows) {}

  bool null() { return value(std::numeric_limits<double>::quiet_NaN()); }
  bool boolean(bool is_true) { return value(std::string(is_true ? "true" : "false")); }
  bool number_integer(std::int64_t number) { return value(static_cast<double>(number)); }
  bool number_unsigned(std::uint64_t number) { return value(static_cast<double>(number)); }
  bool number_float(double number, const std::string&) { return value(number); }
  bool string(std::string& text) { return value(text); }
  bool binary(ReadJson::binary_t&) { return false; }

  bool start_object(std::size_t) {
    if (is_in_inputs() && depth_ == 2) {
      if (tensors_.size() >= most_tensors_) throw CorruptFile("has too many inputs");
      tensors_.emplace_back();
      key_.clear();
    } else if (is_in_inputs() && depth_ > 3 && key_ == "data") {
      throw CorruptFile("input \"" + tensors_.back().name + "\": data must be numbers or texts");
    }
    return deeper();
  }
  bool key(std::string& name) {
    if (depth_ == 1) top_key_ = name;
    if (depth_ == 3) key_ = name;
    return true;
  }
  bool end_object() { return --depth_, true; }
  bool start_array(std::size_t) { return deeper(); }
  bool end_array() { return --depth_, true; }

  bool parse_error(std::size_t position, const std::string&, const ReadJson::exception&) {
    throw CorruptFile(std::string(kForm) + "; it is not JSON from byte " +
                      std::to_string(position) + " on");
  }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::string& id() const { return id_; }

 private:
  bool is_in_inputs() const { return depth_ >= 2 && top_key_ == "inputs"; }
  bool deeper() {
    if (++depth_ > kDeepestTensor) throw CorruptFile("its JSON is nested too deeply");
    return true;
  }

  bool value(double number) {
    if (!is_in_tensor()) return true;
    Tensor& to = tensors_.back();
    if (key_ == "shape" && to.shape.size() < kDeepestTensor) to.shape.push_back(number);
    if (key_ != "data" || depth_ == 3) return true;
    expect_room();
    if (to.texts.empty())
      to.numbers.push_back(number);
    else if (std::isnan(number))
      to.texts.emplace_back();
    else
      throw CorruptFile("input \"" + to.name + "\": data mixes numbers and texts");
    return true;
  }
  bool value(const std::string& text) {
    if (depth_ == 1 && top_key_ == "id") id_ = text;
    if (!is_in_tensor()) return true;
    Tensor& to = tensors_.back();
    if (key_ == "name" && depth_ == 3) to.name = text;
    if (key_ != "data" || depth_ == 3) return true;
    expect_room();
    if (!to.numbers.empty()) become_texts(to);
    to.texts.push_back(text);
    return true;
  }
  // Missing cells may have come first.
  static void become_texts(Tensor& tensor) {
    for (const double number : tensor.numbers)
      if (!std::isnan(number))
        throw CorruptFile("input \"" + tensor.name + "\": data mixes numbers and texts");
    tensor.texts.resize(tensor.numbers.size());
    tensor.numbers.clear();
  }
  bool is_in_tensor() const { return is_in_inputs() && depth_ >= 3 && !tensors_.empty(); }
  void expect_room() const {
    if (tensors_.back().size() >= most_rows_)
      throw CorruptFile("has more than " + std::to_string(most_rows_) +
                        " rows, which are accepted at most");
  }

  std::size_t most_tensors_, most_rows_, depth_ = 0;
  std::string top_key_, key_, id_;
  std::vector<Tensor> tensors_;
};

void expect_shape(const Tensor& tensor, std::size_t rows) {
  const auto rows_here = static_cast<double>(tensor.size());
  const bool is_column =
      tensor.shape.size() == 1 || (tensor.shape.size() == 2 && tensor.shape[1] == 1);
  if (!is_column || tensor.shape[0] != rows_here)
    throw CorruptFile("input \"" + tensor.name + "\": shape must be [" +
                      std::to_string(tensor.size()) + "], as its data has");
  if (tensor.size() != rows)
    throw CorruptFile("input \"" + tensor.name + "\": has " + std::to_string(tensor.size()) +
                      " rows; the first input has " + std::to_string(rows));
}

std::string datatype_of(const ColumnSchema& column) {
  return column.kind == ColumnSchema::Kind::numeric ? "FP64" : "BYTES";
}

}  // namespace

Table tensor_table(const std::string& body, const Schema& schema, std::size_t most_rows,
                   std::string& id) {
  TensorReader reader(schema.columns.size(), most_rows);
  ReadJson::sax_parse(body, &reader);
  id = reader.id();
  const std::vector<Tensor>& tensors = reader.tensors();
  if (tensors.empty()) throw CorruptFile(kForm);
  const std::size_t rows = tensors.front().size();
  std::vector<std::size_t> columns;
  std::size_t known = 0;
  for (const Tensor& tensor : tensors) {
    expect_shape(tensor, rows);
    columns.push_back(schema.find(tensor.name));
    if (columns.back() != Schema::kNone && !schema.columns[columns.back()].target) ++known;
  }
  if (known == 0) throw CorruptFile("none of its inputs is a column that the model knows");
  Table::Builder builder(schema);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      if (columns[t] == Schema::kNone) continue;
      if (tensors[t].texts.empty())
        builder.set(columns[t], tensors[t].numbers[row]);
      else
        builder.set(columns[t], std::string_view(tensors[t].texts[row]));
    }
    builder.end_row();
  }
  return builder.finish();
}

HttpAnswer tensors_answer(const PredictedColumns& columns, std::size_t rows,
                          const PredictionQuery& query, const std::string& id) {
  std::vector<Json> data(columns.names().size(), Json::array());
  std::vector<bool> is_text(columns.names().size(), false);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<JsonCell> cells = columns.row(row);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      is_text[c] = cells[c].is_text;
      data[c].push_back(cells[c].is_text ? Json(cells[c].text) : Json(cells[c].number));
    }
  }
  Json out{{"model_name", query.model}, {"model_version", query.version}};
  if (!id.empty()) out["id"] = id;
  out["outputs"] = Json::array();
  for (std::size_t c = 0; c < data.size(); ++c)
    out["outputs"].push_back({{"name", columns.names()[c]},
                              {"shape", {rows}},
                              {"datatype", is_text[c] ? "BYTES" : "FP64"},
                              {"data", std::move(data[c])}});
  HttpAnswer answer;
  answer.body = out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  answer.rows = rows;
  if (answer.body.size() > query.most_bytes)
    throw CorruptFile("its answer would have more than " + std::to_string(query.most_bytes) +
                      " bytes, the server's --most-bytes; ask for fewer rows or quantiles");
  return answer;
}

std::string tensors_json(const TableModel& model, const std::string& name,
                         const std::vector<std::string>& versions) {
  Json out{{"name", name},
           {"versions", versions},
           {"platform", "postrider_table"},
           {"inputs", Json::array()},
           {"outputs", Json::array()}};
  for (const ColumnSchema& column : model.schema().columns)
    if (!column.target && column.kind != ColumnSchema::Kind::ignored)
      out["inputs"].push_back(
          {{"name", column.name}, {"datatype", datatype_of(column)}, {"shape", {-1}}});
  const PredictRequest usual;
  const PredictedColumns columns(usual, model);
  for (const std::string& one : columns.names())
    out["outputs"].push_back(
        {{"name", one},
         {"datatype", model.classifies() && one == model.target() ? "BYTES" : "FP64"},
         {"shape", {-1}}});
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tensors_json(const std::string& name, const std::vector<std::string>& versions) {
  const Json out{{"name", name},
                 {"versions", versions},
                 {"platform", "postrider_sparse"},
                 {"inputs", Json::array()},
                 {"outputs", Json::array()}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace postrider::cli

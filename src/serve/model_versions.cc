#include "serve/model_versions.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "postrider/error.h"
#include "postrider/version.h"
#include "serve/answers.h"
#include "serve/tensors.h"
#include "text/json_text.h"

namespace postrider::cli {
namespace {

using Json = nlohmann::ordered_json;

// What the server tells of its model.
std::string served_json(const TableModel& model) {
  Json out{{"target", model.target()},
           {"predicts", model.classifies() ? "classes" : "numbers"},
           {"columns", Json::array()},
           {"rows_learned", model.estimator().rows_learned()},
           {"version", kVersion}};
  if (model.classifies()) out["classes"] = model.classes();
  for (const ColumnSchema& column : model.schema().columns) {
    if (column.target || column.kind == ColumnSchema::Kind::ignored) continue;
    Json one{{"name", column.name}, {"kind", to_string(column.kind)}};
    if (!column.categories.empty()) one["categories"] = column.categories;
    if (!column.unit.empty()) one["unit"] = column.unit;
    out["columns"].push_back(std::move(one));
  }
  return json_page(out);
}

}  // namespace

TableVersion::TableVersion(const std::string& path)
    : ModelVersion(path),
      model_(TableModel::load(path)),
      drift_(model_.profile()),
      far_rows_(model_.profile()),
      description_(served_json(model_)) {}

std::string TableVersion::use() const {
  std::string out = model_.target() + (model_.classifies() ? ", classes" : ", a number");
  for (const std::string& name : model_.classes()) out += " " + name;
  out += ", from";
  for (const ColumnSchema& column : model_.schema().columns)
    if (!column.target && column.kind != ColumnSchema::Kind::ignored)
      out += " " + column.name + " (" + std::string(to_string(column.kind)) +
             (column.unit.empty() ? "" : " in " + column.unit) + ")";
  return out;
}

std::string TableVersion::tensors(const std::string& name,
                                  const std::vector<std::string>& versions) const {
  return tensors_json(model_, name, versions);
}

std::vector<HttpAnswer> TableVersion::predict(const std::vector<const std::string*>& bodies,
                                              const PredictionQuery& query) const {
  if (bodies.size() > 1 && query.kind == BodyKind::json)
    if (std::optional<std::vector<HttpAnswer>> all = predictions_together(*this, bodies, query))
      return std::move(*all);
  std::vector<HttpAnswer> out;
  for (const std::string* body : bodies) out.push_back(predictions(*this, *body, query));
  return out;
}

std::unique_ptr<JsonRows> TableVersion::borrow() const {
  {
    const std::lock_guard lock(lock_);
    if (!free_.empty()) {
      std::unique_ptr<JsonRows> out = std::move(free_.back());
      free_.pop_back();
      return out;
    }
  }
  return std::make_unique<JsonRows>(model_.schema());
}

void TableVersion::give_back(std::unique_ptr<JsonRows> rows) const {
  const std::lock_guard lock(lock_);
  free_.push_back(std::move(rows));
}

namespace {

bool predicts_number(const sparse::SparseModel& model) {
  return model.options().target == sparse::SparseOptions::Target::number;
}

std::vector<JsonCell> cells_of(const sparse::SparseModel::Prediction& one, bool of_number) {
  if (of_number) return {{"mean", one.mean}, {"std", one.std}, {"noise", one.noise}};
  return {{"probability", one.probability}, {"mean", one.mean}, {"std", one.std}};
}

std::string sparse_description(const sparse::SparseModel& model) {
  const sparse::SparseModel::Summary now = model.summary();
  return json_line({{"kind", 0, "sparse"},
                    {"predicts", 0, predicts_number(model) ? "numbers" : "classes"},
                    {"takes", 0, "LIBSVM's or Vowpal Wabbit's text, a row a line"},
                    {"rows_learned", static_cast<double>(now.rows)},
                    {"weights", static_cast<double>(now.weights)}});
}

}  // namespace

SparseVersion::SparseVersion(const std::string& path)
    : ModelVersion(path),
      model_(sparse::SparseModel::load(path)),
      description_(sparse_description(model_)) {}

std::string SparseVersion::use() const {
  return predicts_number(model_) ? "a number, from sparse rows"
                                 : "one of two classes, from sparse rows";
}

std::string SparseVersion::tensors(const std::string& name,
                                   const std::vector<std::string>& versions) const {
  return tensors_json(name, versions);
}

std::vector<HttpAnswer> SparseVersion::predict(const std::vector<const std::string*>& bodies,
                                               const PredictionQuery& query) const {
  std::vector<HttpAnswer> out;
  for (const std::string* body : bodies) out.push_back(predict(*body, query));
  return out;
}

HttpAnswer SparseVersion::predict(const std::string& body, const PredictionQuery& query) const {
  if (query.kind == BodyKind::tensors)
    return refusal(400, "a model of sparse rows takes no tensors; POST its text to predict");
  if (is_compressed(body)) return refusal(415, kCompressed);
  try {
    if (!query.names.empty())
      reject("query", query.names.front(), "a model of sparse rows has nothing to ask for");
    sparse::FeatureRows rows;
    sparse::FeatureFile file = sparse::FeatureFile::of_text(body, "the text");
    file.read(rows, query.most_rows + 1);
    if (rows.size() > query.most_rows)
      throw CorruptFile("has more than " + std::to_string(query.most_rows) +
                        " rows, which are accepted at most");
    HttpAnswer out;
    out.body = "{\"predictions\":[";
    for (const sparse::SparseModel::Prediction& one : model_.predict(rows)) {
      if (out.rows++ > 0) out.body += ',';
      out.body += json_line(cells_of(one, predicts_number(model_)));
      out.body.pop_back();  // its end
    }
    out.body += "]}\n";
    return out;
  } catch (const Error& error) {
    return refusal(400, error.what());
  }
}

}  // namespace postrider::cli

#include "serve/table_version.h"

#include <nlohmann/json.hpp>
#include <utility>

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
    if (column.target || column.kind == ColumnKind::ignored) continue;
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
    if (!column.target && column.kind != ColumnKind::ignored)
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

}  // namespace postrider::cli

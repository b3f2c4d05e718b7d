#include "cli/serve/table_version.h"

#include <utility>

#include "cli/json.h"
#include "cli/serve/answers.h"
#include "cli/serve/tensors.h"

namespace postrider::cli {

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

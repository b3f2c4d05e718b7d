#include "cli/serve/served_model.h"

#include <utility>

#include "cli/json.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

std::string inputs_of(const TableModel& model) {
  std::string out;
  for (const ColumnSchema& column : model.schema().columns)
    if (!column.target && column.kind != ColumnKind::ignored)
      out += (out.empty() ? "" : ", ") + column.name + " (" + std::string(to_string(column.kind)) +
             (column.unit.empty() ? "" : " in " + column.unit) + ")";
  return out;
}

std::string use_of(const TableModel& model) {
  std::string out = model.target() + (model.classifies() ? ", classes" : ", a number");
  for (const std::string& name : model.classes()) out += " " + name;
  return out + ", from " + inputs_of(model);
}

// Clients of one model must not get the answers of another.
void expect_same_use(const TableModel& now, const TableModel& next) {
  if (use_of(now) == use_of(next)) return;
  throw CorruptFile("the new file predicts " + use_of(next) + "; served is " + use_of(now) +
                    ". Serve it under another name, or with --any-model");
}

}  // namespace

ModelVersion::ModelVersion(const std::string& path)
    : file_(path),
      model_(TableModel::load(path)),
      drift_(model_.profile()),
      far_rows_(model_.profile()),
      description_(served_json(model_)) {}

std::unique_ptr<JsonRows> ModelVersion::borrow() const {
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

void ModelVersion::give_back(std::unique_ptr<JsonRows> rows) const {
  const std::lock_guard lock(lock_);
  free_.push_back(std::move(rows));
}

ServedModel::ServedModel(const std::string& path, bool any)
    : path_(path), any_(any), now_(std::make_shared<const ModelVersion>(path)) {}

bool ServedModel::refresh(std::string& why) {
  if (!is_outdated()) return true;
  try {
    auto next = std::make_shared<const ModelVersion>(path_);
    if (!any_) expect_same_use(now()->model(), next->model());
    now_.store(std::move(next));
    return true;
  } catch (const Error& error) {
    why = error.what();
    return false;
  }
}

}  // namespace postrider::cli

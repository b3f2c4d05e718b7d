#include "cli/serve/served_model.h"

#include <utility>

#include "postrider/error.h"

namespace postrider::cli {

ModelVersion::ModelVersion(const std::string& path)
    : file_(path),
      model_(TableModel::load(path)),
      drift_(model_.profile()),
      far_rows_(model_.profile()) {}

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

ServedModel::ServedModel(const std::string& path)
    : path_(path), now_(std::make_shared<const ModelVersion>(path)) {}

bool ServedModel::refresh(std::string& why) {
  if (!is_outdated()) return true;
  try {
    now_.store(std::make_shared<const ModelVersion>(path_));
    return true;
  } catch (const Error& error) {
    why = error.what();
    return false;
  }
}

}  // namespace postrider::cli

// The model that a server has now.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/drift_window.h"
#include "cli/json_rows.h"
#include "postrider/file.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// One version of a model's file. Never changes; requests that hold it keep it alive.
class ModelVersion {
 public:
  explicit ModelVersion(const std::string& path);  // throws as TableModel::load()

  const TableModel& model() const { return model_; }
  DriftWindow& drift() const { return drift_; }
  const FarRows& far_rows() const { return far_rows_; }
  // Which columns it takes, and what it predicts, as JSON.
  const std::string& description() const { return description_; }
  bool is_current() const { return file_.is_current(); }

  // Readers of rows know the categories of all columns: they are made once, and lent.
  std::unique_ptr<JsonRows> borrow() const;
  void give_back(std::unique_ptr<JsonRows> rows) const;

 private:
  FileVersion file_;  // noted before it is read
  TableModel model_;
  mutable DriftWindow drift_;
  FarRows far_rows_;
  std::string description_;
  mutable std::mutex lock_;
  mutable std::vector<std::unique_ptr<JsonRows>> free_;
};

class ServedModel {
 public:
  // A new version must take and predict the same columns as the one before, unless it may be `any`.
  ServedModel(const std::string& path, bool any);

  const std::string& path() const { return path_; }
  std::shared_ptr<const ModelVersion> now() const { return now_.load(); }
  // Loads the file again if it has been replaced; false if it cannot be loaded or takes other rows, and the model stays.
  // `why` says it.
  bool refresh(std::string& why);
  bool is_outdated() const { return !now()->is_current(); }

 private:
  std::string path_;
  bool any_;
  std::atomic<std::shared_ptr<const ModelVersion>> now_;
};

}  // namespace postrider::cli

// A model of tables, as a server holds it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/drift_metrics.h"
#include "io/json_rows.h"
#include "postrider/sparse/model.h"
#include "postrider/table_model.h"
#include "serve/served_model.h"

namespace postrider::cli {

class TableVersion final : public ModelVersion {
 public:
  explicit TableVersion(const std::string& path);

  const TableModel& model() const { return model_; }
  const FarRowWatch& far_rows() const { return far_rows_; }
  const std::string& description() const override { return description_; }
  std::string use() const override;
  std::string tensors(const std::string& name,
                      const std::vector<std::string>& versions) const override;
  std::vector<DriftWatch::Warning> drift() const override { return drift_.warnings(); }
  std::vector<HttpAnswer> predict(const std::vector<const std::string*>& bodies,
                                  const PredictionQuery& query) const override;

  // Readers of rows know the categories of all columns: they are made once, and lent.
  std::unique_ptr<JsonRows> borrow() const;
  void give_back(std::unique_ptr<JsonRows> rows) const;
  void watch(const Table& table) const { drift_.add(table); }

 private:
  TableModel model_;
  mutable DriftWindow drift_;
  FarRowWatch far_rows_;
  std::string description_;
  mutable std::mutex lock_;
  mutable std::vector<std::unique_ptr<JsonRows>> free_;
};

// --- A model of sparse rows, as a server holds it.

// Takes rows as LIBSVM's or Vowpal Wabbit's text, one a line.
class SparseVersion final : public ModelVersion {
 public:
  explicit SparseVersion(const std::string& path);

  const std::string& description() const override { return description_; }
  std::string use() const override;
  std::string tensors(const std::string& name,
                      const std::vector<std::string>& versions) const override;
  std::vector<DriftWatch::Warning> drift() const override { return {}; }
  std::vector<HttpAnswer> predict(const std::vector<const std::string*>& bodies,
                                  const PredictionQuery& query) const override;

 private:
  HttpAnswer predict(const std::string& body, const PredictionQuery& query) const;

  sparse::SparseModel model_;
  std::string description_;
};

}  // namespace postrider::cli

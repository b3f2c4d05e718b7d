// A model of sparse rows, as a server holds it.
#pragma once

#include <string>
#include <vector>

#include "postrider/sparse/model.h"
#include "serve/served_model.h"

namespace postrider::cli {

// Takes rows as LIBSVM's or Vowpal Wabbit's text, one a line.
class SparseVersion final : public ModelVersion {
 public:
  explicit SparseVersion(const std::string& path);

  const std::string& description() const override { return description_; }
  std::string use() const override;
  std::string tensors(const std::string& name,
                      const std::vector<std::string>& versions) const override;
  std::vector<DriftWarning> drift() const override { return {}; }
  std::vector<HttpAnswer> predict(const std::vector<const std::string*>& bodies,
                                  const PredictionQuery& query) const override;

 private:
  HttpAnswer predict(const std::string& body, const PredictionQuery& query) const;

  sparse::SparseModel model_;
  std::string description_;
};

}  // namespace postrider::cli

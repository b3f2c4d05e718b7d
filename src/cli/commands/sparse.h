// postrider sparse: linear models of sparse rows, from LIBSVM's or Vowpal Wabbit's text.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "postrider/sparse_model.h"

namespace postrider::cli {

struct SparseLearnRequest {
  std::string data, output;
  std::string resume;           // a model to go on with
  std::string format = "auto";  // auto, libsvm or vw
  SparseOptions options;
  bool force = false, quiet = false;
};
struct SparsePredictRequest {
  std::string model, data, output;
  std::string format = "auto";
  bool force = false;
};

struct SparseEvaluateRequest {
  std::string model, data;
  std::string format = "auto";
  bool json = false;
};

SparseFormat sparse_format_named(const std::string& name);  // as --format names it

ExitCode sparse_learn(const SparseLearnRequest& request);
ExitCode sparse_predict(const SparsePredictRequest& request);
ExitCode sparse_evaluate(const SparseEvaluateRequest& request);

}  // namespace postrider::cli

// postrider train: a table becomes a model.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/train_command.h"
#include "cli/data.h"
#include "cli/exit_code.h"
#include "cli/splits.h"

namespace postrider::cli {

struct TrainRequest {
  DataRequest data;
  std::string target;
  std::vector<std::string> categorical, numeric, ignore;
  std::vector<std::string> na;  // cells that are missing
  bool classify = false, regress = false;
  std::string output = "model.safetensors";
  bool force = false;  // replaces a file of another kind
  EstimatorOptions estimator = {.training = {.threads = 0, .checkpoint_every = 0}};
  std::string missing = "vague";
  bool indicators = false;
  bool no_profile = false;
  std::string time_budget, memory;  // such as 10m and 2G; empty: none
  bool dry_run = false;
  bool stream = false;
  SplitRequest split;
  std::string out_of_fold;                 // a file for predictions of rows that were held out
  std::vector<std::string> keys;           // columns that are written beside them
  std::string weights;                     // a column that says how often rows count
  std::vector<std::string> class_weights;  // "balanced", or "yes=2" for each class
  std::size_t shards = 0;  // training that is spread over processes; 0: it is not, but for mpirun
  double rows_in_flight = 0.01;
  double deadline = 600;  // seconds
  bool quiet = false, json = false;
  GivenOptions kept;  // of which the model's file is to tell

  void expect_possible() const;             // throws InvalidArgument
  TableOptions table_options() const;       // throws InvalidArgument
  TableModelOptions model_options() const;  // throws InvalidArgument
};

ExitCode train(const TrainRequest& request);

}  // namespace postrider::cli

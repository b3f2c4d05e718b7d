// postrider train: a table becomes a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/data.h"
#include "cli/exit_code.h"

namespace postrider::cli {

struct TrainRequest {
  DataRequest data;
  std::string target;
  std::vector<std::string> categorical, numeric, ignore;
  bool classify = false;
  std::string output = "model.safetensors";
  bool force = false;  // replaces a file of another kind
  std::vector<std::size_t> hidden{50, 50};
  std::size_t members = 0;
  std::size_t epochs = 40;
  std::size_t patience = 20;
  bool constant_noise = false;
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: all cores
  std::string missing = "vague";
  bool indicators = false;
  bool stream = false;
  std::string checkpoint;
  std::size_t checkpoint_every = 1;
  bool resume = false;
  double validation = 0;
  bool quiet = false, json = false;

  TableOptions table_options() const;       // throws InvalidArgument
  TableModelOptions model_options() const;  // throws InvalidArgument
};

ExitCode train(const TrainRequest& request);

}  // namespace postrider::cli

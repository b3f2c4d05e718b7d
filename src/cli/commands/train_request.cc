#include <utility>

#include "cli/budget.h"
#include "cli/class_weights.h"
#include "cli/commands/commands.h"
#include "cli/folds.h"
#include "io/output.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

void expect_possible_folds(const TrainRequest& request) {
  request.split.expect_possible();
  if (!request.keys.empty() && request.out_of_fold.empty())
    reject("--key", request.keys.front(),
           "needs --out-of-fold, the file that keys are written to; --ignore leaves a column out "
           "of the inputs");
  const std::size_t folds = request.split.folds;
  if (request.out_of_fold.empty() && folds == 0) return;
  if (folds == 0 && request.split.validation == 0)
    reject("--out-of-fold", request.out_of_fold,
           "needs --folds or --validation, by which rows are left out");
  if (folds < 2 && request.split.validation == 0) reject("--folds", folds, "must be at least 2");
  if (request.stream) reject("--folds", folds, "does not go with --stream");
  if (request.split.validation > 0 && folds > 0)
    reject("--folds", folds, "does not go with --validation, which leaves out rows, too");
  expect_writable({"--out-of-fold",
                   request.out_of_fold,
                   {request.data.path, request.output, request.estimator.training.checkpoint},
                   request.force},
                  out_of_fold_kind());
  if (request.out_of_fold == "-") reject("--out-of-fold", request.out_of_fold, "must name a file");
}

void expect_possible_shards(const TrainRequest& request) {
  if (request.shards == 0) return;
  if (request.stream) reject("--shards", request.shards, "does not go with --stream");
  if (request.split.folds > 0) reject("--shards", request.shards, "does not go with --folds");
  if (!(request.rows_in_flight > 0 && request.rows_in_flight <= 1))
    reject("--rows-in-flight", request.rows_in_flight, "must be above 0 and at most 1");
  if (!(request.deadline > 0)) reject("--deadline", request.deadline, "must be above 0");
}

// Rows that are learned once have no epochs.
void expect_stream_options(const EstimatorOptions& given) {
  for (const char* name : {"max_epochs", "patience", "damping", "store_budget", "checkpoint_every"})
    for (const OptionInfo& info : estimator_options())
      if (info.name == name &&
          get_option(given, name) != get_option(TrainRequest().estimator, name))
        reject(std::string(info.command_line), to_string(get_option(given, name)),
               "does not go with --stream, which learns each row once");
}

}  // namespace

void TrainRequest::expect_possible() const {
  expect_possible_shards(*this);
  if (estimator.training.resume && estimator.training.checkpoint.empty())
    throw InvalidArgument("--resume: needs --checkpoint FILE, the file to go on from");
  estimator.validate(Spelling::command_line);
  if (regress && classify)
    throw InvalidArgument("--regress: does not go with --classify; ask for one of both");
  if (stream && split.validation > 0)
    reject("--validation", split.validation, "does not go with --stream");
  for (const auto& [option, column] :
       {std::pair{"--time", split.time}, std::pair{"--group", split.group}})
    if (stream && !column.empty())
      reject(option, column,
             "does not go with --stream, which predicts each row before it learns it");
  const std::string& checkpoint = estimator.training.checkpoint;
  if (stream && !checkpoint.empty())
    reject("--checkpoint", checkpoint, "does not go with --stream");
  const std::string& from = data.path;
  expect_possible_memory("--memory", memory, stream, estimator.training.store_budget);
  if (output.empty()) reject("--output", output, "must name a file, or be -");
  expect_writable({"--output", output, {from}, force}, model_kind());
  if (shards == 0)  // else it is a folder
    expect_writable({"--checkpoint", checkpoint, {from, output}, force}, checkpoint_kind());
  expect_possible_folds(*this);
  if (stream) expect_stream_options(estimator);
}

TableOptions TrainRequest::table_options() const {
  TableOptions out = data.options();
  out.target = target;
  out.classify = classify;
  out.regress = regress;
  out.categorical = categorical;
  out.numeric = numeric;
  out.ignored = ignore;
  out.na = na;
  out.keys = keys;
  if (!split.time.empty()) out.keys.push_back(split.time);
  if (!split.group.empty()) keep_group(split.group, out);
  out.weights = weights;
  return out;
}

TableModelOptions TrainRequest::model_options() const {
  TableModelOptions out;
  if (missing == "mean")
    out.missing = MissingInputs::mean;
  else if (missing != "vague")
    reject("--missing", missing, "must be vague or mean");
  out.indicators = indicators;
  out.profile = !no_profile;
  out.estimator = estimator;
  out.class_weights = class_weights_of(class_weights);
  out.words = words_of(kept);
  return out;
}

}  // namespace postrider::cli

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/train.h"
#include "io/output.h"
#include "postrider/budget.h"
#include "postrider/error.h"
#include "text/model_facts.h"
#include "text/text_table.h"

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
  estimator.validate(OptionInfo::Spelling::command_line);
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
    out.missing = TableModelOptions::Missing::mean;
  else if (missing != "vague")
    reject("--missing", missing, "must be vague or mean");
  out.indicators = indicators;
  out.profile = !no_profile;
  out.estimator = estimator;
  out.class_weights = class_weights_of(class_weights);
  out.words = words_of(kept);
  return out;
}

namespace {

// The file tells of these, as of all options of estimators.
constexpr std::array<std::string_view, 7> kTold{"target",     "ignore",     "na",    "missing",
                                                "indicators", "no-profile", "stream"};
// The model does not depend on these, or by what the file tells: how much memory there is becomes a store budget.
constexpr std::array<std::string_view, 10> kWithoutEffect{
    "output", "force",       "out-of-fold", "key",   "deadline",
    "memory", "time-budget", "dry-run",     "quiet", "json"};

bool is_of_estimators(const std::string& name) {
  return std::ranges::any_of(estimator_options(), [&](const OptionInfo& info) {
    const std::string flags = std::string(info.command_line) + ",";
    return flags.find("--" + name + ",") != std::string::npos;
  });
}

bool is_kept(const CLI::Option& option) {
  if (option.count() == 0 || option.get_lnames().empty()) return false;
  const std::string& name = option.get_lnames().front();
  return name != "help" && std::ranges::find(kTold, name) == kTold.end() &&
         std::ranges::find(kWithoutEffect, name) == kWithoutEffect.end() && !is_of_estimators(name);
}

}  // namespace

GivenOptions options_to_keep(const CLI::App& train) {
  GivenOptions out;
  for (const CLI::Option* option : train.get_options()) {
    if (!is_kept(*option)) continue;
    const std::string name = "--" + option->get_lnames().front();
    const std::string value = listed(option->results(), ",");
    const bool is_flag = option->get_items_expected_max() == 0;
    if (is_flag ? value == "true" : value != option->get_default_str())
      out[name] = is_flag ? "" : value;
  }
  return out;
}

std::vector<std::string> words_of(const GivenOptions& given) {
  std::vector<std::string> out;
  for (const auto& [name, value] : given)
    if (value.empty())
      out.push_back(name);
    else
      add_option_words(name, value, out);
  return out;
}

TableModelOptions::ClassWeights class_weights_of(const std::vector<std::string>& words) {
  TableModelOptions::ClassWeights out;
  for (const std::string& word : words) {
    const std::size_t at = word.rfind('=');
    double weight = 0;
    const char* const end = word.data() + word.size();
    if (words.size() == 1 && word == "balanced")
      out.balanced = true;
    else if (at == std::string::npos ||
             std::from_chars(word.data() + at + 1, end, weight).ptr != end || at + 1 == word.size())
      reject("--class-weights", word, "must be balanced, or a weight for each class: yes=2,no=1");
    else
      out.by_class[word.substr(0, at)] = weight;
  }
  return out;
}

void expect_possible_memory(const std::string& option, const std::string& text, bool is_stream,
                            std::size_t store_budget) {
  if (text.empty()) return;
  bytes_of(option, text);
  if (is_stream) reject(option, text, "does not go with --stream, whose memory is constant");
  if (store_budget > 0) reject(option, text, "does not go with --store-budget");
}

TimeBudget time_budget(const std::string& option, const std::string& text) {
  return text.empty() ? TimeBudget() : TimeBudget(seconds_of(option, text));
}

}  // namespace postrider::cli

// What a fitted estimator is made of, and its file.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/standardise.h"
#include "data/target_scales.h"
#include "encode/input_encoding.h"
#include "estimator/conformal_scores.h"
#include "estimator/ensemble.h"
#include "estimator/stream_bank.h"
#include "postrider/estimator.h"
#include "postrider/estimator_options.h"

namespace postrider::internal {

// The last is a regressor whose noise depends on the inputs.
enum class ModelKind { regressor, classifier, varying_noise };

// Rows that a stream began with, kept until there are enough of them to set the scales.
struct StreamStart {
  std::vector<double> inputs, targets, sample_weights;  // no weights if all are 1
  std::size_t count = 0;
};

class LearnedShape;
struct LeftOutSample;

struct FittedModel {
  ModelKind kind;
  std::vector<Member> members;  // their noise is per output, or one for the other kinds
  Scales inputs;                // of columns
  TargetScales targets;         // of a classifier none
  double temperature = 1;       // of a classifier; see class_temperature()
  // What standard deviations of numeric targets that are due to beliefs are multiplied by. Members are unsure of themselves,
  // each by as much as it misses rows that it has not learned; their mean misses less.
  double epistemic_scale = 1;
  std::size_t rows_learned = 0;
  StreamStart start = {};                         // empty once the scales are set
  std::map<std::string, std::string> notes = {};  // of the file: what others keep with the model
  InputEncoding encoding = {};                    // how columns become the networks' inputs
  // For each numeric target, from the rows of fit(); none for a stream, nor for training that was spread.
  std::vector<LeftOutScores> left_out = {};
  ScoresOfRows left_out_rows =
      {};  // of a single target, for whoever has trained it: files do not keep them
  // How well rows were predicted that were not learned; none of a stream.
  std::optional<Estimator::OutOfFoldScore> out_of_fold = {};
  std::vector<StreamReach> reach = {};  // of each numeric target, once it has learned from a stream
  std::optional<StreamBank> bank = {};  // once it has learned from a stream
  std::shared_ptr<const LearnedShape> learned_shape =
      {};  // of a numeric target; none: distributions are as the networks say
  // Rows by which columns are judged, for whoever has trained it; none of a file.
  std::shared_ptr<const LeftOutSample> left_out_sample = {};

  const network::NetworkOptions& shape() const { return members.front().network.options(); }
  const Member& member(std::size_t index) const;  // throws InvalidArgument if there is none
};

// A model and the options it goes on learning with.
struct StoredModel {
  FittedModel model;
  EstimatorOptions options;
};

// A safetensors file: per member and layer `members.<m>.layers.<l>.tau` and `.rho`, units by inputs
// with the bias last, the priors beside them, and the scales. Kind and shape of the networks are in
// the metadata, and so are the notes, as `notes.<key>`: these ones, not the model's.
void write_model(const std::string& path, const FittedModel& model, const EstimatorOptions& options,
                 const std::map<std::string, std::string>& notes = {});
void write_model(std::ostream& to, const FittedModel& model, const EstimatorOptions& options,
                 const std::map<std::string, std::string>& notes = {});
// Throws Error, also if the model is of none of these kinds.
StoredModel read_model(const std::string& path, const std::vector<ModelKind>& kinds);
StoredModel read_model(std::istream& from, const std::vector<ModelKind>& kinds);
// The kind of model in a file, without reading all of it. Throws Error.
ModelKind read_model_kind(const std::string& path);
ModelKind read_model_kind(const std::string& bytes, const std::string& called);

}  // namespace postrider::internal

#include "estimator/learned_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/golden_section.h"
#include "data/kept_inputs.h"
#include "estimator/fitting.h"
#include "estimator/predictive.h"
#include "estimator/row_scores.h"
#include "estimator/state.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Fewer rows tell little: of three sets with 300 to 1,500 rows none gained 0.02 nats.
constexpr std::size_t kFewestRows = 2000;
constexpr std::size_t kBins = 16;
constexpr std::size_t kUnits = 20, kMembers = 8;
// Epochs at most: so many rows in all, within bounds. Training ends before where rows that are left out are predicted no better.
constexpr std::size_t kRowsOfAllEpochs = 50'000, kFewestEpochs = 5, kMostEpochs = 25;
// The density keeps this share of what was predicted, at least: no bin can be ruled out.
constexpr double kMostShare = 0.98;
constexpr int kShareSteps = 20;
// By how much rows that were left out must be predicted better: in nats, and in standard errors.
constexpr double kLeastGain = 0.005, kClear = 3;
constexpr double kLeastBelow = 1e-12;  // F(y) is never 0 nor 1 but for rounding

// The columns, and two besides: mean and logarithm of the standard deviation of what is predicted.
struct Summary {
  double mean, log_deviation;
};

Summary summary_of(std::span<const Outlook> members) {
  double mean = 0, squares = 0, all = 0;
  for (const Outlook& each : members) {
    mean += each.share * each.mean;
    squares += each.share * (each.variance + each.noise() + each.mean * each.mean);
    all += each.share;
  }
  mean /= all;
  return {mean, 0.5 * std::log(std::max(squares / all - mean * mean, 1e-300))};
}

// With the two columns at the end, in the form that the rows have.
class WidenedRows {
 public:
  WidenedRows(const Inputs& rows, std::span<const Outlook> outlooks)
      : count_(rows.rows()), columns_(rows.columns() + 2) {
    const std::size_t members = count_ > 0 ? outlooks.size() / count_ : 1;
    for (std::size_t row = 0; row < count_; ++row) {
      const Summary found = summary_of(outlooks.subspan(row * members, members));
      add(rows, row);
      add(rows.columns(), found.mean, rows.is_sparse());
      add(rows.columns() + 1, found.log_deviation, rows.is_sparse());
      if (rows.is_sparse()) sparse_.end_row();
    }
    is_sparse_ = rows.is_sparse();
    sparse_.columns = columns_;
    sparse_.keeps_zeros = rows.keeps_zeros();
  }

  operator Inputs() const {
    return is_sparse_ ? Inputs(sparse_) : Inputs(dense_, count_, columns_);
  }

 private:
  void add(const Inputs& rows, std::size_t row) {
    const std::size_t begin = rows.is_sparse() ? rows.begins()[row] : row * rows.columns();
    const std::size_t end = rows.is_sparse() ? rows.begins()[row + 1] : begin + rows.columns();
    for (std::size_t at = begin; at < end; ++at)
      add(rows.is_sparse() ? rows.places()[at] : 0, rows.values()[at], rows.is_sparse());
  }
  void add(std::size_t column, double value, bool is_sparse) {
    if (is_sparse)
      sparse_.add(column, value);
    else
      dense_.push_back(value);
  }

  std::size_t count_, columns_;
  bool is_sparse_ = false;
  std::vector<double> dense_;
  SparseInputs sparse_;
};

EstimatorOptions classifier_options(const EstimatorOptions& of, Encoding encoding,
                                    std::size_t rows) {
  EstimatorOptions out;
  out.training.threads = of.training.threads;
  out.training.store_budget = of.training.store_budget;
  out.training.seed = of.training.seed + 1;
  out.training.max_epochs = std::clamp(kRowsOfAllEpochs / rows, kFewestEpochs, kMostEpochs);
  out.precision = of.precision;
  out.encoding = encoding;
  out.hidden = {kUnits};
  out.ensemble_size = kMembers;
  out.classes = kBins;
  return out;
}

// Judged rows whose target is there, with what was predicted of them.
struct JudgedRows {
  std::vector<std::uint32_t> rows;
  std::vector<Outlook> outlooks;
  std::vector<double> below, log_density, weights;
  std::vector<std::uint32_t> groups;

  std::size_t count() const { return rows.size(); }
};

JudgedRows judged_rows(const FittedModel& model, const Examples& rows,
                       std::span<const double> told_targets, const HonestPredictions& honest,
                       Workers& workers) {
  const std::vector<Outlook> all = outlooks_of(model, honest.of_members, honest.unknown);
  const std::size_t members = model.members.size();
  JudgedRows out;
  for (std::size_t k = 0; k < honest.rows.size(); ++k) {
    const std::uint32_t row = honest.rows[k];
    if (std::isnan(told_targets[row])) continue;
    out.rows.push_back(row);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * members);
    out.outlooks.insert(out.outlooks.end(), first, first + static_cast<std::ptrdiff_t>(members));
    out.weights.push_back(rows.sample_weights.empty() ? 1 : rows.sample_weights[row]);
    if (!rows.groups.empty()) out.groups.push_back(rows.groups[row]);
  }
  out.below.resize(out.count());
  out.log_density.resize(out.count());
  workers.run(out.count(), [&](std::size_t k) {
    const auto at = std::span(out.outlooks).subspan(k * members, members);
    const double told = told_targets[out.rows[k]];
    out.below[k] = std::clamp(Mixture(at).below(told), kLeastBelow, 1 - kLeastBelow);
    out.log_density[k] = mixed_log_density(at, told);
  });
  return out;
}

double bin_of(double below) {
  const auto bins = static_cast<double>(kBins);
  return std::min(std::floor(below * bins), bins - 1);
}

// What rows that were left out gain by a share of the shape.
class Gains {
 public:
  Gains(const JudgedRows& judged, const RowProbabilities& found) : judged_(judged), found_(found) {}

  double of(std::size_t k, double share) const {
    return std::log(shape(k, share).density(judged_.below[found_.rows[k]]));
  }
  WeightedMean all(double share) const {
    WeightedMean out;
    for (std::size_t k = 0; k < found_.rows.size(); ++k)
      out.add(of(k, share), judged_.weights[found_.rows[k]]);
    return out;
  }
  UnitDensity shape(std::size_t k, double share) const {
    return {std::span(found_.probabilities).subspan(k * found_.classes, found_.classes), share};
  }

 private:
  const JudgedRows& judged_;
  const RowProbabilities& found_;
};

// The judgement of a model with this shape, by the rows that both the networks and the classifier leave out.
void judge_anew(FittedModel& model, const Examples& rows, const JudgedRows& judged,
                const RowProbabilities& found, double share) {
  const Gains gains(judged, found);
  WeightedMean mean;
  std::vector<double> scores, weights;
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    const std::uint32_t at = found.rows[k];
    const double target = rows.targets[judged.rows[at]];
    mean.add(
        judged.log_density[at] + gains.of(k, share) + model.targets.column(0).log_slope(target),
        judged.weights[at]);
    scores.push_back(score_of(gains.shape(k, share).below(judged.below[at])));
    weights.push_back(judged.weights[at]);
  }
  model.out_of_fold = mean.score();
  model.left_out = {LeftOutScores(std::move(scores), weights)};
}

}  // namespace

LearnedShape::LearnedShape(StoredModel classifier, double share)
    : classifier_(std::move(classifier)), share_(share), ensemble_(states_of(classifier_.model)) {
  if (!(share > 0 && share <= kMostShare))
    reject("shape.share", share, "must be above 0 and at most 0.98");
}

std::vector<UnitDensity> LearnedShape::at(const Inputs& rows, std::span<const Outlook> outlooks,
                                          Workers& workers) const {
  const FittedModel& model = classifier_.model;
  const WidenedRows widened(rows, outlooks);
  const std::vector<double> probabilities =
      predicted_probabilities(model, ensemble_, model.encoding.encoded(widened), workers);
  const std::size_t bins = rows.rows() > 0 ? probabilities.size() / rows.rows() : 0;
  std::vector<UnitDensity> out;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    out.emplace_back(std::span(probabilities).subspan(row * bins, bins), share_);
  return out;
}

bool can_learn_shape(const EstimatorOptions& options, const FittedModel& model,
                     const HonestPredictions& honest) {
  return options.learned_shape && model.kind != ModelKind::classifier &&
         model.targets.columns() == 1 && options.noise_std.empty() &&
         options.training.learn_noise && options.training.effort != TrainerOptions::Effort::quick &&
         honest.rows.size() >= kFewestRows;
}

void learn_shape(const EstimatorOptions& options, Encoding encoding, FittedModel& model,
                 const Examples& rows, std::span<const double> told_targets,
                 const HonestPredictions& honest, Workers& workers,
                 const TrainingCallbacks& callbacks) {
  const JudgedRows judged = judged_rows(model, rows, told_targets, honest, workers);
  const OwnedInputs inputs(rows.inputs,
                           std::vector<std::size_t>(judged.rows.begin(), judged.rows.end()));
  const WidenedRows widened(inputs, judged.outlooks);
  std::vector<double> bins;
  for (const double below : judged.below) bins.push_back(bin_of(below));
  EstimatorState head(classifier_options(options, encoding, judged.count()),
                      OptionInfo::Scope::classes);
  const std::span<const double> weights =
      rows.sample_weights.empty() ? std::span<const double>() : judged.weights;
  Fitting fitting(head, {widened, bins, weights, judged.groups},
                  {encoding, EstimatorOptions::TargetScale::plain});
  TrainingCallbacks own;
  own.interrupted = callbacks.interrupted;
  fitting.train(kAllEpochs, own);
  const RowProbabilities found = fitting.left_out_probabilities();
  fitting.finish();
  if (found.rows.size() < kFewestRows || !head.fitted) return;
  const Gains gains(judged, found);
  const double share =
      golden_section(0.0, kMostShare, kShareSteps, [&](double w) { return gains.all(w).mean(); });
  const WeightedMean gain = gains.all(share);
  if (!(gain.mean() >= kLeastGain && gain.mean() >= kClear * gain.standard_error())) return;
  judge_anew(model, rows, judged, found, share);
  model.learned_shape = std::make_shared<const LearnedShape>(
      StoredModel{std::move(*head.fitted), head.options}, share);
}

}  // namespace postrider::internal

#include "estimator/learned_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/golden_section.h"
#include "base/random.h"
#include "data/kept_inputs.h"
#include "estimator/fitting.h"
#include "estimator/learned_neighbours.h"
#include "estimator/predictive.h"
#include "estimator/row_scores.h"
#include "estimator/state.h"
#include "estimator/target_score.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Fewer rows tell bins little: of three sets with 300 to 1,500 rows none gained 0.02 nats.
constexpr std::size_t kFewestRows = 2000;
constexpr std::size_t kBins = 16;
constexpr std::size_t kUnits = 20, kMembers = 8;
// Epochs at most: so many rows in all, within bounds. Training ends before where rows that are left out are predicted no better.
constexpr std::size_t kRowsOfAllEpochs = 50'000, kFewestEpochs = 5, kMostEpochs = 25;
// The density keeps this share of what was predicted, at least: no bin can be ruled out.
constexpr double kMostShare = 0.98;
constexpr int kShareSteps = 20;
constexpr double kLeastGain = 0.005;  // nats, that a few epochs must leave open
constexpr std::uint64_t kPlaceInCell = std::uint64_t{1} << 40;  // a stream for each row
constexpr double kLeastBelow = 1e-12;  // F(y) is never 0 nor 1 but for rounding

// Mean and logarithm of the standard deviation of what is predicted.
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

// Rows in their form, with columns at the end: mean and logarithm of the standard deviation of what is predicted and, where neighbours
// say something, of the normal score by them.
class WidenedRows {
 public:
  WidenedRows(const Inputs& rows, std::span<const Outlook> outlooks,
              std::span<const LocalNormal> neighbours)
      : count_(rows.rows()), columns_(rows.columns() + columns_besides(!neighbours.empty())) {
    const std::size_t members = count_ > 0 ? outlooks.size() / count_ : 1;
    is_sparse_ = rows.is_sparse();
    sparse_.columns = columns_;
    sparse_.keeps_zeros = rows.keeps_zeros();
    for (std::size_t row = 0; row < count_; ++row) {
      const Summary found = summary_of(outlooks.subspan(row * members, members));
      add(rows, row);
      add(rows.columns(), found.mean);
      add(rows.columns() + 1, found.log_deviation);
      if (!neighbours.empty()) {
        add(rows.columns() + 2, neighbours[row].mean());
        add(rows.columns() + 3, std::log(neighbours[row].deviation()));
      }
      if (is_sparse_) sparse_.end_row();
    }
  }

  operator Inputs() const {
    return is_sparse_ ? Inputs(sparse_) : Inputs(dense_, count_, columns_);
  }

 private:
  void add(const Inputs& rows, std::size_t row) {
    const std::size_t begin = is_sparse_ ? rows.begins()[row] : row * rows.columns();
    const std::size_t end = is_sparse_ ? rows.begins()[row + 1] : begin + rows.columns();
    for (std::size_t at = begin; at < end; ++at)
      add(is_sparse_ ? rows.places()[at] : 0, rows.values()[at]);
  }
  void add(std::size_t column, double value) {
    if (is_sparse_)
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
  std::vector<double> below, log_score, weights;
  std::vector<UnitCell> cells;
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
  out.cells.resize(out.count());
  out.log_score.resize(out.count());
  const TargetColumn& column = model.targets.column(0);
  workers.run(out.count(), [&](std::size_t k) {
    const auto at = std::span(out.outlooks).subspan(k * members, members);
    const std::uint32_t row = out.rows[k];
    const Mixture mixture(at);
    out.below[k] = std::clamp(mixture.below(told_targets[row]), kLeastBelow, 1 - kLeastBelow);
    out.cells[k] = cell_of(column, mixture, rows.targets[row]);
    out.log_score[k] = log_score(column, at, rows.targets[row]);
  });
  return out;
}

double bin_of(double below) {
  const auto bins = static_cast<double>(kBins);
  return std::min(std::floor(below * bins), bins - 1);
}

// What rows that the classifier leaves out gain by a share of its bins.
class Gains {
 public:
  Gains(const JudgedRows& judged, const RowProbabilities& found) : judged_(judged), found_(found) {}

  WeightedMean all(double share) const {
    WeightedMean out;
    for (std::size_t k = 0; k < found_.rows.size(); ++k) {
      const std::uint32_t row = found_.rows[k];
      const double ratio = density_ratio(shape(k, share), judged_.cells[row], judged_.below[row]);
      out.add(std::log(ratio), judged_.weights[row]);
    }
    return out;
  }
  // The one by which rows gain most.
  double best_share() const {
    return golden_section(0.0, kMostShare, kShareSteps, [&](double w) { return all(w).mean(); });
  }
  UnitDensity shape(std::size_t k, double share) const {
    return {std::span(found_.probabilities).subspan(k * found_.classes, found_.classes), share};
  }

 private:
  const JudgedRows& judged_;
  const RowProbabilities& found_;
};

// From now on what neighbours say counts as predicted.
void follow(std::span<const LocalNormal> neighbours, JudgedRows& judged) {
  for (std::size_t k = 0; k < judged.count(); ++k) {
    double& below = judged.below[k];
    UnitCell& cell = judged.cells[k];
    judged.log_score[k] += std::log(density_ratio(neighbours[k], cell, below));
    below = std::clamp(neighbours[k].below(below), kLeastBelow, 1 - kLeastBelow);
    cell = bent_cell(neighbours[k], cell);
  }
}

// Rows that the classifier leaves out, as its bins bend what is predicted of them; no others judge them.
JudgedRows bent(const JudgedRows& judged, const RowProbabilities& found, double share) {
  const Gains gains(judged, found);
  JudgedRows out;
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    const std::uint32_t at = found.rows[k];
    const UnitDensity shape = gains.shape(k, share);
    out.rows.push_back(judged.rows[at]);
    out.weights.push_back(judged.weights[at]);
    out.log_score.push_back(judged.log_score[at] +
                            std::log(density_ratio(shape, judged.cells[at], judged.below[at])));
    out.below.push_back(shape.below(judged.below[at]));
  }
  return out;
}

// The judgement of a model with a shape, by rows that all of its parts have left out.
void judge_anew(FittedModel& model, const JudgedRows& judged) {
  WeightedMean mean;
  std::vector<double> scores;
  model.left_out_rows = {};
  for (std::size_t k = 0; k < judged.count(); ++k) {
    mean.add(judged.log_score[k], judged.weights[k]);
    scores.push_back(score_of(judged.below[k]));
    model.left_out_rows.add(judged.rows[k], scores.back());
  }
  model.out_of_fold = mean.score();
  model.left_out = {LeftOutScores(std::move(scores), judged.weights)};
}

// Teaches a classifier of bins, and bends what is predicted of judged rows; none where these do not say clearly that it helps.
std::unique_ptr<const BinShape> learned_bins(const EstimatorOptions& options, Encoding encoding,
                                             const Inputs& widened, bool is_weighted,
                                             JudgedRows& judged,
                                             const TrainingCallbacks& callbacks) {
  if (judged.count() < kFewestRows) return {};
  // Where a target has a cell, somewhere in it: were it always the middle, bins would learn where middles are.
  std::vector<double> bins;
  for (std::size_t k = 0; k < judged.count(); ++k) {
    const UnitCell& cell = judged.cells[k];
    RandomStream random(options.training.seed, kPlaceInCell + judged.rows[k]);
    const bool is_point = cell.width() < kLeastMass;
    bins.push_back(bin_of(is_point ? judged.below[k] : random.uniform(cell.below, cell.up_to)));
  }
  EstimatorState head(classifier_options(options, encoding, judged.count()),
                      OptionInfo::Scope::classes);
  const std::span<const double> weights =
      is_weighted ? std::span<const double>(judged.weights) : std::span<const double>();
  Fitting fitting(head, {widened, bins, weights, judged.groups},
                  {encoding, EstimatorOptions::TargetScale::plain});
  TrainingCallbacks own;
  own.interrupted = callbacks.interrupted;
  // A few epochs show where there is nothing to be learned, most often.
  fitting.train(kFewestEpochs, own);
  if (fitting.has_stretches()) {
    const RowProbabilities early = fitting.left_out_probabilities();
    if (early.rows.empty()) return {};
    const Gains gains(judged, early);
    if (!gains.all(gains.best_share()).may_be(kLeastGain)) return {};
    fitting.train(kAllEpochs, own);
  }
  const RowProbabilities found = fitting.left_out_probabilities();
  fitting.finish();
  if (found.rows.size() < kFewestRows || !head.fitted) return {};
  const Gains gains(judged, found);
  const double share = gains.best_share();
  if (!gains.all(share).is_clear()) return {};
  judged = bent(judged, found, share);
  return std::make_unique<const BinShape>(StoredModel{std::move(*head.fitted), head.options},
                                          share);
}

}  // namespace

BinShape::BinShape(StoredModel classifier, double share)
    : classifier_(std::move(classifier)), share_(share), ensemble_(states_of(classifier_.model)) {
  if (!(share > 0 && share <= kMostShare))
    reject("shape.share", share, "must be above 0 and at most 0.98");
}

std::vector<UnitDensity> BinShape::at(const Inputs& widened, Workers& workers) const {
  const FittedModel& model = classifier_.model;
  const std::vector<double> probabilities =
      predicted_probabilities(model, ensemble_, model.encoding.encoded(widened), workers);
  const std::size_t bins = widened.rows() > 0 ? probabilities.size() / widened.rows() : 0;
  std::vector<UnitDensity> out;
  for (std::size_t row = 0; row < widened.rows(); ++row)
    out.emplace_back(std::span(probabilities).subspan(row * bins, bins), share_);
  return out;
}

LearnedShape::LearnedShape(std::optional<ResidualNeighbours> neighbours,
                           std::unique_ptr<const BinShape> bins, std::size_t rows_learned)
    : neighbours_(std::move(neighbours)), bins_(std::move(bins)), rows_learned_(rows_learned) {}

bool LearnedShape::suits(std::size_t rows_learned) const {
  constexpr std::size_t kParts = 10;
  return rows_learned <= rows_learned_ + rows_learned_ / kParts;
}

std::vector<UnitShape> LearnedShape::at(const Inputs& rows, std::span<const Outlook> outlooks,
                                        Workers& workers) const {
  std::vector<LocalNormal> near;
  if (neighbours_) near = neighbours_->at(rows, workers);
  std::vector<UnitDensity> bent;
  if (bins_) bent = bins_->at(WidenedRows(rows, outlooks, near), workers);
  std::vector<UnitShape> out;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    out.emplace_back(near.empty() ? std::nullopt : std::optional(near[row]),
                     bent.empty() ? std::nullopt : std::optional(std::move(bent[row])));
  return out;
}

bool can_learn_shape(const EstimatorOptions& options, const FittedModel& model,
                     const HonestPredictions& honest) {
  return options.learned_shape && model.kind != ModelKind::classifier &&
         model.targets.columns() == 1 && options.noise_std.empty() &&
         options.training.learn_noise && options.training.effort != TrainerOptions::Effort::quick &&
         !honest.rows.empty();
}

void learn_shape(const EstimatorOptions& options, Encoding encoding, FittedModel& model,
                 const Examples& rows, std::span<const double> told_targets,
                 const HonestPredictions& honest, Workers& workers,
                 const TrainingCallbacks& callbacks) {
  JudgedRows judged = judged_rows(model, rows, told_targets, honest, workers);
  const OwnedInputs owned(rows.inputs,
                          std::vector<std::size_t>(judged.rows.begin(), judged.rows.end()));
  const Inputs inputs = owned;
  std::optional<LearnedNeighbours> found =
      learn_neighbours({inputs, judged.below, judged.cells, judged.weights, judged.groups}, workers,
                       callbacks.interrupted);
  std::vector<LocalNormal> near;
  if (found) near = std::move(found->of_rows);
  const WidenedRows widened(inputs, judged.outlooks, near);
  if (found) follow(near, judged);
  std::unique_ptr<const BinShape> bins =
      learned_bins(options, encoding, widened, !rows.sample_weights.empty(), judged, callbacks);
  if (!found && !bins) return;
  judge_anew(model, judged);
  model.learned_shape = std::make_shared<const LearnedShape>(
      found ? std::optional(std::move(found->neighbours)) : std::nullopt, std::move(bins),
      rows.count());
}

}  // namespace postrider::internal

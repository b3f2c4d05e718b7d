#include "estimator/trials.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/shuffle.h"
#include "data/kept_inputs.h"
#include "postrider/classifier.h"
#include "postrider/error.h"
#include "postrider/regressor.h"

namespace postrider {
namespace {

// Fewer rows cannot tell ways apart.
constexpr std::size_t kFewestRowsTried = 200;
// What a trial has: rows, of which two thirds are learned, epochs and members. Where rows are few, every third is left out
// in turn, and epochs are many: what is learned fast need not be what is best in the end. With more classes than this, which
// take longer, there are fewer rows.
constexpr std::size_t kMostRows = 6000, kFewRows = 1500, kParts = 3, kMembers = 4;
constexpr std::size_t kEpochs = 20, kManyEpochs = 150;
constexpr std::size_t kManyClasses = 10;
// The width of a hidden layer: wider ones would take long, and what suits the columns does not depend on it.
constexpr std::size_t kMostUnits = 50;
// Standard errors of a difference that is more than chance.
constexpr double kClearly = 2;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kTrialStream = 0xe4c0de;

// Rows that are learned, or that are predicted.
struct TrialRows {
  TrialRows(const EstimatorRows& all, const std::vector<std::size_t>& rows)
      : inputs(all.inputs, all.columns(), rows),
        targets(picked(all.targets, rows, all.targets.size() / all.count)),
        weights(picked(all.sample_weights, rows, 1)) {
    if (!all.groups.empty())
      for (const std::size_t row : rows) groups.push_back(all.groups[row]);
  }

  std::vector<std::size_t> labels() const { return {targets.begin(), targets.end()}; }

  KeptInputs inputs;
  std::vector<double> targets, weights;
  std::vector<std::uint32_t> groups;
};

// The log-likelihood of each row that is predicted.
std::vector<double> scores_of(ModelKind kind, const EstimatorOptions& options,
                              const TrialRows& learned, const TrialRows& predicted,
                              const TrainingCallbacks& callbacks) {
  if (kind != ModelKind::classifier) {
    Regressor model(options);
    model.fit(learned.inputs, learned.targets, learned.weights, callbacks, learned.groups);
    return model.distributions(predicted.inputs).log_densities(predicted.targets);
  }
  Classifier model(options);
  model.fit(learned.inputs, learned.labels(), learned.weights, callbacks, learned.groups);
  const std::vector<double> probabilities = model.predict_probabilities(predicted.inputs);
  const std::vector<std::size_t> labels = predicted.labels();
  std::vector<double> out;
  for (std::size_t row = 0; row < labels.size(); ++row)
    out.push_back(std::log(probabilities[row * options.classes + labels[row]]));
  return out;
}

// A part of the rows is left out; of rows that belong together all are, or none.
Fold without_part(const std::vector<std::size_t>& rows, std::span<const std::uint32_t> groups,
                  std::size_t part) {
  Fold out;
  std::map<std::uint32_t, std::size_t> numbers;  // of groups, as they come
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t place =
        groups.empty() ? i : numbers.emplace(groups[rows[i]], numbers.size()).first->second;
    (place % kParts == part ? out.left_out : out.learned).push_back(rows[i]);
  }
  return out;
}

// Fewer groups cannot be left out in turn.
bool has_groups_for_parts(std::span<const std::uint32_t> groups) {
  return std::set(groups.begin(), groups.end()).size() >= 2 * kParts;
}

// Where classes have few rows each, trials would tell little and take long.
std::size_t fewest_rows_for(std::size_t classes) {
  constexpr std::size_t kManyInAll = 50, kRowsOfEach = 10;
  return classes > kManyInAll ? kRowsOfEach * classes : 0;
}

}  // namespace

std::size_t classes_in(const EstimatorState& state, const EstimatorRows& rows) {
  if (state.kind() != ModelKind::classifier) return 0;
  return static_cast<std::size_t>(*std::ranges::max_element(rows.targets)) + 1;
}

Trials::Trials(const EstimatorState& state, const EstimatorRows& rows,
               const std::function<bool()>& interrupted)
    : state_(state), rows_(rows), interrupted_(interrupted) {
  if (!can_tell()) return;
  classes_ = std::max<std::size_t>({2, classes_in(state, rows), state.options.classes});
  RandomStream random(state.options.training.seed, kTrialStream);
  std::vector<std::size_t> order = random_order(rows.count, random);
  order.resize(std::min(order.size(), kMostRows * kManyClasses / std::max(kManyClasses, classes_)));
  const std::size_t parts = order.size() <= kFewRows ? kParts : 1;
  for (std::size_t part = 0; part < parts; ++part)
    folds_.push_back(without_part(order, rows.groups, part));
}

double TrialScore::mean() const {
  if (rows_.empty()) return -std::numeric_limits<double>::infinity();
  return std::accumulate(rows_.begin(), rows_.end(), 0.0) / static_cast<double>(rows_.size());
}

bool TrialScore::is_clearly_above(const TrialScore& other) const {
  const double difference = mean() - other.mean();
  if (!std::isfinite(other.mean())) return difference > 0;
  if (!(difference > 0)) return false;
  double squares = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double own = rows_[row] - other.rows_[row] - difference;
    squares += own * own;
  }
  const auto count = static_cast<double>(rows_.size());
  return difference > kClearly * std::sqrt(squares) / count;
}

bool Trials::can_tell() const {
  return rows_.count >= kFewestRowsTried &&
         rows_.count >= fewest_rows_for(classes_in(state_, rows_)) &&
         (rows_.groups.empty() || has_groups_for_parts(rows_.groups));
}

EstimatorOptions Trials::small(const std::function<void(EstimatorOptions&)>& way) const {
  EstimatorOptions out = state_.options;
  way(out);
  for (std::size_t& units : out.hidden) units = std::min(units, kMostUnits);
  out.ensemble_size = kMembers;  // whatever is asked for, so that the choice does not depend on it
  if (state_.kind() == ModelKind::classifier) {
    out.target_scale = EstimatorOptions().target_scale;  // there is none
    out.calibration_share = 0;
    // A rare class may be among the rows that are predicted, and not among those that are learned.
    out.classes = classes_;
  }
  TrainerOptions& training = out.training;
  const std::size_t most = folds_.size() > 1 ? kManyEpochs : kEpochs;
  training.max_epochs = training.max_epochs == 0 ? most : std::min(training.max_epochs, most);
  training.checkpoint.clear();
  training.resume = false;
  training.store = Store::memory;
  training.store_path.clear();
  return out;
}

TrialScore Trials::score(const std::function<void(EstimatorOptions&)>& way) const try {
  const EstimatorOptions options = small(way);
  std::vector<double> rows;
  for (const Fold& fold : folds_) {
    if (is_interrupted()) return {};
    const TrialRows to_learn(rows_, fold.learned), to_predict(rows_, fold.left_out);
    const std::vector<double> own =
        scores_of(state_.kind(), options, to_learn, to_predict, {.interrupted = interrupted_});
    rows.insert(rows.end(), own.begin(), own.end());
  }
  return TrialScore(std::move(rows));
} catch (const InvalidArgument&) {
  throw;
} catch (const Error&) {
  return {};
}

}  // namespace postrider

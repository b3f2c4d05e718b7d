#include "estimator/encoding_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/shuffle.h"
#include "data/kept_inputs.h"
#include "encode/column_encodings.h"
#include "estimator/cross_validation.h"
#include "postrider/classifier.h"
#include "postrider/error.h"
#include "postrider/metrics.h"
#include "postrider/regressor.h"

namespace postrider {
namespace {

// Fewer rows cannot tell encodings apart.
constexpr std::size_t kFewestRows = 200;
// Of a trial: rows, of which two thirds are learned, epochs and members. Where rows are few, every third is left out
// in turn. Of more classes than this, which take longer, there are fewer rows.
constexpr std::size_t kMostRows = 6000, kFewRows = 1500, kParts = 3, kEpochs = 20, kMembers = 4;
constexpr std::size_t kManyClasses = 10;
// Of a hidden layer: wider ones would take long, and what suits the columns does not depend on it.
constexpr std::size_t kMostUnits = 50;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kStream = 0xe4c0de;

constexpr std::array kCandidates{Encoding::standard, Encoding::quantile, Encoding::piecewise,
                                 Encoding::bins};

TargetsToTell targets_of(const EstimatorState& state, const EstimatorRows& rows) {
  if (state.kind() != ModelKind::classifier)
    return {rows.targets, 0, state.options.outputs, rows.sample_weights};
  const double largest = *std::ranges::max_element(rows.targets);
  return {rows.targets, static_cast<std::size_t>(largest) + 1, 1, rows.sample_weights};
}

InputEncoding encoding_of(Encoding kind, const EstimatorState& state, const EstimatorRows& rows) {
  if (kind == Encoding::standard && rows.inputs.keeps_zeros())
    return InputEncoding(zero_keeping_encodings(rows.inputs, rows.columns(), rows.sample_weights),
                         rows.inputs, rows.sample_weights);
  if (kind == Encoding::standard)
    return InputEncoding(column_moments(rows.inputs, rows.columns(), rows.sample_weights));
  return InputEncoding(column_encodings(kind, rows.inputs, rows.columns(), targets_of(state, rows)),
                       rows.inputs, rows.sample_weights);
}

// Whether some column has more than two different numbers: of others there is one encoding only.
bool has_a_choice(const EstimatorRows& rows) {
  // Of each column, two numbers besides zero, and how often zero is not there.
  std::vector<double> first(rows.columns(), std::nan("")), second = first;
  std::vector<std::size_t> others(rows.columns());
  bool has_three = false;
  rows.inputs.for_each(rows.columns(), [&](std::size_t, std::size_t c, double x) {
    if (x != 0) ++others[c];
    if (x == 0 || std::isnan(x) || x == first[c] || x == second[c]) return;
    if (!std::isnan(second[c])) has_three = true;
    (std::isnan(first[c]) ? first[c] : second[c]) = x;
  });
  for (std::size_t c = 0; c < rows.columns() && !has_three; ++c)
    has_three = !std::isnan(second[c]) && others[c] < rows.count;
  return has_three;
}

EstimatorOptions trial_options(const EstimatorState& state, Encoding kind, std::size_t classes) {
  EstimatorOptions out = state.options;
  out.encoding = kind;
  for (std::size_t& units : out.hidden) units = std::min(units, kMostUnits);
  out.ensemble_size = kMembers;  // whatever is asked for, so that the choice does not depend on it
  if (state.kind() == ModelKind::classifier) {
    out.calibration_share = 0;
    // A rare class may be among the rows that are predicted, and not among those that are learned.
    out.classes = classes;
  }
  TrainerOptions& training = out.training;
  training.max_epochs = training.max_epochs == 0 ? kEpochs : std::min(training.max_epochs, kEpochs);
  training.checkpoint.clear();
  training.resume = false;
  training.store = Store::memory;
  training.store_path.clear();
  return out;
}

// Rows that are learned, or that are predicted.
struct TrialRows {
  TrialRows(const EstimatorRows& all, const std::vector<std::size_t>& rows)
      : inputs(all.inputs, all.columns(), rows),
        targets(picked(all.targets, rows, all.targets.size() / all.count)),
        weights(picked(all.sample_weights, rows, 1)) {}

  std::vector<std::size_t> labels() const { return {targets.begin(), targets.end()}; }

  KeptInputs inputs;
  std::vector<double> targets, weights;
};

// The mean log-likelihood of rows that were not learned; minus infinity if nothing could be learned.
double score_of(const EstimatorState& state, const EstimatorOptions& options,
                const TrialRows& learned, const TrialRows& predicted,
                const TrainingCallbacks& callbacks) try {
  if (state.kind() != ModelKind::classifier) {
    Regressor model(options);
    model.fit(learned.inputs, learned.targets, learned.weights, callbacks);
    return model.log_likelihood(predicted.inputs, predicted.targets);
  }
  Classifier model(options);
  model.fit(learned.inputs, learned.labels(), learned.weights, callbacks);
  return -log_loss(model.predict_probabilities(predicted.inputs), predicted.labels());
} catch (const InvalidArgument&) {
  throw;
} catch (const Error&) {
  return -std::numeric_limits<double>::infinity();
}

// A part of the rows is left out.
Fold without_part(const std::vector<std::size_t>& rows, std::size_t part) {
  Fold out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (i % kParts == part ? out.left_out : out.learned).push_back(rows[i]);
  return out;
}

Encoding chosen_by_trials(const EstimatorState& state, const EstimatorRows& rows,
                          const std::function<bool()>& interrupted) {
  if (rows.count < kFewestRows || !has_a_choice(rows)) return Encoding::standard;
  RandomStream random(state.options.training.seed, kStream);
  std::vector<std::size_t> order = random_order(rows.count, random);
  const std::size_t classes =
      std::max<std::size_t>({2, targets_of(state, rows).classes, state.options.classes});
  order.resize(std::min(order.size(), kMostRows * kManyClasses / std::max(kManyClasses, classes)));
  std::array<double, kCandidates.size()> scores{};
  const std::size_t parts = order.size() <= kFewRows ? kParts : 1;
  for (std::size_t part = 0; part < parts; ++part) {
    const Fold fold = without_part(order, part);
    const TrialRows to_learn(rows, fold.learned), to_predict(rows, fold.left_out);
    for (std::size_t k = 0; k < kCandidates.size(); ++k) {
      scores[k] += score_of(state, trial_options(state, kCandidates[k], classes), to_learn,
                            to_predict, {.interrupted = interrupted});
      if (interrupted && interrupted()) return Encoding::standard;
    }
  }
  return kCandidates[static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin())];
}

}  // namespace

InputEncoding encoding_for(const EstimatorState& state, const EstimatorRows& rows, bool is_stream,
                           const std::function<bool()>& interrupted) {
  Encoding kind = is_stream ? Encoding::standard : state.options.encoding;
  if (kind == Encoding::chosen && rows.inputs.keeps_zeros()) kind = Encoding::standard;
  if (kind == Encoding::chosen) kind = chosen_by_trials(state, rows, interrupted);
  return encoding_of(kind, state, rows);
}

}  // namespace postrider

#include "estimator/encoding_choice.h"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/kept_inputs.h"
#include "encode/column_encodings.h"
#include "encode/relevance.h"
#include "estimator/cross_validation.h"
#include "estimator/member_folds.h"
#include "estimator/trials.h"
#include "model/network_state.h"

namespace postrider {
namespace {

constexpr std::size_t kFewestRowsWeighed = 10, kMostColumns = 100;
// The rows that cut columns; fewer than so many would not tell where.
constexpr double kShareThatCuts = 0.5;
constexpr std::size_t kFewestRowsThatCut = 20;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kCutStream = 0xc0715;

// What was found best so far.
struct Ways {
  Encoding encoding = Encoding::standard;
  TargetScale targets = TargetScale::plain;
  TrialScore score = {};
};

TargetsToTell targets_of(const EstimatorState& state, const EstimatorRows& rows) {
  if (state.kind() != ModelKind::classifier)
    return {rows.targets, 0, state.options.outputs, rows.sample_weights};
  return {rows.targets, classes_in(state, rows), 1, rows.sample_weights};
}

// Half of the rows, drawn at random; of rows that belong together all or none, as far as that is known.
std::vector<std::uint32_t> rows_that_cut(const EstimatorRows& rows, std::uint64_t seed) {
  const std::vector<std::uint32_t> names =
      rows.groups.empty() ? first_copies(rows)
                          : std::vector<std::uint32_t>(rows.groups.begin(), rows.groups.end());
  std::vector<std::uint32_t> out;
  for (std::size_t row = 0; row < rows.count; ++row)
    if (RandomStream(seed ^ kCutStream, names[row]).uniform() < kShareThatCuts)
      out.push_back(static_cast<std::uint32_t>(row));
  return out;
}

// Cut by the targets of some rows, so that the others can still judge what is learned.
FormsOfColumns cut_by_some(Encoding kind, const EstimatorState& state, const EstimatorRows& rows) {
  FormsOfColumns out;
  out.cut_by = rows_that_cut(rows, state.options.training.seed);
  if (out.cut_by.size() < kFewestRowsThatCut || out.cut_by.size() == rows.count) out.cut_by.clear();
  std::vector<std::size_t> places(out.cut_by.begin(), out.cut_by.end());
  if (places.empty()) {
    places.resize(rows.count);
    std::iota(places.begin(), places.end(), std::size_t{0});
  }
  const KeptInputs inputs(rows.inputs, rows.columns(), places);
  const std::vector<double> targets =
      picked(rows.targets, places, rows.targets.size() / rows.count);
  const std::vector<double> weights = picked(rows.sample_weights, places, 1);
  TargetsToTell told = targets_of(state, rows);
  told.values = targets;
  told.weights = weights;
  out.inputs = InputEncoding(column_encodings(kind, inputs, rows.columns(), told), rows.inputs,
                             rows.sample_weights);
  return out;
}

InputEncoding encoding_of(Encoding kind, const EstimatorState& state, const EstimatorRows& rows) {
  if (kind == Encoding::standard && rows.inputs.keeps_zeros())
    return InputEncoding(zero_keeping_encodings(rows.inputs, rows.columns(), rows.sample_weights),
                         rows.inputs, rows.sample_weights);
  if (kind == Encoding::relevance)
    return InputEncoding(relevance_encodings(rows.inputs, rows.columns(), targets_of(state, rows),
                                             slope_of(Layer{.units = 1,
                                                            .activation = state.options.activation,
                                                            .slope = state.options.slope})),
                         rows.inputs, rows.sample_weights);
  if (kind == Encoding::standard)
    return InputEncoding(column_moments(rows.inputs, rows.columns(), rows.sample_weights));
  return InputEncoding(column_encodings(kind, rows.inputs, rows.columns(), targets_of(state, rows)),
                       rows.inputs, rows.sample_weights);
}

// Whether some column has more than two different numbers: of others there is one encoding only.
bool has_a_choice(const EstimatorRows& rows) {
  // For each column, two numbers besides zero, and how often zero is not there.
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

// With fewer rows, or more columns, the relevances would be chance.
bool can_tell_relevance(const EstimatorRows& rows) {
  return rows.count >= kFewestRowsWeighed && rows.columns() > 1 && rows.columns() <= kMostColumns;
}

TrialScore score_of(const Trials& trials, Encoding encoding, TargetScale targets) {
  return trials.score([&](EstimatorOptions& options) {
    options.encoding = encoding;
    options.target_scale = targets;
  });
}

// The best of all encodings, if it is clearly better than the standard one. Trials are short, and what is learned fast
// (ranks, bins) looks better in them than it is in the end.
Ways with_best_encoding(const Trials& trials, TargetScale targets) {
  const Ways standard{Encoding::standard, targets, score_of(trials, Encoding::standard, targets)};
  Ways best = standard;
  for (const Encoding kind : {Encoding::quantile, Encoding::piecewise, Encoding::bins}) {
    Ways tried{kind, targets, score_of(trials, kind, targets)};
    if (trials.is_interrupted()) break;
    if (tried.score.mean() > best.score.mean()) best = std::move(tried);
  }
  return best.score.is_clearly_above(standard.score) ? best : standard;
}

// Whoever asked for a way has it; what is left is tried, the encoding first.
Ways chosen_by_trials(const EstimatorState& state, const EstimatorRows& rows, Ways asked,
                      const std::function<bool()>& interrupted) {
  const bool no_encoding = asked.encoding == Encoding::chosen;
  const bool no_scale = asked.targets == TargetScale::chosen;
  Ways best = asked;
  if (no_encoding) best.encoding = Encoding::standard;
  if (no_scale) best.targets = TargetScale::plain;
  const Trials trials(state, rows, interrupted);
  if (!trials.can_tell()) {
    if (no_encoding && state.kind() != ModelKind::classifier && can_tell_relevance(rows))
      best.encoding = Encoding::relevance;
    return best;
  }
  const bool is_tried = no_encoding && has_a_choice(rows);
  if (is_tried) best = with_best_encoding(trials, best.targets);
  if (no_scale && may_be_root(rows.targets, state.options.outputs)) {
    if (!is_tried) best.score = score_of(trials, best.encoding, best.targets);
    TrialScore root = score_of(trials, best.encoding, TargetScale::root);
    if (!trials.is_interrupted() && root.mean() > best.score.mean())
      best = {best.encoding, TargetScale::root, std::move(root)};
  }
  return best;
}

}  // namespace

FormsOfColumns forms_for(const EstimatorState& state, const EstimatorRows& rows, bool is_stream,
                         const std::function<bool()>& interrupted) {
  Ways ways{state.options.encoding, state.options.target_scale};
  if (is_stream) ways.encoding = Encoding::standard;
  if (ways.encoding == Encoding::chosen && rows.inputs.keeps_zeros())
    ways.encoding = Encoding::standard;
  const bool has_scale = is_stream || state.kind() == ModelKind::classifier;
  if (has_scale && ways.targets == TargetScale::chosen) ways.targets = TargetScale::plain;
  if (ways.encoding == Encoding::chosen || ways.targets == TargetScale::chosen)
    ways = chosen_by_trials(state, rows, ways, interrupted);
  if (ways.encoding == Encoding::piecewise || ways.encoding == Encoding::bins) {
    FormsOfColumns out = cut_by_some(ways.encoding, state, rows);
    out.targets = ways.targets;
    return out;
  }
  return {encoding_of(ways.encoding, state, rows), ways.targets};
}

}  // namespace postrider

// How an estimator of either kind learns from a stream of rows.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "data/kept_inputs.h"
#include "estimator/ensemble.h"
#include "estimator/far_cells.h"
#include "estimator/learned_shape.h"
#include "estimator/model_options.h"
#include "estimator/predictive.h"
#include "estimator/state.h"
#include "estimator/untrained.h"
#include "estimator/unusable.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Fewer rows do not tell the scale of a column.
constexpr std::size_t kRowsForScales = 100;
// A network is told to be too narrow when one so many times wider could be filled.
constexpr std::size_t kWorthWidening = 2;

std::size_t bound_targets(const FittedModel& model, std::span<const double> given,
                          std::vector<double>& targets) {
  if (model.kind == ModelKind::classifier) return 0;
  std::size_t moved = 0;
  expect_none("targets", unusable_targets(model.targets, given));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!(std::abs(targets[i]) > kFarTarget)) continue;
    targets[i] = std::copysign(kFarTarget, targets[i]);
    ++moved;
  }
  return moved;
}

// A stream has no epochs to come down to the noise that is known: it begins with it.
TrainerOptions stream_options(const EstimatorOptions& options, const FittedModel& model) {
  TrainerOptions out = options.training;
  if (options.noise_std.empty()) return out;
  out.noise_variance = known_noise(options, model.targets);
  out.learn_noise = false;
  return out;
}

// What is predicted of rows by a shape, as long as it suits the model that learns one after the other: of the first rows.
std::vector<UnitShape> shapes_of_first(const FittedModel& model, const Inputs& inputs,
                                       std::span<const Outlook> outlooks) {
  std::size_t count = 0;
  while (model.learned_shape && count < inputs.rows() &&
         model.learned_shape->suits(model.rows_learned + count + 1))
    ++count;
  if (count == 0) return {};
  Workers alone(1);
  return model.learned_shape->at(inputs.part(0, count),
                                 outlooks.first(count * model.members.size()), alone);
}

// Intervals follow how far rows lay from what was predicted of them, by the members' shares until then.
void follow(FittedModel& model, const Inputs& inputs, std::span<const StreamOutcome> outcomes,
            std::span<const double> shares, std::span<const double> targets,
            std::span<const double> weights) {
  if (model.kind == ModelKind::classifier) return;
  const std::size_t columns = model.targets.columns(), members = model.members.size();
  if (model.reach.empty())
    for (std::size_t o = 0; o < columns; ++o)
      model.reach.emplace_back(model.left_out.empty() ? LeftOutScores() : model.left_out[o]);
  const std::vector<Outlook> outlooks = streamed_outlooks(model, outcomes, shares);
  const std::vector<UnitShape> shapes = shapes_of_first(model, inputs, outlooks);
  for (std::size_t place = 0; place < targets.size(); ++place) {
    if (std::isnan(targets[place])) continue;
    const std::span<const Outlook> at = std::span(outlooks).subspan(place * members, members);
    const Mixture mixture(at);
    const double plain = mixture.below(targets[place]);
    model.reach[place % columns].observe(
        score_of(place < shapes.size() ? shapes[place].below(plain) : plain),
        weights.empty() ? 1 : weights[place / columns]);
  }
}

StreamReport learn_rows(EstimatorState& state, const Examples& rows) {
  FittedModel& model = *state.fitted;
  if (rows.columns() != model.inputs.columns())
    reject("inputs", rows.inputs.values().size(),
           "must have as many columns as the rows learned before");
  expect_labels(state, rows.targets, model.shape().outputs());
  const SparseInputs inputs = encoded_inputs(model, rows.inputs);
  std::vector<double> targets = told(model, rows.targets);
  const std::size_t moved = bound_targets(model, rows.targets, targets);
  if (!model.bank) model.bank.emplace(model.members.size(), kinds_of_members(state.options));
  if (!state.streams)
    state.streams.emplace(model.members, stream_options(state.options, model),
                          task_of(model.kind, stream_power(state.options.power)),
                          model.bank->kinds());
  const TrainingRows prepared(inputs, model.encoding.inputs(), state.options.precision);
  const std::vector<StreamOutcome> outcomes =
      state.streams->learn(model.members, {prepared, targets, rows.sample_weights});
  StreamReport report = report_of(outcomes);
  report.far_targets = moved;
  if (report.sound) {
    const std::vector<double> shares =
        model.bank->observe(outcomes, rows.sample_weights, state.options.training.horizon, report);
    follow(model, rows.inputs, outcomes, shares, targets, rows.sample_weights);
    model.bank->share_out(model.members);
  }
  if (model.kind != ModelKind::classifier) report.score += model.targets.score_shift(rows.targets);
  if (!report.sound) return report;
  const std::size_t before = std::exchange(model.rows_learned, model.rows_learned + rows.count());
  if (model.learned_shape && !model.learned_shape->suits(model.rows_learned))
    model.learned_shape.reset();
  report.too_narrow = std::bit_width(model.rows_learned) > std::bit_width(before) &&
                      is_too_narrow(state.options, model);
  return report;
}

void append(std::vector<double>& to, std::span<const double> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The rows that came before the scales were set, and these.
StreamStart joined(StreamStart before, const Examples& rows) {
  const bool has_weights = !before.sample_weights.empty() || !rows.sample_weights.empty();
  if (has_weights) before.sample_weights.resize(before.count, 1);
  append(before.inputs, all_numbers(rows.inputs));
  append(before.targets, rows.targets);
  append(before.sample_weights, rows.sample_weights);
  before.count += rows.count();
  if (has_weights) before.sample_weights.resize(before.count, 1);
  return before;
}

// Learns all rows so far anew: they set the scales. Nothing changes if they are refused.
StreamReport begin_stream(EstimatorState& state, const Examples& rows) {
  StreamStart start = state.fitted ? state.fitted->start : StreamStart{};
  if (start.count > 0 && rows.columns() != state.fitted->inputs.columns())
    reject("inputs", rows.inputs.values().size(),
           "must have as many columns as the rows learned before");
  // Enough rows at once need not be kept.
  const bool is_enough = start.count == 0 && rows.count() >= kRowsForScales;
  if (!is_enough) start = joined(std::move(start), rows);
  const Examples all = is_enough ? rows
                                 : Examples(Inputs(start.inputs, start.count, rows.columns()),
                                            start.targets, start.sample_weights);
  // One number that is far from all others must not set the scale of its column for good.
  const WithoutFarCells near(all, state.kind() != ModelKind::classifier, state.options.outputs);
  std::optional<FittedModel> before =
      std::exchange(state.fitted, untrained_stream(state, near.rows()));
  state.streams.reset();
  try {
    const StreamReport report = learn_rows(state, near.rows());
    if (!report.sound) {
      // Rows that cannot be learned must not be learned again with the next ones.
      state.streams.reset();
      state.fitted = std::move(before);
    } else if (all.count() < kRowsForScales) {
      state.fitted->start = std::move(start);
    }
    return report;
  } catch (...) {
    state.streams.reset();
    state.fitted = std::move(before);
    throw;
  }
}

}  // namespace

StreamReport partial_fit(EstimatorState& state, const Examples& rows) {
  const bool has_scales = state.fitted && state.fitted->start.count == 0;
  return has_scales ? learn_rows(state, rows) : begin_stream(state, rows);
}

bool is_too_narrow(const EstimatorOptions& options, const FittedModel& model) {
  const std::vector<std::size_t> present = shape_of(model.shape()).hidden;
  const std::vector<std::size_t> possible =
      widths_for(options.hidden, model.encoding.inputs(), model.shape().outputs(),
                 model.rows_learned, options.weights_per_example);
  for (std::size_t l = 0; l < std::min(present.size(), possible.size()); ++l)
    if (possible[l] >= kWorthWidening * present[l]) return true;
  return false;
}

}  // namespace postrider::internal

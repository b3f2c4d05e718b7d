#include "postrider/table_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>

#include "base/access.h"
#include "data/kept_inputs.h"
#include "postrider/error.h"
#include "postrider/evaluation.h"
#include "table/baseline.h"
#include "table/evaluation_warnings.h"
#include "table/group_coverage.h"
#include "table/learning.h"
#include "table/state.h"
#include "table/unusable_rows.h"

namespace postrider {
using namespace internal;
namespace {

// What is known of the rows besides their inputs.
struct SeenRows {
  CopyWatch copies = {};
  TableCheck check = {};

  void add(const Table& chunk) {
    copies.add(chunk);
    check.add(chunk);
  }
};

void learn_all(TableModelState& state, LearnedRows& rows, const SeenRows& seen,
               const TableModelOptions& options, const TrainingCallbacks& callbacks) {
  expect_rows(rows, state.encoding);
  weigh_classes(state.encoding, options.class_weights, rows);
  state.baseline = fit_baseline(state.encoding, rows);
  impute(state.encoding, rows.inputs);
  TableModel::Step step{TableModel::Step::Kind::fit, rows.rows(), rows.without_target};
  step.copies = seen.copies.found().copies;
  step.words = options.words;
  TrainingCallbacks named = callbacks;
  for (const Schema::Feature& feature : state.encoding.encoder.features())
    named.input_names.push_back(feature.name);
  step.warnings = seen.check.warnings();
  step.fits = fit(state.estimator, rows, options, named);
  if (rows.weights.empty()) add_coverage_warnings(state, Access::inside(seen.check), step.warnings);
  state.history.push_back(std::move(step));
}

// A model that learns event by event must not grow by a step for each.
constexpr std::size_t kMostTrainingSteps = 100;

void add_update(std::vector<TableModel::Step>& history, TableModel::Step step) {
  if (history.size() < kMostTrainingSteps || history.back().kind != TableModel::Step::Kind::update)
    return history.push_back(std::move(step));
  TableModel::Step& last = history.back();
  last.rows += step.rows;
  last.without_target += step.without_target;
  last.stream.add(step.stream);
}

// The last step, if it followed the same source; else a new one.
TableModel::Step& following(std::vector<TableModel::Step>& history, const std::string& source) {
  if (history.empty() || history.back().kind != TableModel::Step::Kind::follow ||
      history.back().position.source != source) {
    history.push_back({TableModel::Step::Kind::follow});
    history.back().position.source = source;
    // Means of scores would depend on how the events are cut into calls.
    history.back().stream.score = std::numeric_limits<double>::quiet_NaN();
  }
  return history.back();
}

TableModel::Prediction predicted(const TableModelState& state, const Inputs& inputs,
                                 std::size_t rows) {
  TableModel::Prediction out;
  out.rows = rows;
  if (rows == 0) return out;
  if (const auto* classifier = std::get_if<Classifier>(&state.estimator)) {
    out.probabilities = classifier->predict_probabilities(inputs);
    return out;
  }
  out.distributions = std::get<Regressor>(state.estimator).distributions(inputs);
  Forecast forecast = out.distributions.moments();
  const auto roots = [](std::vector<double> values) {
    for (double& value : values) value = std::sqrt(value);
    return values;
  };
  out.mean = std::move(forecast.mean);
  out.std = roots(std::move(forecast.variance));
  out.noise_std = roots(std::move(forecast.noise_variance));
  return out;
}

// What is kept of each row until the end.
class Evaluated {
 public:
  explicit Evaluated(const TableModelState& state)
      : state_(state),
        repeats_(state.profile.sample),
        coverage_(state.encoding.schema, state.profile) {}

  void add(const Table& table) {
    LearnedRows rows;
    add_rows(state_.encoding, table, rows);
    repeats_.add(table);
    without_target_ += rows.without_target;
    if (rows.rows() == 0) return;
    if (state_.baseline) append(linear_, linear_prediction(*state_.baseline, rows.inputs));
    if (!state_.encoding.means.empty()) fill_missing(rows.inputs, state_.encoding.means);
    const TableModel::Prediction more =
        naming_numbers(state_, table, [&] { return predicted(state_, rows.inputs, rows.rows()); });
    append(probabilities_, more.probabilities);
    if (state_.encoding.classifies()) return append(labels_, rows.labels());
    const TableEvaluation::Numbers numbers =
        predicted_numbers(more.distributions, std::move(rows.targets));
    coverage_.add(table, known_rows(state_.encoding, table), numbers.levels);
    for (const auto part :
         {&TableEvaluation::Numbers::targets, &TableEvaluation::Numbers::mean,
          &TableEvaluation::Numbers::std, &TableEvaluation::Numbers::levels,
          &TableEvaluation::Numbers::log_density, &TableEvaluation::Numbers::quantiles})
      append(numbers_.*part, numbers.*part);
  }

  TableEvaluation evaluation() const {
    if (numbers_.targets.size() + labels_.size() == 0)
      reject("target", state_.encoding.target_column().name,
             "must have a value in at least one row");
    TableEvaluation out = state_.encoding.classifies() ? evaluate_classes(probabilities_, labels_)
                                                       : evaluate_numbers(numbers_);
    out.without_target = without_target_;
    out.warning = repeats_.found().warning();
    out.warnings = evaluation_warnings(state_, out, coverage_);
    if (!state_.baseline) return out;
    const Baseline& simple = *state_.baseline;
    if (state_.encoding.classifies()) {
      add_classes("linear", linear_, out);
      std::vector<double> shares;
      for (std::size_t row = 0; row < labels_.size(); ++row) append(shares, simple.shares);
      add_classes("base rate", shares, out);
    } else {
      add_numbers("linear", linear_, simple.residual_variance, out);
      add_numbers("mean", std::vector<double>(linear_.size(), simple.mean), simple.variance, out);
    }
    return out;
  }

 private:
  void add_classes(const char* name, const std::vector<double>& probabilities,
                   TableEvaluation& to) const {
    to.baselines.push_back(baseline_of_classes(name, probabilities_, probabilities, labels_));
  }

  void add_numbers(const char* name, const std::vector<double>& mean, double variance,
                   TableEvaluation& to) const {
    const TableEvaluation::Numbers simple = gaussian_numbers(
        numbers_.targets, mean, std::vector<double>(mean.size(), std::sqrt(variance)));
    to.baselines.push_back(baseline_of_numbers(name, numbers_, simple));
  }

  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  const TableModelState& state_;
  RepeatWatch repeats_;
  GroupCoverage coverage_;
  TableEvaluation::Numbers numbers_;
  std::vector<double> probabilities_;
  std::vector<double> linear_;  // what the linear baseline says
  std::vector<std::size_t> labels_;
  std::size_t without_target_ = 0;
};

}  // namespace

std::string_view to_string(TableModelOptions::Missing missing) {
  return missing == TableModelOptions::Missing::vague ? "vague" : "mean";
}

std::string_view to_string(TableModel::Step::Kind kind) {
  switch (kind) {
    case TableModel::Step::Kind::stream:
      return "stream";
    case TableModel::Step::Kind::update:
      return "update";
    case TableModel::Step::Kind::follow:
      return "follow";
    case TableModel::Step::Kind::fit:
      break;
  }
  return "fit";
}

void TableModelOptions::validate(OptionInfo::Spelling spelling) const {
  estimator.validate(spelling);
}

void TableModelOptions::validate_for(const Schema& schema, OptionInfo::Spelling spelling) const {
  estimator.validate_for(
      schema.classifies() ? OptionInfo::Scope::classes : OptionInfo::Scope::numeric_target,
      spelling);
  if (estimator.outputs != 1)
    reject("outputs", estimator.outputs, "must be 1, since a table has one target");
  if (estimator.classes != 0)
    reject("classes", estimator.classes, "must be 0, since the schema says the classes");
}

TableModel::TableModel(std::unique_ptr<TableModelState> state) : state_(std::move(state)) {}
TableModel::~TableModel() = default;
TableModel::TableModel(TableModel&&) noexcept = default;
TableModel& TableModel::operator=(TableModel&&) noexcept = default;

TableModel TableModel::train(TableReader& reader, const TableModelOptions& options,
                             const TrainingCallbacks& callbacks,
                             const std::function<void(const Table&)>& read) {
  auto state = new_state(reader.schema(), options);
  LearnedRows rows;
  RowMonitor::Digest digest;
  SeenRows seen;
  for (Table chunk; reader.next(chunk);) {
    add_rows(state->encoding, chunk, rows);
    if (options.profile) state->profile.add(chunk);
    digest.add(chunk);
    seen.add(chunk);
    if (read) read(chunk);
  }
  state->learn(digest);
  if (read) read({});
  learn_all(*state, rows, seen, options, callbacks);
  return TableModel(std::move(state));
}

TableModel TableModel::train(const Table& table, const TableModelOptions& options,
                             const TrainingCallbacks& callbacks,
                             std::span<const std::uint32_t> groups) {
  auto state = new_state(table.schema(), options);
  LearnedRows rows;
  add_rows(state->encoding, table, rows, groups);
  if (options.profile) state->profile.add(table);
  RowMonitor::Digest digest;
  digest.add(table);
  state->learn(digest);
  SeenRows seen;
  seen.add(table);
  learn_all(*state, rows, seen, options, callbacks);
  return TableModel(std::move(state));
}

TableModel TableModel::train_stream(TableReader& reader, const TableModelOptions& options,
                                    const TableModel::StreamCallback& progress) {
  auto state = new_state(reader.schema(), options);
  if (options.class_weights.balanced)
    reject("class_weights", "balanced", "needs all rows at once; name the weight of each class");
  TableModel::Step step =
      learn_stream(*state, reader, progress, options.profile, options.class_weights);
  if (step.rows == 0)
    reject("target", state->encoding.target_column().name, "must have a value in at least one row");
  step.kind = TableModel::Step::Kind::stream;
  step.words = options.words;
  state->history.push_back(std::move(step));
  return TableModel(std::move(state));
}

void TableModel::update(TableReader& reader, const TableModel::StreamCallback& progress) {
  expect_schema(state_->encoding, reader.schema());
  TableModel::Step step = learn_stream(*state_, reader, progress, /*begins_profile=*/false);
  step.kind = TableModel::Step::Kind::update;
  add_update(state_->history, std::move(step));
}

void TableModel::update(const Table& table) {
  LearnedRows rows;
  add_rows(state_->encoding, table, rows);
  TableModel::Step step{TableModel::Step::Kind::update, rows.rows(), rows.without_target};
  if (rows.rows() > 0) {
    impute(state_->encoding, rows.inputs);
    step.stream =
        naming_numbers(*state_, table, [&] { return partial_fit(state_->estimator, rows); });
  }
  watch_rows(table, *state_);
  RowMonitor::Digest digest;
  digest.add(table);
  state_->learn(digest);
  add_update(state_->history, std::move(step));
}

void TableModel::follow(const Table& table, const TableModel::StreamPosition& after) {
  LearnedRows rows;
  if (table.has_target())
    add_rows(state_->encoding, table, rows);
  else
    rows.without_target = table.rows();
  StreamReport report;
  if (rows.rows() > 0) {
    impute(state_->encoding, rows.inputs);
    report = naming_numbers(*state_, table, [&] { return partial_fit(state_->estimator, rows); });
  }
  watch_rows(table, *state_);
  TableModel::StreamPosition stands = position(after.source);
  TableModel::Step& step = following(state_->history, after.source);
  step.rows += rows.rows();
  step.without_target += rows.without_target;
  step.stream.rows = step.rows;
  step.stream.far_targets += report.far_targets;
  step.stream.sound = step.stream.sound && report.sound;
  // Rows without a target say nothing of rates, and events may be cut into calls anywhere.
  if (rows.rows() > 0) step.stream.rates = report.rates;
  step.stream.changes.insert(step.stream.changes.end(), report.changes.begin(),
                             report.changes.end());
  for (const auto& [partition, event] : after.partitions) stands.partitions[partition] = event;
  step.position.partitions = std::move(stands.partitions);
}

TableModel::StreamPosition TableModel::position(const std::string& source) const {
  for (auto step = state_->history.rbegin(); step != state_->history.rend(); ++step)
    if (step->kind == TableModel::Step::Kind::follow &&
        (step->position.source == source || step->position.source.starts_with(source + " id ")))
      return {source, step->position.partitions};
  return {source};
}

void TableModel::keep(const TableModel::FoldScores& scores) {
  if (!state_->history.empty()) state_->history.back().fold_scores = scores;
}

std::size_t TableModel::times_learned(const RowMonitor::Digest& rows) const {
  return static_cast<std::size_t>(std::count(state_->learned.begin(), state_->learned.end(), rows));
}
std::string TableModel::doubts(const RowMonitor::Digest& rows, const RepeatWatch::Found& repeated,
                               const std::vector<DriftWatch::Warning>& drift) const {
  const std::string twice = ", and a row that is learned twice counts twice.";
  if (times_learned(rows) > 1)
    return "the model has learned these " + std::to_string(rows.rows) +
           (rows.rows == 1 ? " row already" : " rows already") + twice;
  if (repeated.repeated > 0) return repeated.text() + twice;
  for (const DriftWatch::Warning& each : drift)
    if (each.kind == DriftWatch::Warning::Kind::unit) return each.column + ": " + each.text;
  return "";
}
std::string TableModel::misfit() const {
  // A larger share is no matter of outliers.
  constexpr double kMostFar = 0.05;
  if (state_->history.empty()) return "";  // as a file of an estimator may have it
  const StreamReport& last = state_->history.back().stream;
  if (static_cast<double>(last.far_targets) > kMostFar * static_cast<double>(last.rows))
    return std::to_string(last.far_targets) + " of " + std::to_string(last.rows) +
           " targets lie more than ten standard deviations from those that the model was trained "
           "on: "
           "its scales do not fit these data. Train anew with all rows.";
  return "";
}
void TableModel::keep(const RowMonitor::Digest& rows) {
  if (times_learned(rows) == 0) state_->learn(rows);
}

TableModel::Prediction TableModel::predict(const Table& table) const {
  return naming_numbers(*state_, table, [&] {
    return predicted(*state_, encoded(state_->encoding, table), table.rows());
  });
}

std::vector<TableModel::UnusableRow> TableModel::unusable(const Table& table) const {
  return unusable_rows(*state_, table);
}

TableEvaluation TableModel::evaluate(const Table& table) const {
  Evaluated evaluated(*state_);
  evaluated.add(table);
  return evaluated.evaluation();
}

TableEvaluation TableModel::evaluate(TableReader& reader) const {
  Evaluated evaluated(*state_);
  for (Table chunk; reader.next(chunk);) evaluated.add(chunk);
  return evaluated.evaluation();
}

TableModel TableModel::copy() const {
  // As through a file: what is saved is all there is.
  std::stringstream bytes;
  TableEstimator estimator = std::visit(
      [&](const auto& learned) -> TableEstimator {
        learned.save(bytes);
        return std::decay_t<decltype(learned)>::load(bytes);
      },
      state_->estimator);
  return TableModel(std::make_unique<TableModelState>(
      TableModelState{state_->encoding, std::move(estimator), state_->history, state_->profile,
                      state_->learned, state_->baseline, state_->waiting}));
}

const Schema& TableModel::schema() const { return state_->encoding.schema; }
bool TableModel::classifies() const { return state_->encoding.classifies(); }
const std::vector<std::string>& TableModel::classes() const {
  return state_->encoding.target_column().categories;
}
const std::string& TableModel::target() const { return state_->encoding.target_column().name; }
TableModelOptions::Missing TableModel::missing() const { return state_->encoding.missing; }
bool TableModel::indicators() const { return state_->encoding.indicators; }
const std::vector<Schema::Feature>& TableModel::features() const {
  return state_->encoding.encoder.features();
}
const std::vector<TableModel::Step>& TableModel::history() const { return state_->history; }
std::vector<TableWarning> TableModel::warnings() const {
  for (auto step = state_->history.rbegin(); step != state_->history.rend(); ++step)
    if (step->kind == TableModel::Step::Kind::fit || step->kind == TableModel::Step::Kind::stream)
      return step->warnings;
  return {};
}
const TableProfile& TableModel::profile() const { return state_->profile; }
std::vector<double> TableModel::encode(const Table& table) const {
  return all_numbers(encoded(state_->encoding, table));
}
const Estimator& TableModel::estimator() const {
  return std::visit([](const Estimator& each) -> const Estimator& { return each; },
                    state_->estimator);
}
const Regressor* TableModel::regressor() const {
  return std::get_if<Regressor>(&state_->estimator);
}
const Classifier* TableModel::classifier() const {
  return std::get_if<Classifier>(&state_->estimator);
}

}  // namespace postrider

#include "estimator/race.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "base/shuffle.h"
#include "base/workers.h"
#include "data/kept_inputs.h"
#include "estimator/cross_validation.h"
#include "estimator/model_options.h"
#include "postrider/error.h"
#include "sweep/layout.h"
#include "train/groups.h"

namespace postrider::internal {
namespace {

// Fewer rows, or fewer groups of rows, cannot tell ways apart.
constexpr std::size_t kFewestRows = 200, kFewestGroups = 8;
// The most rows that the estimator's own networks learn in a race. Of more rows small networks learn some, drawn at random, in fewer epochs the more there are:
// what suits many rows shows after few epochs, and not by few of the rows. Fewer rows where memory is bounded, and with more classes than this, which take longer.
constexpr std::size_t kMostRows = 3000, kMostDrawn = 12000, kMostRowsInVain = 1000,
                      kManyClasses = 10, kFewestEpochs = 5;
// Epochs after which the estimator's own networks are judged, and how many then stay in the race besides the first. Noise begins to vary after the tenth;
// ranks and bins are learned faster, and need not be better in the end. Small networks that learn some of many rows have fewer epochs.
constexpr double kAnyLead = -1e9;
struct Lengths {
  std::array<RaceStretch, 2> stretches;
  std::size_t whole, of_small_ones;
};
constexpr Lengths kStandard{{{{10, 2, kAnyLead}, {24, 1, 1}}}, 48, 20};
// An epoch of few rows takes little time, and tells little.
constexpr Lengths kOfFewRows{{{{16, 2, kAnyLead}, {32, 1, 1}}}, 64, 20};
constexpr std::size_t kFewRows = 600;
constexpr Lengths kThorough{{{{16, 2, kAnyLead}, {32, 2, kAnyLead}}}, 96, 40};
// Standard errors by which one that is learned fast must lead after so many epochs: the fewer, the more.
double beyond_doubt(std::size_t epochs) { return 2 + 10 / static_cast<double>(epochs); }
// The width of the hidden layers of small networks. What suits the columns hardly depends on it, the less the more rows there are (docs/design/trials.md).
constexpr std::size_t kMostUnits = 32, kMostUnitsOfMany = 24, kManyForNarrow = 8000;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kRaceStream = 0xe4c0de;

// Where classes have few rows each, a race would tell little and take long.
std::size_t fewest_rows_for(std::size_t classes) {
  constexpr std::size_t kManyInAll = 50, kRowsOfEach = 10;
  return classes > kManyInAll ? kRowsOfEach * classes : 0;
}

std::size_t most_rows_for(std::size_t most, std::size_t classes) {
  return most * kManyClasses / std::max(kManyClasses, classes);
}

std::vector<std::size_t> drawn_rows(std::size_t all, std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, kRaceStream);
  std::vector<std::size_t> out = random_order(all, random);
  out.resize(count);
  std::ranges::sort(out);
  return out;
}

EstimatorOptions small_options(const EstimatorState& state, std::size_t classes, std::size_t rows) {
  const std::size_t most = rows < kManyForNarrow ? kMostUnits : kMostUnitsOfMany;
  EstimatorOptions out = state.options;
  if (is_chosen(out.hidden)) out.hidden = {most, most};
  for (std::size_t& units : out.hidden) units = std::min(units, most);
  out.ensemble_size = kPack;  // whatever is asked for, so that the choice does not depend on it
  // A rare class may not be among the rows that are drawn.
  if (state.kind() == ModelKind::classifier)
    out.classes = std::max<std::size_t>({2, classes, out.classes});
  TrainerOptions& training = out.training;
  training.checkpoint.clear();
  training.resume = false;
  training.store = TrainerOptions::Store::memory;
  training.store_path.clear();
  // What suits the columns does not depend on it, and it takes less time.
  if (rows >= kManyRows) {
    if (training.group_size == 0) training.group_size = kSharedByMany;
    if (training.block == 0) training.block = kBlockOfMany;
  }
  return out;
}

const Lengths& lengths_of(const EstimatorState& state, std::size_t rows) {
  if (state.options.training.effort == TrainerOptions::Effort::thorough) return kThorough;
  return rows < kFewRows ? kOfFewRows : kStandard;
}

// Their state lies in files, memory is bounded, or they are no pack that can be trained in stretches.
bool need_small_ones(const EstimatorOptions& options) {
  return !options.training.checkpoint.empty() || options.training.store_budget > 0 ||
         options.training.store != TrainerOptions::Store::memory ||
         (options.ensemble_size > 0 && options.ensemble_size != kPack);
}

}  // namespace

// A part of the rows, drawn at random.
struct Race::SomeRows {
  SomeRows(const Examples& all, const std::vector<std::size_t>& places)
      : inputs(all.inputs, places),
        targets(picked(all.targets, places, all.targets.size() / all.count())),
        weights(picked(all.sample_weights, places, 1)) {
    if (!all.groups.empty())
      for (const std::size_t row : places) groups.push_back(all.groups[row]);
    rows = {inputs, targets, weights, groups};
  }

  OwnedInputs inputs;
  std::vector<double> targets, weights;
  std::vector<std::uint32_t> groups;
  Examples rows;
};

bool Race::can_tell(const EstimatorState& state, const Examples& rows) {
  return rows.count() >= kFewestRows && rows.count() >= fewest_rows_for(classes_in(state, rows)) &&
         (rows.groups.empty() ||
          std::set(rows.groups.begin(), rows.groups.end()).size() >= kFewestGroups);
}

Race::Race(EstimatorState& state, const Examples& rows, const TrainingCallbacks& callbacks)
    : state_(state), rows_(rows), callbacks_(callbacks) {
  has_many_rows_ = rows.count() > most_rows_for(kMostRows, classes_in(state, rows));
  if (has_many_rows_ || need_small_ones(state.options)) use_small_ones();
}

// In the place of the estimator's own networks.
void Race::use_small_ones() {
  const std::size_t classes = classes_in(state_, rows_);
  const std::size_t most = most_rows_for(has_many_rows_ ? kMostDrawn : kMostRowsInVain, classes);
  small_ = std::make_unique<EstimatorState>(
      small_options(state_, classes, std::min(rows_.count(), most)), state_.targets);
  if (rows_.count() <= most) return;
  some_ = std::make_unique<SomeRows>(rows_,
                                     drawn_rows(rows_.count(), most, state_.options.training.seed));
  rows_ = some_->rows;
}

Race::~Race() = default;

bool Race::is_one_stretch() const {
  return has_many_rows_ || state_.options.training.store_budget > 0;
}

std::size_t Race::epochs() const {
  const Lengths& lengths = lengths_of(state_, rows_.count());
  if (!has_many_rows_) return lengths.whole;
  const std::size_t visits =
      most_rows_for(kMostRows, classes_in(state_, rows_)) * lengths.of_small_ones;
  return std::clamp(visits / rows_.count(), kFewestEpochs, lengths.of_small_ones);
}

bool Race::is_interrupted() const { return callbacks_.interrupted && callbacks_.interrupted(); }

bool Race::is_over() const {
  return (callbacks_.ends_choosing && callbacks_.ends_choosing()) || is_interrupted();
}

Race::Runner Race::runner(const Preparation& way) {
  return {way, std::make_unique<Fitting>(small_ ? *small_ : state_, rows_, way)};
}

// Somebody wants to know, from the first second on.
void Race::tell(std::size_t ways, std::size_t epochs) {
  if (!callbacks_.choosing) return;
  const std::scoped_lock lock(telling_);
  learned_ += epochs;
  left_ -= std::min(left_, epochs);
  callbacks_.choosing({ways, learned_, learned_ + left_});
}

void Race::train(std::vector<Runner>& runners, std::size_t epochs) {
  left_ = 0;
  for (const Runner& each : runners) left_ += this->epochs() - each.epochs;
  // Whoever bounds the memory has one store of messages at a time.
  const bool is_bounded = state_.options.training.store_budget > 0;
  Workers workers(is_bounded ? 1 : resolved_threads(state_.options.training.threads));
  workers.run(runners.size(), [&](std::size_t k) {
    Fitting& fitting = *runners[k].fitting;
    // One epoch of the first is had in any case: there must be a model.
    std::size_t& trained = runners[k].epochs;
    const std::size_t step = fitting.has_stretches() ? 1 : epochs;
    while (trained < epochs) {
      const bool may_end = k > 0 || trained > 0;
      // Networks that go on afterwards end their epoch first.
      const auto ends = [&] { return may_end && is_one_stretch() ? is_over() : is_interrupted(); };
      if (may_end && is_over()) break;
      const std::size_t before = std::exchange(trained, std::min(epochs, trained + step));
      fitting.train(trained, {.interrupted = ends});
      tell(runners.size(), trained - before);
    }
    // Nobody asks any more who is best; the first is what is left.
    if (!is_one_stretch() || is_interrupted()) return;
    runners[k].scores = fitting.scores();
    runners[k].last_gain = fitting.last_gain();
    if (k > 0 || is_bounded) runners[k].fitting.reset();
  });
}

void Race::judge(std::vector<Runner>& runners) const {
  if (is_one_stretch()) return;  // they were, each as soon as it was trained
  for (Runner& each : runners) each.scores = each.fitting->scores();
}

// How far each is above the first, by the rows that both judge.
std::vector<double> Race::leads(const std::vector<Runner>& runners) {
  std::vector<double> out;
  for (const Runner& each : runners)
    out.push_back(difference(each.scores, runners.front().scores).mean);
  return out;
}

std::size_t Race::best_of(const std::vector<Runner>& runners) {
  const std::vector<double> found = leads(runners);
  return static_cast<std::size_t>(std::ranges::max_element(found) - found.begin());
}

// The first, unless another is clearly better. Few epochs of many rows favour what is learned fast: there a lead must be more than another epoch gives the
// first, and beyond doubt. Where it is not beyond doubt the earliest wins, which has the smoother functions.
std::size_t Race::winner_of(const std::vector<Runner>& runners) const {
  const std::size_t best = best_of(runners);
  if (!has_many_rows_)
    return difference(runners[best].scores, runners.front().scores).is_clear() ? best : 0;
  if (difference(runners[best].scores, runners.front().scores).mean <= runners.front().last_gain)
    return 0;
  std::vector<RowScores> scores;
  for (const Runner& each : runners) scores.push_back(each.scores);
  return first_not_behind(scores, beyond_doubt(epochs()));
}

// Never the first.
void Race::drop_those_behind(std::vector<Runner>& runners, const RaceStretch& stretch) {
  const std::vector<double> found = leads(runners);
  std::vector<std::size_t> order(runners.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](std::size_t a, std::size_t b) { return found[a] > found[b]; });
  const RowScores best = runners[best_of(runners)].scores, first = runners.front().scores;
  std::vector<Runner> out;
  for (const std::size_t k : order)
    if (k == 0 || (out.size() <= stretch.kept && !difference(best, runners[k].scores).is_clear() &&
                   difference(runners[k].scores, first).is_clear(stretch.least_lead)))
      out.push_back(std::move(runners[k]));
  runners = std::move(out);
}

void Race::run(const std::vector<Preparation>& ways) {
  if (!small_ && !runner(ways.front()).fitting->has_stretches()) use_small_ones();
  std::vector<Runner> runners;
  for (const Preparation& way : ways) runners.push_back(runner(way));
  for (const RaceStretch& stretch : lengths_of(state_, rows_.count()).stretches) {
    if (is_one_stretch() || !runners.front().fitting->has_stretches()) break;
    train(runners, stretch.epochs);
    judge(runners);
    for (Runner& each : runners) each.on_the_way.push_back(each.scores);
    drop_those_behind(runners, stretch);
  }
  train(runners, epochs());
  judge(runners);
  keep_small_model(runners.front());
  const bool has_no_scores = is_one_stretch() && is_interrupted();
  winner_ = std::move(runners[has_no_scores ? 0 : winner_of(runners)]);
}

void Race::challenge(const Preparation& way) {
  if (is_over()) return;
  std::vector<Runner> one;
  one.push_back(runner(way));
  for (std::size_t k = 0; k < winner_.on_the_way.size(); ++k) {
    train(one, lengths_of(state_, rows_.count()).stretches[k].epochs);
    judge(one);
    if (difference(winner_.on_the_way[k], one.front().scores).is_clear()) return;
  }
  train(one, epochs());
  judge(one);
  if (!is_over() && difference(one.front().scores, winner_.scores).mean > 0)
    winner_ = std::move(one.front());
}

const Preparation& Race::winner() const { return winner_.way; }

// Its networks do not go on. There is none if they diverged, and nobody judges them if nobody can end training early.
void Race::keep_small_model(const Runner& first) try {
  if (!callbacks_.interrupted && !callbacks_.ends_first_epoch) return;
  if (!small_ || !first.fitting || !first.fitting->has_learned()) return;
  small_reports_ = first.fitting->fit({.interrupted = [] { return true; }});
} catch (const InvalidArgument&) {
  throw;
} catch (const Error&) {
  small_reports_.clear();
}

std::optional<SmallModel> Race::take_small_model() {
  if (small_reports_.empty()) return std::nullopt;
  return SmallModel{std::move(*small_->fitted), std::move(small_reports_)};
}

std::unique_ptr<Fitting> Race::take_winner() {
  if (small_) return {};
  return std::move(winner_.fitting);
}

}  // namespace postrider::internal

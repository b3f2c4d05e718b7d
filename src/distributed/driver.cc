#include <cmath>
#include <utility>

#include "distributed/merging.h"
#include "postrider/distributed/parts.h"
#include "postrider/error.h"
#include "train/checkpoint.h"

namespace postrider::distributed {
using namespace internal;

struct DistributedDriver::State {
  State(EstimatorState& of_model, const DistributedOptions& how,
        std::span<const ByteString> summaries)
      : model(of_model), options(how), setting(of_model.options, of_model.targets, summaries) {
    options.validate();
    coordinator = make_coordinator(setting.state, setting.plan, options);
    if (!options.checkpoint.empty()) folder.emplace(options.checkpoint, setting.identity());
  }

  // Divides the sums of all members into those of each.
  std::vector<UnitSums> of_members(std::span<const std::int64_t> sums) const {
    const std::size_t size = setting.sum_size;
    if (sums.size() != size * setting.members)
      reject("sums", sums.size(), "must be those of all members");
    std::vector<UnitSums> out;
    for (std::size_t m = 0; m < setting.members; ++m) {
      const auto own = sums.subspan(m * size, size);
      out.emplace_back(own.begin(), own.end());
    }
    return out;
  }

  EstimatorState& model;
  DistributedOptions options;
  SpreadSetting setting;
  std::unique_ptr<Coordinator> coordinator;
  std::optional<CheckpointFolder> folder;
  std::optional<Step> step;  // that was told, and is not accepted yet: it holds all beliefs
  std::uint64_t epochs = 0;
  // Where checkpoints are written by time: when it was last asked whether one is due.
  CheckpointPace pace;
  CheckpointPace::Clock::time_point asked = {};
};

DistributedDriver::DistributedDriver(Estimator& model, const DistributedOptions& options,
                                     std::span<const ByteString> summaries)
    : state_(std::make_unique<State>(inside_of(model), options, summaries)) {}
DistributedDriver::~DistributedDriver() = default;
DistributedDriver::DistributedDriver(DistributedDriver&&) noexcept = default;
DistributedDriver& DistributedDriver::operator=(DistributedDriver&&) noexcept = default;

std::vector<std::string> DistributedDriver::warnings(
    std::span<const std::string> input_names) const {
  const TrainingPlan& plan = state_->setting.plan;
  return told_of_far(plan.far_inputs, plan.far_targets, plan.rows(), input_names);
}

ByteString DistributedDriver::next() const {
  state_->step = state_->coordinator->next();
  return state_->step ? packed(*state_->step) : ByteString{};
}

void DistributedDriver::accept(std::span<const std::int64_t> sums,
                               std::span<const ByteString> results) {
  Coordinator& coordinator = *state_->coordinator;
  const std::optional<Step> step = std::exchange(state_->step, std::nullopt);
  if (!step) throw Error("no step was told that is not accepted yet: there is nothing to accept");
  const SpreadSetting& setting = state_->setting;
  coordinator.accept(*step, by_member(sums, *step, setting.members, setting.sum_size),
                     in_order(results, step->tasks.size()));
  if (coordinator.is_between_epochs()) ++state_->epochs;
}

std::vector<EpochReport> DistributedDriver::take_reports() {
  return state_->coordinator->take_reports();
}
void DistributedDriver::cancel() { state_->coordinator->cancel(); }
std::uint64_t DistributedDriver::epochs() const { return state_->epochs; }

bool DistributedDriver::is_checkpoint_due() const {
  if (!state_->folder || !state_->coordinator->is_between_epochs() ||
      !state_->options.forget.empty())
    return false;
  const std::size_t every = state_->options.checkpoint_every;
  if (every > 0) return state_->epochs % every == 0;
  state_->asked = CheckpointPace::Clock::now();
  return state_->pace.is_due(state_->asked);
}

void DistributedDriver::write_manifest() const {
  // Holders wrote their parts since it was found to be due.
  if (state_->options.checkpoint_every == 0)
    state_->pace.wrote(CheckpointPace::Clock::now() - state_->asked);
  state_->folder->write_manifest(state_->epochs, state_->coordinator->saved());
  state_->folder->remove_others(state_->epochs, state_->setting.plan.shards());
}

std::optional<std::uint64_t> DistributedDriver::checkpoint() const {
  if (!state_->folder) return std::nullopt;
  const auto manifest = state_->folder->read_manifest();
  return manifest ? std::optional(manifest->epoch) : std::nullopt;
}

void DistributedDriver::resume(std::span<const std::int64_t> sums) {
  const auto manifest = state_->folder->read_manifest();
  if (!manifest) throw Error("there is no checkpoint in " + state_->options.checkpoint);
  state_->coordinator->load(manifest->bytes, state_->folder->manifest_path(),
                            state_->of_members(sums));
  state_->epochs = manifest->epoch;
}

void DistributedDriver::merge(std::span<const std::int64_t> sums) {
  const std::vector<RunToMerge> runs = runs_to_merge(state_->setting, state_->options.merge);
  std::vector<SavedRun> saved;
  for (const RunToMerge& run : runs)
    saved.push_back({run.manifest.bytes, run.folder.manifest_path(), run.rows});
  state_->coordinator->merge(saved, state_->of_members(sums));
}

void DistributedDriver::forget(std::span<const std::size_t> shards,
                               std::span<const std::int64_t> sums) {
  for (const std::size_t shard : shards)
    if (shard >= state_->setting.plan.shards())
      reject("forget", shard, "must be the number of a shard");
  state_->coordinator->forget(shards, state_->of_members(sums));
}

namespace {

// The score of single networks: what all together would have predicted of a row, no process knows.
std::optional<Estimator::OutOfFoldScore> out_of_fold_of(const FittedModel& model,
                                                        const DistributedReport& report) {
  const FitReport& fit = report.fits.front();
  if (fit.best_epoch == 0 || fit.best_epoch > fit.epochs.size()) return {};
  const EpochReport& best = fit.epochs[fit.best_epoch - 1];
  double unit = 0;
  for (const double deviation : model.targets.plain().deviation)
    unit += std::log(deviation) / static_cast<double>(model.targets.columns());
  return Estimator::OutOfFoldScore{best.score - unit, best.score_error, model.rows_learned};
}

}  // namespace

DistributedReport DistributedDriver::conclude() {
  const BeliefChange change(state_->model);
  const SpreadSetting& setting = state_->setting;
  FittedModel model = untrained(setting.state, setting.plan.summary, false);
  DistributedReport report;
  state_->coordinator->conclude(model, report);
  model.rows_learned = setting.plan.rows();
  model.out_of_fold = out_of_fold_of(model, report);
  state_->model.streams.reset();
  state_->model.fitted = std::move(model);
  return report;
}

}  // namespace postrider::distributed

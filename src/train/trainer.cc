#include "postrider/network/trainer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/workers.h"
#include "train/epoch_driver.h"
#include "train/groups.h"
#include "train/round.h"
#include "train/stream.h"
#include "train/targets.h"
#include "train/training_lane.h"

namespace postrider::network {
using namespace internal;
namespace {

// One network, whose own beliefs are what is learned.
template <class T>
class OneNetwork : public EpochEngine<T> {
 public:
  OneNetwork(TrainingJob& job, const TrainerOptions& options, Workers& workers)
      : EpochEngine<T>(lanes_of<T>(std::span(&job, 1), options)),
        options_(options),
        lane_(*lanes_.front()),
        network_(lane_.network),
        workers_(workers),
        rounds_(network_, lane_.sweeps, *lane_.targets, workers_,
                {options.parallel_groups, job.task.power, job.damping_or(options),
                 block_of(options, lane_.visited.size(), job.network.weight_count())}) {
    std::vector<std::uint32_t> learned = learned_rows(job.rows);
    const MessageShape shape = network_.engine.message_shape();
    const SweepLayer& first = network_.engine.layers().front();
    const InputRowsView<T>& inputs = lane_.sweeps.examples().inputs;
    group_size_ = group_size_of(options_, learned.size(), job.network.weight_count(),
                                message_bytes(shape, first, inputs, learned), kBudgetAlone);
    lane_.groups =
        std::make_unique<Groups>(std::move(learned), group_size_, options_.shuffle, job.seed);
    store_ = std::make_unique<MessageStore<T>>(
        shape, input_lists(*lane_.groups, inputs, first),
        options_.store == TrainerOptions::Store::mapped_file ? options_.store_path : std::string());
    network_.belief = network_.prior;
  }

  EngineArrays<T> arrays() override {
    return {network_.prior, network_.belief, *store_, workers_, 1, group_size_, 1};
  }

  void copy(const WeightMessages<T>& from, std::size_t /*lane*/,
            WeightMessages<T>& to) const override {
    to = from;
  }

  void begin_epoch(std::size_t epoch, std::span<const Progress<T>> progress) override {
    rounds_.allow_varying_noise(epoch > options_.constant_noise_epochs);
    lane_.sweeps.set_noise(progress.front().noise);
    seen_ = (epoch - 1) * lane_.learned();
  }

  void refresh(std::span<const std::uint32_t> order, std::size_t done) override {
    const std::span<const std::uint32_t> round =
        order.subspan(done, std::min(options_.parallel_groups, order.size() - done));
    rounds_.refresh(round, *lane_.groups, *store_, seen_);
    seen_ += lane_.rows_in(round);
  }

  // By the rows that it leaves out, or else by all as they were predicted before they were learned.
  std::vector<Assessment> assess(std::span<const Progress<T>> progress,
                                 std::span<const double> /*drift*/) override {
    const RoundEvents events = rounds_.take_events();
    lane_.epoch.linearised = events.linearised;
    lane_.epoch.silent = events.silent;
    lane_.epoch.guarded = events.guarded;
    lane_.epoch.bounded = events.bounded;
    const std::vector<double>& noise = progress.front().noise;
    if (lane_.left_out.empty()) return {lane_.targets->assess_all(lane_.sweeps.predicted(), noise)};
    rounds_.judge(lane_.left_out);
    return {lane_.assessment(noise)};
  }

  double training_score(const std::vector<double>& noise) override {
    return lane_.sweeps.score(network_.belief, noise, rounds_.workspace());
  }

 private:
  using EpochEngine<T>::lanes_;

  TrainerOptions options_;
  TrainingLane<T>& lane_;
  NetworkArrays<T>& network_;
  Workers& workers_;
  Rounds<T> rounds_;
  std::unique_ptr<MessageStore<T>> store_;
  std::size_t group_size_ = 1, seen_ = 0;
};

// In the precision of the network.
template <class T>
class TypedTrainer : public TrainerState {
 public:
  TypedTrainer(Network& network, NetworkArrays<T>& arrays, const TrainerOptions& trainer_options,
               const Trainer::Task& training_task)
      : whole_(network),
        network_(arrays),
        workers_(resolved_threads(trainer_options.threads)),
        targets_(make_targets<T>(training_task.likelihood, arrays.engine.layers().back().units)),
        sweeps_(arrays.engine, *targets_) {
    options = trainer_options;
    task = training_task;
    noise_variance = options.noise_variance = targets_->first_noise(options.noise_variance);
    expect_block(network_.engine.rule(), options);
  }

  TrainingRows prepared(const Inputs& inputs) const override {
    const Precision precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
    return {inputs, network_.engine.layers().front().inputs, precision};
  }

  TrainingOutcome fit(const RowsToLearn& rows, const TrainingCallbacks& callbacks) override {
    TrainingJob job{whole_, rows, task, options.seed};
    auto engine = std::make_unique<OneNetwork<T>>(job, options, workers_);
    store_bytes = engine->arrays().store.bytes();
    const auto training = begin_epochs<T>(std::move(engine), options, resume_from);
    resume_from.clear();
    training->run(kAllEpochs, callbacks);
    TrainingOutcome outcome = std::move(training->outcomes().front());
    noise_variance = outcome.noise_variance;
    seen = outcome.seen;
    return outcome;
  }

  StreamReport partial_fit(const RowsToLearn& rows) override {
    sweeps_.load(rows);
    if (!streaming_) begin_stream();
    const StreamReport report = learn_stream(
        network_, sweeps_, *targets_, *streaming_,
        {task.power, options.block, options.learn_noise, options.noise_variance, options.horizon},
        noise_variance, seen);
    scores = std::move(streaming_->scores);
    return report;
  }

  void undo_partial_fit() override {
    if (!streaming_) return;
    if (streaming_->window) streaming_->window->clear();
    network_.belief = streaming_->belief_before;
    noise_variance = streaming_->noise_before;
    seen = streaming_->seen_before;
  }

 private:
  void begin_stream() {
    // What walks is not the sum of what rows said.
    const bool has_window = options.stream_memory > 0 && task.drift.walk == 0;
    streaming_.emplace(StreamWork<T>{
        Sweeper<T>(network_.engine, targets_->observation(), &workers_),
        Drift<T>(network_, task.drift, walking_outputs(task.likelihood, network_), !has_window)});
    if (has_window)
      streaming_->window =
          std::make_unique<RowWindow<T>>(network_, task, options.stream_memory, options.seed);
  }

  Network& whole_;
  NetworkArrays<T>& network_;
  Workers workers_;
  std::unique_ptr<Targets<T>> targets_;  // of streams
  RowSweeps<T> sweeps_;
  std::optional<StreamWork<T>> streaming_;
};

}  // namespace

Trainer::Trainer(Network& network, const TrainerOptions& options, const Trainer::Task& task) {
  options.validate();
  task.validate();
  state_ = std::visit(
      [&]<class T>(NetworkArrays<T>& arrays) -> std::unique_ptr<TrainerState> {
        return std::make_unique<TypedTrainer<T>>(network, arrays, options, task);
      },
      inside_of(network).arrays);
}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

FitReport Trainer::fit(const Inputs& inputs, std::span<const double> targets,
                       std::span<const double> sample_weights, const TrainingCallbacks& callbacks) {
  return state_->fit({state_->prepared(inputs), targets, sample_weights}, callbacks).report;
}

StreamReport Trainer::partial_fit(const Inputs& inputs, std::span<const double> targets,
                                  std::span<const double> sample_weights) {
  return state_->partial_fit({state_->prepared(inputs), targets, sample_weights});
}

void Trainer::resume(const std::string& checkpoint) { state_->resume_from = checkpoint; }

const std::vector<double>& Trainer::noise_variance() const { return state_->noise_variance; }

std::size_t Trainer::seen() const { return state_->seen; }

void Trainer::set_seen(std::size_t examples) { state_->seen = examples; }

std::size_t Trainer::store_bytes() const { return state_->store_bytes; }

}  // namespace postrider::network

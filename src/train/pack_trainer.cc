#include "train/pack_trainer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/workers.h"
#include "train/epoch_driver.h"
#include "train/pack_rows.h"

namespace postrider::internal {
namespace {

// Running sums of floats drift by a millionth in so many epochs; to rebuild them reads all messages.
constexpr std::size_t kRebuildEvery = 8;
// Events are counted in lanes: so far even a float counts one by one.
constexpr std::size_t kCountable = std::size_t{1} << 23;

template <class T>
class Pack : public EpochEngine<T> {
 public:
  Pack(std::span<TrainingJob> jobs, const TrainerOptions& options)
      : EpochEngine<T>(lanes_of<T>(jobs, options)),
        options_(options),
        workers_(resolved_threads(options.threads)),
        engine_(sweep_layers(jobs.front().network.options()), jobs.front().network.options().rule),
        beliefs_(engine_.weights()),
        prior_(beliefs_.belief.size()),
        workspace_(engine_.layers()) {
    const bool same_rows = std::ranges::all_of(
        lanes_, [&](const auto& lane) { return learn_the_same(lane->job, lanes_.front()->job); });
    const auto inputs_of = [](const auto& lane) { return &lane->job.rows.inputs; };
    const bool same_inputs = std::ranges::all_of(
        lanes_, [&](const auto& lane) { return inputs_of(lane) == inputs_of(lanes_.front()); });
    make_groups(same_rows, same_inputs);
    damping_ = damping_of_all();
    judge_ = std::make_unique<PackJudge<T>>(lanes_, same_inputs);
    set_priors();
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      data_.examples[m] = lanes_[m]->sweeps.examples();
      data_.predictions[m] = lanes_[m]->sweeps.predictions();
    }
    store_ = std::make_unique<MessageStore<T>>(
        engine_.message_shape(), rows_->input_lists(data_, engine_.layers().front()),
        options_.store == TrainerOptions::Store::mapped_file ? options_.store_path : std::string());
  }

  EngineArrays<T> arrays() override {
    return {prior_, beliefs_.belief, *store_, workers_, kPack, group_size_, kRebuildEvery};
  }

  void copy(const WeightMessages<T>& from, std::size_t lane, WeightMessages<T>& to) const override {
    const auto& positions = lanes_[lane]->network.positions;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      to.tau[positions[k]] = from.tau[k * kPack + lane];
      to.rho[positions[k]] = from.rho[k * kPack + lane];
    }
  }

  // Where rows share a message, what several new ones say at once is too strong: networks may go astray.
  bool learn_all_rows(std::size_t lane) override {
    if (group_size_ > 1) return false;
    const TrainingLane<T>& of = *lanes_[lane];
    rows_->set_powers(lane, of.powers_of_all(of.job.damping_or(options_)));
    return true;
  }

  void begin_epoch(std::size_t epoch, std::span<const Progress<T>> progress) override {
    epoch_ = epoch;
    counted_steps_ = 0;
    observation_ = lanes_.front()->targets->observation(epoch > options_.constant_noise_epochs);
    noise_.clear();
    for (std::size_t k = 0; k < progress.front().noise.size(); ++k)
      for (std::size_t m = 0; m < kPack; ++m)
        noise_.push_back(static_cast<T>(progress[m < lanes_.size() ? m : 0].noise[k]));
  }

  void refresh(std::span<const std::uint32_t> order, std::size_t done) override {
    PackGroup<T> group = rows_->group(order[done]);
    if (done + 1 < order.size()) {
      group.next_tau = store_->tau(order[done + 1]);
      group.next_rho = store_->rho(order[done + 1]);
    }
    counted_steps_ += group.steps();
    if (counted_steps_ * engine_.weights() > kCountable) {
      take_events();
      counted_steps_ = group.steps();
    }
    engine_.refresh(
        beliefs_, store_->tau(order[done]), store_->rho(order[done]), data_, group,
        {noise_, block_after(done), damping_, observation_.get(), judge_->asks_before_learning()},
        workspace_);
  }

  std::vector<Assessment> assess(std::span<const Progress<T>> progress,
                                 std::span<const double> drift) override {
    take_events();
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      EpochReport& report = lanes_[m]->epoch;
      report.silent -= std::min(report.silent, activations_without_row(m));
    }
    judge_->predict(engine_, beliefs_, data_, noise_, workspace_);
    return judge_->assessments(progress, drift);
  }

 private:
  using EpochEngine<T>::lanes_;

  void make_groups(bool same_rows, bool same_inputs) {
    std::size_t most = 0;
    for (const auto& lane : lanes_) most = std::max(most, lane->visited.size());
    group_size_ = group_size_of(options_, most, lanes_.front()->job.network.weight_count(),
                                bytes_of_pack<T>(lanes_.front()->job, same_rows), kBudgetTogether);
    block_ = internal::block_of(options_, most, lanes_.front()->job.network.weight_count());
    std::vector<typename PackSteps<T>::Lane> rows;
    for (auto& lane : lanes_) {
      lane->groups =
          std::make_unique<Groups>(lane->visited, group_size_, options_.shuffle, lane->job.seed);
      rows.push_back({*lane->groups, lane->powers(lane->job.damping_or(options_))});
    }
    rows_ = std::make_unique<PackSteps<T>>(rows, same_inputs);
  }

  // Lanes that no network is in have the first one's priors.
  void set_priors() {
    for (std::size_t k = 0; k < engine_.weights(); ++k) {
      for (std::size_t m = 0; m < kPack; ++m) {
        const NetworkArrays<T>& network = lanes_[m < lanes_.size() ? m : 0]->network;
        prior_.tau[k * kPack + m] = network.prior.tau[network.positions[k]];
        prior_.rho[k * kPack + m] = network.prior.rho[network.positions[k]];
      }
      beliefs_.least[k] = *std::min_element(&prior_.rho[k * kPack], &prior_.rho[k * kPack] + kPack);
    }
    beliefs_.belief = prior_;
  }

  // As for one network alone: few examples at a time while few were seen.
  std::size_t block_after(std::size_t done) const {
    const std::size_t seen =
        epoch_ == 1 ? done * group_size_ : std::numeric_limits<std::size_t>::max();
    return block_size(lanes_.front()->network.engine, beliefs_.belief.size(), block_, seen);
  }

  void take_events() {
    const PackCounts<T>& counts = workspace_.counts;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      EpochReport& report = lanes_[m]->epoch;
      report.linearised += static_cast<std::size_t>(counts.linearised[m]);
      report.silent += static_cast<std::size_t>(counts.silent[m]);
      report.guarded += static_cast<std::size_t>(counts.guarded[m]);
      report.bounded += static_cast<std::size_t>(counts.bounded[m]);
    }
    workspace_.counts = {};
  }

  // None if no network has any.
  std::vector<T> damping_of_all() const {
    std::vector<T> out(kPack);
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      out[m] = static_cast<T>(lanes_[m]->job.damping_or(options_));
    if (std::ranges::all_of(out, [](T damping) { return damping == 0; })) out.clear();
    return out;
  }

  // At steps that are for others all activations of a network are silent.
  std::size_t activations_without_row(std::size_t m) const {
    std::size_t activations = 0;
    for (std::size_t l = 0; l + 1 < engine_.layers().size(); ++l)
      activations += engine_.layers()[l].units;
    return (rows_->steps() - lanes_[m]->visited.size()) * activations;
  }

  TrainerOptions options_;
  Workers workers_;
  PackEngine<T> engine_;
  PackBeliefs<T> beliefs_;
  WeightMessages<T> prior_;
  PackWorkspace<T> workspace_;
  std::unique_ptr<PackJudge<T>> judge_;
  std::unique_ptr<PackSteps<T>> rows_;
  std::unique_ptr<MessageStore<T>> store_;
  PackData<T> data_;
  std::vector<T> noise_, damping_;  // of all lanes
  std::unique_ptr<Observation<T>> observation_;
  std::size_t epoch_ = 0, group_size_ = 1, block_ = 0, counted_steps_ = 0;
};

}  // namespace

bool can_be_packed(const TrainerOptions& options) {
  return options.parallel_groups == 1 && options.stopping != TrainerOptions::Stopping::paper;
}

std::unique_ptr<TrainingRun> begin_pack(std::span<TrainingJob> jobs,
                                        const TrainerOptions& options) {
  check(!jobs.empty() && jobs.size() <= kPack, "a pack holds 1 to 16 networks");
  check(can_be_packed(options), "options that a pack can follow");
  options.validate();
  for (const TrainingJob& job : jobs) job.task.validate();
  if (jobs.front().network.options().precision == network::Precision::float32)
    return begin_epochs<float>(std::make_unique<Pack<float>>(jobs, options), options);
  return begin_epochs<double>(std::make_unique<Pack<double>>(jobs, options), options);
}

std::vector<TrainingOutcome> fit_pack(std::span<TrainingJob> jobs, const TrainerOptions& options,
                                      const TrainingCallbacks& callbacks) {
  const std::unique_ptr<TrainingRun> training = begin_pack(jobs, options);
  training->run(kAllEpochs, callbacks);
  return training->outcomes();
}

}  // namespace postrider::internal

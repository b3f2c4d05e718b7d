#include "bench/epoch/rounds.h"

#include <algorithm>
#include <limits>

#include "bench/common/stopwatch.h"
#include "bench/epoch/network_of.h"
#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "train/fleet.h"

namespace postrider::bench {
using namespace internal;
namespace {

// Turns last at least so long: 50 ms are far above the clock's resolution and a thread switch.
constexpr double kTurn = 0.05, kQuickTurn = 0.002;
// After so many batches the losses of both Adams are compared. Training magnifies what differs in the
// last bits, so they must be few.
constexpr std::size_t kComparedBatches = 2;
constexpr double kNoiseVariance = 0.1;

// Collects the epochs of one turn. The first finds caches that hold another contender's data, and
// does not count if there are more.
class Turn {
 public:
  explicit Turn(double seconds) : least_(seconds) {}

  void add(double seconds) {
    total_ += seconds;
    ++epochs_;
    if (epochs_ == 1) first_ = seconds;
  }
  bool is_full() const { return total_ >= least_; }
  double seconds_per_epoch() const {
    return epochs_ == 1 ? total_ : (total_ - first_) / static_cast<double>(epochs_ - 1);
  }

 private:
  double least_, total_ = 0, first_ = 0;
  std::size_t epochs_ = 0;
};

double turn_of(Contender& contender, double seconds) {
  Turn turn(seconds);
  while (!turn.is_full()) {
    const Stopwatch watch;
    contender.epoch();
    turn.add(watch.seconds());
  }
  return turn.seconds_per_epoch();
}

// Both Adams. The first epoch touches memory and does not count, as with the trainer.
struct Others {
  std::unique_ptr<Contender> torch, hand;

  Others(const Case& of, const TrainingSet& set)
      : torch(make_torch_adam(of, set)), hand(make_hand_adam(of, set)) {
    if (torch) torch->epoch();
    hand->epoch();
  }
  void take_turns(double seconds, Rounds& rounds) const {
    if (torch) rounds.torch.push_back(turn_of(*torch, seconds));
    rounds.hand.push_back(turn_of(*hand, seconds));
  }
};

TrainerOptions trainer_options(const Case& of) {
  TrainerOptions options;
  options.max_epochs = std::numeric_limits<std::size_t>::max();
  options.stopping = TrainerOptions::Stopping::epochs;
  options.group_size = of.batch;
  options.noise_variance = {kNoiseVariance};
  options.learn_noise = false;
  options.threads = 1;
  return options;
}
// Our first epochs touch the memory of the stored messages, and learn examples one by one.
constexpr std::size_t kFirstEpochs = 2;

std::vector<double> doubles(const std::vector<float>& from) { return {from.begin(), from.end()}; }

void compare_losses(Case of, TrainingSet set, Rounds& rounds) {
  of.rows = std::min(of.rows, kComparedBatches * of.batch);
  set.inputs.resize(of.rows * of.widths.front());
  set.targets.resize(of.rows * of.widths.back());
  const auto loss_of = [](const std::unique_ptr<Contender>& contender) {
    if (!contender) return 0.0;
    contender->epoch();
    return contender->loss();
  };
  rounds.torch_loss = loss_of(make_torch_adam(of, set));
  rounds.hand_loss = loss_of(make_hand_adam(of, set));
}

void check_rounds(const Case& of, const Rounds& rounds, std::size_t repeats) {
  if (rounds.ours.size() < repeats)
    reject("case", of.name, "training ended early: the score was no number");
}

}  // namespace

Rounds run_rounds(const Case& of, const TrainingSet& set, std::size_t repeats, bool quick) {
  const Others others(of, set);
  const double seconds = quick ? kQuickTurn : kTurn;
  Rounds rounds;
  compare_losses(of, set, rounds);
  Turn ours(seconds);
  // The trainer keeps the floor for as long as it trains, so the others have their turns when it
  // reports.
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    if (report.epoch <= kFirstEpochs) return true;
    ours.add(report.seconds);
    if (!ours.is_full()) return true;
    rounds.ours.push_back(ours.seconds_per_epoch());
    ours = Turn(seconds);
    others.take_turns(seconds, rounds);
    return rounds.ours.size() < repeats;
  };
  network::Network network(network_of(of));
  network::Trainer trainer(network, trainer_options(of));
  const std::vector<double> inputs = doubles(set.inputs);
  trainer.fit({inputs}, doubles(set.targets), {}, callbacks);
  check_rounds(of, rounds, repeats);
  return rounds;
}

EnsembleRounds run_ensemble_rounds(const EnsembleCase& ensemble, const TrainingSet& set,
                                   std::size_t repeats, bool quick) {
  const Case& of = ensemble.of;
  const Others others(of, set);
  const double seconds = quick ? kQuickTurn : kTurn;
  EnsembleRounds rounds;
  compare_losses(of, set, rounds);
  rounds.best_epoch = std::numeric_limits<double>::infinity();
  Turn ours(seconds);
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    // All members of a pack tell its time, divided by their number.
    if (report.member != 0 || report.epoch <= kFirstEpochs) return true;
    ours.add(report.seconds * static_cast<double>(ensemble.members));
    rounds.best_epoch = std::min(rounds.best_epoch, report.seconds);
    if (!ours.is_full()) return true;
    rounds.ours.push_back(ours.seconds_per_epoch() / static_cast<double>(ensemble.members));
    ours = Turn(seconds);
    const VectorRates rates = measure_vector_rates(true);
    if (rates.multiply_adds > rounds.rates.multiply_adds) rounds.rates = rates;
    others.take_turns(seconds, rounds);
    return rounds.ours.size() < repeats;
  };
  std::vector<network::Network> networks;
  for (std::size_t m = 0; m < ensemble.members; ++m) {
    network::NetworkOptions options = network_of(of);
    options.seed = m + 1;
    networks.emplace_back(options);
  }
  const std::vector<double> inputs = doubles(set.inputs), targets = doubles(set.targets);
  const TrainingRows rows({inputs}, of.widths.front(), networks.front().options().precision);
  std::vector<TrainingJob> jobs;
  for (network::Network& network : networks) jobs.push_back({network, {rows, targets}, {}});
  fit_all(jobs, trainer_options(of), callbacks);
  check_rounds(of, rounds, repeats);
  return rounds;
}

}  // namespace postrider::bench

#include "bench/epoch/rounds.h"

#include <algorithm>
#include <limits>

#include "bench/common/stopwatch.h"
#include "bench/epoch/network_of.h"
#include "postrider/error.h"
#include "postrider/trainer.h"

namespace postrider::bench {
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

}  // namespace

Rounds run_rounds(const Case& of, const TrainingSet& set, std::size_t repeats, bool quick) {
  const std::unique_ptr<Contender> torch = make_torch_adam(of, set), hand = make_hand_adam(of, set);
  const double seconds = quick ? kQuickTurn : kTurn;
  Rounds rounds;
  compare_losses(of, set, rounds);
  // As with the trainer, the first epoch touches memory and does not count.
  if (torch) torch->epoch();
  hand->epoch();

  Turn ours(seconds);
  TrainerOptions options;
  options.max_epochs = std::numeric_limits<std::size_t>::max();
  options.stopping = Stopping::epochs;
  options.group_size = of.batch;
  options.noise_variance = {kNoiseVariance};
  options.learn_noise = false;
  // The trainer keeps the floor for as long as it trains, so the others have their turns when it
  // reports. Its first epochs are not counted: they touch the memory of the stored messages, and
  // learn examples one by one.
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    if (report.epoch <= 2) return true;
    ours.add(report.seconds);
    if (!ours.is_full()) return true;
    rounds.ours.push_back(ours.seconds_per_epoch());
    ours = Turn(seconds);
    if (torch) rounds.torch.push_back(turn_of(*torch, seconds));
    rounds.hand.push_back(turn_of(*hand, seconds));
    return rounds.ours.size() < repeats;
  };
  Network network(network_of(of));
  Trainer trainer(network, options);
  const std::vector<double> inputs(set.inputs.begin(), set.inputs.end());
  const std::vector<double> targets(set.targets.begin(), set.targets.end());
  trainer.fit({inputs}, targets, {}, callbacks);
  if (rounds.ours.size() < repeats)
    reject("case", of.name, "training ended early: the score was no number");
  return rounds;
}

}  // namespace postrider::bench

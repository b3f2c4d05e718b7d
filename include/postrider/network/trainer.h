// Training a Network on rows of inputs and targets.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/network/network.h"
#include "postrider/training.h"

namespace postrider::internal {
struct Access;
class TrainerState;
}  // namespace postrider::internal

namespace postrider::network {

// The belief in every weight is its prior times one stored message per group of examples. A group's
// message is taken out, its examples are swept one after another, and what they then say is the
// group's new message: an epoch refreshes all groups once.

// What a target is: a number per output with Gaussian noise, or one class number per row. With
// classes, each output is the score of a class, seen with Gaussian noise, and the largest decides; a
// single output decides between two classes by its sign, class 1 being the positive one.
// With varying_noise the first half of the outputs are means, and the noise of each target is the
// trainer's noise variance times the exponential of an output of the second half.
enum class Likelihood { gaussian, classes, varying_noise };

// With Likelihood::classes: as many as there are outputs, and two if there is one.
POSTRIDER_EXPORT std::size_t classes_of(std::size_t outputs);
// Row by row the probabilities of the classes, from the scores that Network::predict gives and the
// trainer's noise variance. The variances of scores and noise are both multiplied by the temperature.
POSTRIDER_EXPORT std::vector<double> class_probabilities(const Network::OutputMoments& scores,
                                                         std::size_t outputs, double noise_variance,
                                                         unsigned threads = 1,
                                                         double temperature = 1);

// Same options, data and seed give the same bits, for any number of threads and however often
// training was stopped and resumed. Instruction sets may differ by rounding.
class POSTRIDER_EXPORT Trainer {
 public:
  // What is learned, where that is not for the user of an estimator to choose.
  struct POSTRIDER_EXPORT Task {
    Likelihood likelihood = Likelihood::gaussian;
    // Each example's messages to the weights are raised to this power. Above 1 for networks with many
    // more weights than examples; the gain of one example must stay well below 2.
    double power = 1;
    StreamReport::DriftRate drift = {};  // of partial_fit() alone
    // Noise variances of standardised targets, one for each output, that are known and are not learned. Training
    // begins with the options' and comes down to these; what counts as the best epoch is decided from there on.
    std::vector<double> known_noise = {};

    void validate() const;  // throws InvalidArgument
  };

  // The scores of one network, and its trainer's noise variance.
  struct NoisyScores {
    Network::OutputMoments scores;
    double noise_variance = 0;
  };

  // The network must outlive the trainer.
  Trainer(Network& network, const TrainerOptions& options = {})
      : Trainer(network, options, Task{}) {}
  Trainer(Network& network, const TrainerOptions& options, const Task& task);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  // Targets row by row: one per output, one class number from 0, or one for each mean where the noise
  // varies. One that is not a number is missing and teaches nothing. Starts from the priors, or goes
  // on from a checkpoint if one was resumed. Sample weights are none, or a number above 0 for each row:
  // its messages are raised to that power, besides the task's, and it counts so much in noise and
  // scores. A row of a large weight is better learned as several: see weighted_rows().
  FitReport fit(const Inputs& inputs, std::span<const double> targets,
                std::span<const double> sample_weights = {},
                const TrainingCallbacks& callbacks = {});

  // One pass over new rows that stores nothing: what they say is multiplied into the beliefs for
  // good. For streams; pass each row only once. The noise is learned row by row, so that it does not
  // matter how a stream is cut into calls.
  StreamReport partial_fit(const Inputs& inputs, std::span<const double> targets,
                           std::span<const double> sample_weights = {});

  // Goes on from a checkpoint: call before fit(), with the same data and options. The checkpoint
  // tells if they are others.
  void resume(const std::string& checkpoint);

  const std::vector<double>& noise_variance() const;
  // Examples learned so far, each epoch anew: what a stream that goes on must know.
  std::size_t seen() const;
  void set_seen(std::size_t examples);
  // Bytes of the stored messages.
  std::size_t store_bytes() const;

 private:
  friend struct internal::Access;
  std::unique_ptr<internal::TrainerState> state_;
};

// The temperature at which rows that were not learned are predicted best, by the average of these
// networks' probabilities; near 1 where rows are few. Factorised beliefs are too cautious about
// classes: a factorised network that predicts an example without what it said itself does so worse
// than it predicts new rows, and the scores it learns are no surer than that. Weights say how often
// each row counts, or are none.
POSTRIDER_EXPORT double class_temperature(std::span<const Trainer::NoisyScores> networks,
                                          std::size_t outputs, std::span<const std::size_t> labels,
                                          unsigned threads = 1,
                                          std::span<const double> weights = {});

}  // namespace postrider::network

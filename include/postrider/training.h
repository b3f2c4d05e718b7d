// How training goes, of estimators and of a Trainer: options, callbacks, reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/options.h"

namespace postrider {

// After each epoch.
struct EpochReport {
  std::size_t epoch = 0;   // from 1
  std::size_t member = 0;  // of an estimator with several networks, from 0
  // Mean log-likelihood of a target; nats. Of an estimator's networks: of rows that a network has not learned, by its beliefs
  // after the epoch, and of all networks together. Of a Trainer's: just before its example was learned, when the group's
  // old message was out; other rows' messages have still heard of it, so that this flatters where weights are many and
  // noise is large.
  double score = 0;
  double score_error = 0;  // its standard error over rows
  // Mean log-likelihood of the training targets after the epoch; only with TrainerOptions::Stopping::paper.
  double training_score = 0;
  // Per output, or one where targets are classes or the noise varies; as the next epoch will use it.
  std::vector<double> noise_variance;
  // For the first target, the median over rows where the noise varies, else the first of those above.
  double typical_noise_variance = 0;
  std::size_t best_epoch = 0;  // of the score
  double seconds = 0;
  // Largest relative difference between the running beliefs and the same rebuilt, in double, from
  // the prior and the stored messages, which replace them.
  double drift = 0;
  std::size_t linearised = 0;  // activation messages that would have been improper
  std::size_t silent = 0;      // activations to which nothing of weight came back
  std::size_t bounded = 0;     // precisions that rounding would have taken below the prior's
  // Messages of targets that were put back into their bounds: of classes, where rounding had taken
  // them out; of varying noise, after a surprise.
  std::size_t guarded = 0;
  // For whoever guesses the time left: how many networks there will be, and epochs at most.
  std::size_t members = 1, max_epochs = 0;
};

struct POSTRIDER_EXPORT TrainerOptions {
  enum class Stopping {
    score,  // when the score has not risen for `patience` epochs; the best epoch's beliefs are kept
    paper,  // when the training log-likelihood changes by a share of less than `tolerance`
    epochs,  // after `max_epochs`
  };
  enum class Store { memory, mapped_file };
  // How much time the score is worth. `quick`: training ends soon, and an estimator does not choose encodings. `thorough`: it ends late, and
  // ways to prepare columns race for longer. docs/network/training.md has the numbers.
  enum class Effort { quick, standard, thorough };
  enum class Shuffle {
    none,
    once,
    every_epoch
  };  // rows once into groups; then the order of groups

  // 0: as many as training needs within a budget, see epoch_budget().
  std::size_t max_epochs = 0;
  Stopping stopping = Stopping::score;
  std::size_t patience = 0;  // 0: as the effort says, 30 if that is standard
  Effort effort = Effort::standard;
  double tolerance = 0.1;

  // Examples per stored message; 0: as few as fit the budget, one being best; sixteen or more from 3000 examples on, where
  // it makes no difference but of time and memory.
  std::size_t group_size = 0;
  Store store = Store::memory;
  std::string store_path = {};  // of the mapped file
  // Bytes, for group_size = 0. 0: 320 MiB for a network by itself, 512 MiB for all that are trained side by side.
  std::size_t store_budget = 0;

  // To begin with: one for all outputs or one each; one where targets are classes or the noise varies.
  // Empty: 0.5, or 0.05 for classes.
  std::vector<double> noise_variance = {};
  bool learn_noise = true;
  // Where the noise varies: epochs in which it does not yet. Early on the means are wrong nearly
  // everywhere, and noise that could vary would take the place of what they should learn.
  std::size_t constant_noise_epochs = 10;

  // The share of a group's stored message that each epoch keeps instead of saying it anew. With at least
  // 1 - 2/power, large powers do not overshoot. Scores and learned noise come from predictions without
  // all that the group had said.
  double damping = 0;
  // Before each epoch the means move on by this share of their last step, and back after it; not after an epoch with a lower score. Saves epochs. Where
  // training does not stop by the score it has no effect.
  double extrapolation = 0.8;
  // Once training has ended near its best epoch, networks that are trained side by side learn all rows, also those that they
  // left out, for this share of the epochs so far, where each has a message of its own. 0: none.
  double refit = 0.2;
  // Examples swept from one snapshot of the beliefs: 1, 2, 4 or 8; 0: 8 from 3000 examples on or where the beliefs do not
  // fit the cache, else 1. The first examples of all are swept one by one in either case.
  std::size_t block = 0;
  // Groups refreshed side by side from one snapshot. Results depend on this number, and do not
  // depend on `threads`.
  std::size_t parallel_groups = 1;
  // They share the passes over large layers, and the groups of a round; no result depends on them. 0: all
  // cores.
  unsigned threads = 1;

  Shuffle shuffle = Shuffle::once;
  std::uint64_t seed = 1;

  // For streams: how many rows ahead predictions are made. Rows of a call of partial_fit() are judged by
  // beliefs from before the last so many of them were learned, at most: scores, noise and weights of drift
  // rates are those of such predictions. If a day of 24 rows is learned and the next then predicted, it is 24.
  std::size_t horizon = 1;
  // Bytes for the messages of recent rows, which are refreshed while there is room for them: two rows for each new
  // one. 0: none. A file does not hold them: what they said is part of the beliefs.
  std::size_t stream_memory = 0;

  // If not empty, the state is written here after every `checkpoint_every` epochs; 0: by time, such that writing takes at most 5 % of it.
  std::string checkpoint = {};
  std::size_t checkpoint_every = 1;
  // Goes on from the checkpoint if its file is there.
  bool resume = false;

  void validate(
      OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) const;  // throws InvalidArgument
  friend bool operator==(const TrainerOptions&, const TrainerOptions&) = default;
};

// How many epochs training may take where that is not asked for: 400, fewer from a thousand rows on (400 000
// rows are learned in all), but not below 40.
POSTRIDER_EXPORT std::size_t epoch_budget(std::size_t rows);

// Passed to a call that trains, and not kept.
struct TrainingCallbacks {
  // How far the race of encodings and target scales is.
  struct Choosing {
    std::size_t ways = 0;  // that are still in it
    std::size_t epochs = 0,
                most_epochs = 0;  // of all ways together: learned, and at most to be learned
  };

  // After every epoch; false ends training.
  std::function<bool(const EpochReport&)> progress = {};
  // Asked now and then within epochs, by any thread; true ends training, and the epoch that was begun
  // counts only if there was none before.
  std::function<bool()> interrupted = {};
  // While encodings and target scales of an estimator race, by one thread at a time: after each epoch of one of them. The
  // winner's own epochs are told as progress when the race is over.
  std::function<void(const Choosing&)> choosing = {};
  // Asked meanwhile, by any thread; true ends the race, and training goes on with what was best until then.
  std::function<bool()> ends_choosing = {};
  // Asked likewise in the first epoch of networks that were not in the race; true ends training, if those that were are a model already.
  std::function<bool()> ends_first_epoch = {};
  // Trouble that does not end training, such as a checkpoint that cannot be written, or numbers that are far from all others.
  std::function<void(const std::string&)> warning = {};
  std::vector<std::string> input_names = {};  // for warnings; none: inputs have numbers
};

struct POSTRIDER_EXPORT FitReport {
  // `little_to_gain`: by the last third of the epochs, another tenth of the time would raise the score by less than
  // `effort` asks for.
  // `diverged`: the score or a belief was no longer a number. The network then has the beliefs of the
  // best epoch, or the priors if there is none, whatever the stopping rule.
  enum class StopReason { converged, patience, max_epochs, cancelled, diverged, little_to_gain };

  std::vector<EpochReport> epochs;  // also those before training was resumed
  std::size_t best_epoch = 0;       // whose beliefs the network has now; 0: the priors
  StopReason reason = StopReason::max_epochs;
  double damping = 0;            // that it was trained with: an estimator may have chosen it
  std::size_t refit_epochs = 0;  // of all rows, also those that were left out, after the others

  // The score of the best epoch; minus infinity if there is none.
  double best_score() const;
  // Whether more epochs are likely to help: all that were allowed are used, and in the last tenth of them the score rose by
  // more than 0.005 nats per row.
  bool may_still_rise() const;
};

POSTRIDER_EXPORT std::string_view to_string(FitReport::StopReason reason);

// One call of partial_fit().
struct POSTRIDER_EXPORT StreamReport {
  // Rows of a stream that were suddenly predicted worse than was expected of them.
  struct Change {
    std::size_t began = 0, found = 0;  // rows, counted from 0 at the stream's beginning
    double strength = 0;               // log-likelihood lost per row meanwhile, nats
  };

  // How beliefs drift between the rows of a stream. With each row the share `forgetting` of what was learned is
  // lost: natural parameters go back so far towards the prior's. And the biases of the outputs walk: their
  // variances grow by `walk`, in standardised units.
  struct DriftRate {
    double forgetting = 0;
    double walk = 0;

    friend bool operator==(const DriftRate&, const DriftRate&) = default;
  };

  // One rate of drift, and the probability that it is the best: it has the weight in predictions.
  struct Rate {
    DriftRate rate;
    double weight = 1;
    bool has_window = false;  // recent rows are refreshed
  };

  std::size_t rows = 0;
  // Mean log-likelihood of the targets, each predicted before it was learned. Nats.
  double score = 0;
  std::vector<double> noise_variance;  // as the next rows will be learned with
  // As in EpochReport.
  std::size_t linearised = 0, silent = 0, guarded = 0;
  // Targets farther than ten standard deviations from those that set the scales, moved to there.
  std::size_t far_targets = 0;
  // False: the new beliefs were no numbers, or no beliefs, and the old ones were kept: nothing was
  // learned from these rows.
  bool sound = true;
  // An estimator sets it, and only when its rows have doubled: see Estimator::is_too_narrow().
  bool too_narrow = false;
  std::vector<Change> changes = {};  // of an estimator: found in these rows
  std::vector<Rate> rates = {};      // of an estimator: after these rows

  void add(const StreamReport& more);  // of the next call: both as one
};

}  // namespace postrider

#include "train/option_table.h"

#include "train/noise.h"

namespace postrider::internal {

const std::vector<OptionRow<TrainerOptions>>& training_option_rows() {
  using Options = TrainerOptions;
  static const std::vector<OptionRow<Options>> rows{
      option_row<&Options::max_epochs>({.name = "max_epochs",
                                        .command_line = "--max-epochs",
                                        .python = "max_epochs",
                                        .zero_chooses = true,
                                        .help = "Passes over the rows, at most; chosen: 400, fewer "
                                                "from a thousand rows on, at least 40; a quarter "
                                                "of it for quick effort, and 2.5 times "
                                                "for thorough."}),
      option_row<&Options::patience>({.name = "patience",
                                      .command_line = "--patience",
                                      .python = "patience",
                                      .zero_chooses = true,
                                      .help =
                                          "Training ends when rows that networks have not learned "
                                          "were not predicted better for so many epochs; "
                                          "the best epoch's beliefs are kept. Chosen: 30, 6 for "
                                          "quick effort and 60 for thorough, "
                                          "fewer from 7000 rows on."}),
      option_row<&Options::effort>(
          {.name = "effort",
           .command_line = "--effort",
           .python = "effort",
           .help = "How much time the score is worth: quick ends soon and chooses no encoding; "
                   "thorough ends late and lets encodings race for longer."}),
      option_row<&Options::stopping>(
          {.name = "stopping",
           .help =
               "When training ends: by the score and patience, by the paper's rule, or after all "
               "epochs."}),
      option_row<&Options::tolerance>(
          {.name = "tolerance",
           .least = 0,
           .help = "The paper's rule stops when the training log-likelihood changes by less than "
                   "this share."}),
      option_row<&Options::damping>(
          {.name = "damping",
           .command_line = "--damping",
           .python = "damping",
           .least = 0,
           .most = 0.999,
           .help = "Share of a stored message that each epoch keeps. 1 - 1/power learns each row "
                   "from the cavity without one of its copies: errors are lower where rows say "
                   "much about few others, and epochs are more."}),
      option_row<&Options::extrapolation>(
          {.name = "extrapolation",
           .least = 0,
           .most = 0.99,
           .help =
               "Share of its last step by which each mean runs ahead, which saves epochs; where "
               "training stops by the score."}),
      option_row<&Options::refit>(
          {.name = "refit",
           .least = 0,
           .most = 10,
           .help = "Once training has ended near its best epoch, networks learn all rows, also "
                   "those that they left out, for this share of the epochs so far; 0 for none."}),
      option_row<&Options::learn_noise>(
          {.name = "learn_noise", .help = "Whether the noise of the targets is learned."}),
      option_row<&Options::noise_variance>(
          {.name = "noise_variance",
           .least = kLeastNoiseVariance,
           .most = kMostNoiseVariance,
           .help =
               "Noise variances to begin with, of standardised targets; none: the usual ones."}),
      option_row<&Options::constant_noise_epochs>(
          {.name = "constant_noise_epochs",
           .scope = OptionInfo::Scope::numeric_target,
           .help = "Epochs before the noise may depend on the inputs."}),
      option_row<&Options::group_size>(
          {.name = "group_size",
           .zero_chooses = true,
           .help = "Rows that share a stored message; one is best, more take less memory and "
                   "time."}),
      option_row<&Options::store>({.name = "store", .help = "Where stored messages are kept."}),
      option_row<&Options::store_path>(
          {.name = "store_path", .help = "The mapped file of stored messages."}),
      option_row<&Options::store_budget>({.name = "store_budget",
                                          .command_line = "--store-budget",
                                          .python = "store_budget",
                                          .zero_chooses = true,
                                          .help =
                                              "Bytes that stored messages may take, about; where "
                                              "one for each row would take more, rows share "
                                              "one. Chosen: 320 MiB for a network by itself, 512 "
                                              "MiB for those trained side by side."}),
      option_row<&Options::block>(
          {.name = "block",
           .most = 8,
           .zero_chooses = true,
           .help = "Rows swept from one snapshot of the beliefs: 1, 2, 4 or 8."}),
      option_row<&Options::parallel_groups>(
          {.name = "parallel_groups",
           .least = 1,
           .most = 4096,  // each takes memory of the network's size, and a file may ask for it
           .help = "Groups refreshed side by side from one snapshot; results depend on it."}),
      option_row<&Options::shuffle>({.name = "shuffle", .help = "The order of the rows."}),
      option_row<&Options::seed>(
          {.name = "seed",
           .command_line = "--seed",
           .python = "random_state",
           .help = "Draws the prior means and the order of the rows; the same seed gives the same "
                   "bits."}),
      option_row<&Options::horizon>(
          {.name = "horizon",
           .command_line = "--horizon",
           .python = "horizon",
           .least = 1,
           .most = 100000,
           .help = "Streams: how many rows ahead predictions are made, such as 24 where a day of "
                   "hours is learned and the next one predicted. Noise and score are those of "
                   "predictions so far ahead."}),
      option_row<&Options::stream_memory>(
          {.name = "stream_memory",
           .command_line = "--stream-memory",
           .python = "stream_memory",
           .most = 1e12,
           .help = "Streams: about how many bytes the messages of recent rows may take, which are "
                   "refreshed while there is room for them; 0 refreshes none. Refreshing learns "
                   "more and takes several times as long."}),
      option_row<&Options::threads>(
          {.name = "threads",
           .command_line = "--threads",
           .python = "n_jobs",
           .most = 1024,
           .zero_chooses = true,
           .command_line_default = "all cores",
           .help = "Threads, 0 for all cores: for the networks of an ensemble, "
                   "or for the layers of a large one; results do not "
                   "depend on them."}),
      option_row<&Options::checkpoint>({.name = "checkpoint",
                                        .command_line = "--checkpoint",
                                        .help = "Write the state of training to this file."}),
      option_row<&Options::checkpoint_every>({.name = "checkpoint_every",
                                              .command_line = "--checkpoint-every",
                                              .zero_chooses = true,
                                              .command_line_default = "by time",
                                              .help = "Epochs between two checkpoints; 0 writes "
                                                      "them by time, in at most 5 % of it."}),
      option_row<&Options::resume>({.name = "resume",
                                    .command_line = "--resume",
                                    .help = "Go on from the checkpoint, if there is one."}),
  };
  return rows;
}

}  // namespace postrider::internal

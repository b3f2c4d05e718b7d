// The options of Regressor, Classifier and TableModel. Names in other front ends, ranges and help are in
// one table: see estimator_options() in postrider/options.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "postrider/encoding.h"
#include "postrider/export.h"
#include "postrider/network/network.h"
#include "postrider/options.h"
#include "postrider/training.h"

namespace postrider {

struct POSTRIDER_EXPORT EstimatorOptions {
  // How the copies of a row that a power above 1 speaks for are left out while it is learned: all at once, or
  // one at a time, which keeps the share 1 - 1/power of its message. `chosen`: apart where networks are small.
  enum class Copies { chosen, together, apart };

  // What intervals of predictions promise: that they would have held their share of the training rows, each
  // predicted by networks that have not learned it, or that the beliefs give them that probability. See docs/network/intervals.md.
  enum class Intervals { conformal, beliefs };

  // The scale on which numeric targets are learned.
  // plain: as they are. root: the square root of targets that are not negative, such as counts, amounts and durations;
  // no prediction, quantile or sample of it is negative. chosen: by a short race where no target is negative and they
  // differ much, plain otherwise.
  enum class TargetScale { chosen, plain, root };

  std::vector<std::size_t> hidden{
      0};  // units per hidden layer, at most; 0 alone: chosen by the rows
  // Where the network would have more weights than this for each row of fit(), its layers are
  // narrowed until it has not: a factorised belief in more weights than examples hardly learns. 0
  // narrows nothing. network() tells the widths.
  double weights_per_example = 1;
  // Networks that differ in their prior means and in the rows that each leaves out, and are averaged; 0: sixteen, as many as
  // one vector trains side by side, and fewer of large networks. A stream without a fit() has one unless beliefs drift.
  std::size_t ensemble_size = 0;
  // For streams: the networks' beliefs drift between rows, at several rates, and predictions are weighted by
  // how well each rate predicted the rows so far. See docs/streams.md.
  bool drift = true;
  // Each example's messages to the weights are raised to this power; 0: min(2, 1 + weights / rows), which
  // makes up for the excess variance of a factorised belief.
  double power = 0;
  Copies copies = Copies::chosen;
  // How numbers become inputs; see postrider/encoding.h. Streams have the standard one in any case; training that is
  // spread over machines refuses others.
  Encoding encoding = Encoding::chosen;

  // For numeric targets. Whether the noise depends on the inputs: the network then has a second output
  // for each target, the logarithm of what its noise is multiplied by.
  std::size_t outputs = 1;
  bool varying_noise = true;
  // The noise's standard deviation in the unit of each target, or one for all, where it is known: it is not learned
  // then, and does not vary. 0: there is none; a thousandth of the target's own standard deviation is taken, since
  // beliefs in single precision do not tell less. Empty: it is learned.
  std::vector<double> noise_std = {};
  Intervals intervals = Intervals::conformal;
  // Whether fit() learns what networks leave over of one target: from neighbours, whose rows the model then keeps, and the shape of
  // what is predicted (skew, heavy tails, several modes). Streams, and training that is spread over machines, do not. See
  // docs/network/shape.md.
  bool learned_shape = true;
  // Streams are plain unless roots are asked for; training that is spread over machines
  // is plain, and refuses roots.
  TargetScale target_scale = TargetScale::chosen;
  // For classification. 0: one more than the largest label of the first rows.
  std::size_t classes = 0;
  // Deprecated, and without effect: rows that networks leave out set the temperature of the probabilities.
  double calibration_share = 0.05;

  network::Activation activation = network::Activation::leaky_relu;
  double slope = 0.05;
  network::Precision precision = network::Precision::float32;
  // In standardised units: every input and target has mean 0 and standard deviation 1. The seed draws
  // the prior means, too. Members that are trained together have one checkpoint, with the number of the
  // first of them at the end, but for the first of all.
  TrainerOptions training = {};

  // Throw InvalidArgument. The second also if an option was changed that is not for such targets.
  void validate(OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) const;
  void validate_for(OptionInfo::Scope targets,
                    OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) const;
};
POSTRIDER_EXPORT std::string_view to_string(EstimatorOptions::TargetScale scale);

}  // namespace postrider

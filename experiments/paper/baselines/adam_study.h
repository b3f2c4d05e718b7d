// Adam and AdamW on the three problems.
#pragma once

#include "baselines/arm.h"

namespace postrider::experiments {

// The paper has batches for its own algorithm, and does not say what Adam got: these batches, or all
// rows at once, one step per epoch. Both are run.
enum class Steps { batches, full };

struct PublishedAdam {
  Adam adam;
  Published value;
};

struct AdamStudy {
  std::string name;  // of the result file
  Study study;       // problem and numbers of seeds
  std::size_t epochs;
  std::vector<Adam> settings;
  std::vector<Adam> shown;  // whose predictions on the first seed are kept
  std::vector<PublishedAdam> published;
};

AdamStudy small_adam(bool quick);
AdamStudy mismatch_adam(bool quick);
AdamStudy large_adam(bool quick);

// batches_adam_0.1, full_adamw_0.1_0.01: the rate, then the decay.
std::string name_of(Steps steps, const Adam& adam);

std::vector<Arm> run(const AdamStudy& of, const Settings& settings);
Part describe(const AdamStudy& of, const std::vector<Arm>& arms, const Settings& settings);
// Per setting that the paper has a value for: that, ours by both readings, a verdict.
Object summarise(const AdamStudy& of, const std::vector<Arm>& arms, const Settings& settings,
                 Part& part);

// Our updates for many networks against libtorch's for one.
void check_updates(const Settings& settings, Part& part);

}  // namespace postrider::experiments

// What the words of TrainerOptions::effort mean while a network is trained.
#pragma once

#include <cstddef>

#include "postrider/training.h"

namespace postrider::internal {

struct EffortRules {
  std::size_t patience;       // epochs without a better score, where none is asked for, at most
  std::size_t fewest_epochs;  // before it is asked whether more would gain much, at most
  double worth_a_tenth;       // what another tenth of the time must gain; nats per row
  double budget_share;        // of the epochs that training may take where no number is asked for
};

EffortRules rules_of(Effort effort);

// As asked for, or as the effort says and by the number of rows: many rows are learned in few epochs.
std::size_t most_epochs(const TrainerOptions& options, std::size_t rows);
std::size_t patience_of(const TrainerOptions& options, std::size_t rows);
// Not before so many epochs is it asked whether more would gain much.
std::size_t fewest_epochs(const TrainerOptions& options, std::size_t rows);

}  // namespace postrider::internal

// The options of training as data; see postrider/options.h.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/option.h"
#include "postrider/training.h"

namespace postrider::internal {

template <>
struct ChoiceNames<TrainerOptions::Stopping> {
  static constexpr std::array<std::pair<std::string_view, TrainerOptions::Stopping>, 3> all{
      {{"score", TrainerOptions::Stopping::score},
       {"paper", TrainerOptions::Stopping::paper},
       {"epochs", TrainerOptions::Stopping::epochs}}};
};
template <>
struct ChoiceNames<TrainerOptions::Effort> {
  static constexpr std::array<std::pair<std::string_view, TrainerOptions::Effort>, 3> all{
      {{"quick", TrainerOptions::Effort::quick},
       {"standard", TrainerOptions::Effort::standard},
       {"thorough", TrainerOptions::Effort::thorough}}};
};
template <>
struct ChoiceNames<TrainerOptions::Store> {
  static constexpr std::array<std::pair<std::string_view, TrainerOptions::Store>, 2> all{
      {{"memory", TrainerOptions::Store::memory},
       {"mapped_file", TrainerOptions::Store::mapped_file}}};
};
template <>
struct ChoiceNames<TrainerOptions::Shuffle> {
  static constexpr std::array<std::pair<std::string_view, TrainerOptions::Shuffle>, 3> all{
      {{"none", TrainerOptions::Shuffle::none},
       {"once", TrainerOptions::Shuffle::once},
       {"every_epoch", TrainerOptions::Shuffle::every_epoch}}};
};

const std::vector<OptionRow<TrainerOptions>>& training_option_rows();

// --- What the words of TrainerOptions::effort mean while a network is trained.

struct EffortRules {
  std::size_t patience;       // epochs without a better score, where none is asked for, at most
  std::size_t fewest_epochs;  // before it is asked whether more would gain much, at most
  double worth_a_tenth;       // what another tenth of the time must gain; nats per row
  double budget_share;        // of the epochs that training may take where no number is asked for
};

EffortRules rules_of(TrainerOptions::Effort effort);

// As asked for, or as the effort says and by the number of rows: many rows are learned in few epochs.
std::size_t most_epochs(const TrainerOptions& options, std::size_t rows);
std::size_t patience_of(const TrainerOptions& options, std::size_t rows);
// Not before so many epochs is it asked whether more would gain much.
std::size_t fewest_epochs(const TrainerOptions& options, std::size_t rows);

}  // namespace postrider::internal

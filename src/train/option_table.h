// The options of training as data; see postrider/options.h.
#pragma once

#include <array>
#include <vector>

#include "base/option.h"
#include "postrider/training.h"

namespace postrider::internal {

template <>
struct ChoiceNames<Stopping> {
  static constexpr std::array<std::pair<std::string_view, Stopping>, 3> all{
      {{"score", Stopping::score}, {"paper", Stopping::paper}, {"epochs", Stopping::epochs}}};
};
template <>
struct ChoiceNames<Effort> {
  static constexpr std::array<std::pair<std::string_view, Effort>, 3> all{
      {{"quick", Effort::quick}, {"standard", Effort::standard}, {"thorough", Effort::thorough}}};
};
template <>
struct ChoiceNames<Store> {
  static constexpr std::array<std::pair<std::string_view, Store>, 2> all{
      {{"memory", Store::memory}, {"mapped_file", Store::mapped_file}}};
};
template <>
struct ChoiceNames<Shuffle> {
  static constexpr std::array<std::pair<std::string_view, Shuffle>, 3> all{
      {{"none", Shuffle::none}, {"once", Shuffle::once}, {"every_epoch", Shuffle::every_epoch}}};
};

const std::vector<OptionRow<TrainerOptions>>& training_option_rows();

}  // namespace postrider::internal

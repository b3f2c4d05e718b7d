// Rows of inputs as the sweeps take them: prepared once, and shared by all networks that learn them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "network/network_state.h"
#include "postrider/network/network.h"

namespace postrider::internal {

class TrainingRows {
 public:
  // Throws InvalidArgument if there is no row, or one makes no sense.
  TrainingRows(const Inputs& inputs, std::size_t input_count, network::Precision precision);

  std::size_t size() const { return size_; }
  template <class T>
  const std::shared_ptr<const StoredInputs<T>>& prepared() const {
    return std::get<std::shared_ptr<const StoredInputs<T>>>(prepared_);
  }

 private:
  std::size_t size_ = 0;
  std::variant<std::shared_ptr<const StoredInputs<float>>,
               std::shared_ptr<const StoredInputs<double>>>
      prepared_;
};

// What a call of fit() or partial_fit() learns.
struct RowsToLearn {
  const TrainingRows& inputs;
  std::span<const double> targets;              // of all rows
  std::span<const double> sample_weights = {};  // none, or one for each row
  // These rows only; empty: all. The targets of the others must be missing.
  std::span<const std::uint32_t> learned = {};
  // Those of them that are not learned but predicted after every epoch: they judge the network. None: each row is judged
  // without what it said itself, which flatters where weights are many and noise is large.
  std::span<const std::uint32_t> left_out = {};
};

// The numbers of the rows that are learned or left out, and of those that are learned.
std::vector<std::uint32_t> visited_rows(const RowsToLearn& rows);
std::vector<std::uint32_t> learned_rows(const RowsToLearn& rows);

}  // namespace postrider::internal

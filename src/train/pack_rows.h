// The rows of a pack's networks, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sweep/pack/engine.h"
#include "train/groups.h"
#include "train/job.h"

namespace postrider::internal {

// Which row each network learns at each step of each group. A network that has fewer groups, or fewer
// rows in a group, learns nothing there.
template <class T>
class PackRows {
 public:
  // What one network brings: its groups, and the power that the messages of each row are raised to.
  struct Lane {
    const Groups& groups;
    std::vector<T> powers;
  };
  // At most kPack. Rows are shared if all networks have them in the same order, of the same inputs.
  PackRows(const std::vector<Lane>& lanes, bool same_inputs);

  std::size_t groups() const { return first_step_.size() - 1; }
  std::size_t steps() const { return first_step_.back(); }  // of all groups
  PackGroup<T> group(std::size_t number) const;
  // From now on the messages of this network's rows are raised to these powers.
  void set_powers(std::size_t lane, std::span<const T> powers);
  // For each group, the inputs that are not zero in all rows of all networks, and the bias.
  InputLists input_lists(const PackData<T>& data, const SweepLayer& first) const;

 private:
  std::vector<std::size_t> first_step_;  // of each group, and the number of all steps
  std::vector<std::uint32_t> rows_;      // kPack for each step
  std::vector<T> powers_;
  bool are_shared_ = false;
};

// Whether two networks learn the same rows in the same order.
bool learn_the_same(const TrainingJob& a, const TrainingJob& b);

// How large the messages of a pack with this network in it are. Networks that learn other rows touch other inputs at the same
// step, and how large groups are must not depend on them: then all inputs count.
template <class T>
MessageBytes bytes_of_pack(const TrainingJob& job, bool all_learn_the_same);

extern template class PackRows<float>;
extern template class PackRows<double>;

}  // namespace postrider::internal

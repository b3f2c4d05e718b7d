// A round: some groups of examples are refreshed from one snapshot of the beliefs.
//
//   reads     the snapshot, the noise, and of these groups the rows, targets and stored messages
//   writes    the groups' stored messages, what was predicted of their rows, counts of events, and
//             the beliefs: the snapshot and the changes of all groups, added in the groups' order
//
// Nothing else is read or written: whoever has the snapshot, a group's rows and its messages can
// refresh that group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "network/network_state.h"
#include "train/groups.h"
#include "train/row_sweeps.h"
#include "train/store.h"

namespace postrider::internal {

struct RoundEvents {
  std::size_t linearised = 0, silent = 0, guarded = 0, bounded = 0;
};

struct RoundOptions {
  std::size_t side_by_side = 1;  // groups in a round
  double power = 1;
  double damping = 0;
  std::size_t block = 0;
};

template <class T>
class Rounds {
 public:
  // All must outlive it.
  Rounds(NetworkArrays<T>& network, RowSweeps<T>& sweeps, const Targets<T>& targets,
         Workers& workers, const RoundOptions& options);

  // Where the noise varies, it may be kept from doing so.
  void allow_varying_noise(bool allowed);
  // Refreshes these groups; `seen` examples were learned before.
  void refresh(std::span<const std::uint32_t> groups, const Groups& of, MessageStore<T>& store,
               std::size_t seen);
  // Predicts these rows by the network's belief.
  void judge(std::span<const std::uint32_t> rows) {
    sweeps_.judge(network_.belief, rows, slots_.front().sweeper);
  }
  // Since the last call.
  RoundEvents take_events();
  Workspace<T>& workspace() { return slots_.front().sweeper.workspace; }

 private:
  // What one of the groups that are refreshed side by side needs.
  struct Slot {
    Sweeper<T> sweeper;
    WeightMessages<T> belief;
    WeightMessages<T> without;  // all that the group said, where a share of it is kept
    std::vector<T> kept;        // of a stored message: tau, then rho
    std::size_t bounded = 0;
  };

  void refresh_one(std::size_t group, const Groups& of, MessageStore<T>& store, std::size_t seen,
                   WeightMessages<T>& belief, Slot& slot);
  void add_changes(std::size_t count);

  NetworkArrays<T>& network_;
  RowSweeps<T>& sweeps_;
  const Targets<T>& targets_;
  Workers& workers_;
  RoundOptions options_;
  std::vector<Slot> slots_;
};

extern template class Rounds<float>;
extern template class Rounds<double>;

}  // namespace postrider::internal

#include "train/round.h"

#include <algorithm>

namespace postrider::internal {
namespace {

// Loops over arrays that do not overlap, which become vectors.
template <class T>
void keep_back_some(std::size_t count, T share, T* __restrict message, T* __restrict kept) {
  for (std::size_t i = 0; i < count; ++i) {
    const T renewed = share * message[i];
    kept[i] = message[i] - renewed;
    message[i] = renewed;
  }
}
template <class T>
void add_some(std::size_t count, const T* __restrict kept, T* __restrict message) {
  for (std::size_t i = 0; i < count; ++i) message[i] += kept[i];
}
template <class T>
void leave_out_some(std::size_t count, const T* __restrict belief, const T* __restrict message,
                    T* __restrict without) {
  for (std::size_t i = 0; i < count; ++i) without[i] = belief[i] - message[i];
}
template <class T>
void bound_some(std::size_t count, const T* __restrict least, T* __restrict values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = std::max(values[i], least[i]);
}

// Takes the share of a stored message that stays as it is out of it, and puts it aside.
template <class T>
void keep_back(double damping, std::span<T> tau, std::span<T> rho, std::vector<T>& kept) {
  const T share = static_cast<T>(1 - damping);
  kept.resize(tau.size() + rho.size());
  keep_back_some(tau.size(), share, tau.data(), kept.data());
  keep_back_some(rho.size(), share, rho.data(), kept.data() + tau.size());
}

template <class T>
void give_back(const std::vector<T>& kept, std::span<T> tau, std::span<T> rho) {
  add_some(tau.size(), kept.data(), tau.data());
  add_some(rho.size(), kept.data() + tau.size(), rho.data());
}

// The belief without all of a stored message, no less precise than the prior, in the weights that the message is
// about: rows of its group touch no others.
template <class T>
void leave_out(const WeightMessages<T>& belief, const WeightMessages<T>& prior,
               const TouchedWeights& touched, std::span<const T> tau, std::span<const T> rho,
               WeightMessages<T>& without) {
  if (without.size() != belief.size()) without = belief;
  touched.for_each_run([&](std::size_t at, std::size_t m, std::size_t count) {
    leave_out_some(count, &belief.tau[at], &tau[m], &without.tau[at]);
    leave_out_some(count, &belief.rho[at], &rho[m], &without.rho[at]);
    bound_some(count, &prior.rho[at], &without.rho[at]);
  });
}

}  // namespace

template <class T>
Rounds<T>::Rounds(NetworkArrays<T>& network, RowSweeps<T>& sweeps, const Targets<T>& targets,
                  Workers& workers, const RoundOptions& options)
    : network_(network), sweeps_(sweeps), targets_(targets), workers_(workers), options_(options) {
  for (std::size_t i = 0; i < options_.side_by_side; ++i)
    slots_.push_back({Sweeper<T>(network_.engine, targets_.observation(), &workers_), {}, {}, {}});
}

template <class T>
void Rounds<T>::allow_varying_noise(bool allowed) {
  for (Slot& slot : slots_) slot.sweeper.observation = targets_.observation(allowed);
}

// With one group at a time the network's own belief is swept; several each sweep a copy.
template <class T>
void Rounds<T>::refresh(std::span<const std::uint32_t> groups, const Groups& of,
                        MessageStore<T>& store, std::size_t seen) {
  if (groups.size() == 1)
    return refresh_one(groups.front(), of, store, seen, network_.belief, slots_.front());
  workers_.run(groups.size(), [&](std::size_t i) {
    slots_[i].belief = network_.belief;
    refresh_one(groups[i], of, store, seen, slots_[i].belief, slots_[i]);
  });
  add_changes(groups.size());
}

template <class T>
void Rounds<T>::refresh_one(std::size_t group, const Groups& of, MessageStore<T>& store,
                            std::size_t seen, WeightMessages<T>& belief, Slot& slot) {
  const std::span<T> tau = store.tau(group), rho = store.rho(group);
  const TouchedWeights touched = store.touched(group);
  const double power = options_.power * (1 - options_.damping);
  const std::size_t block = block_size(network_.engine, belief.size(), options_.block, seen);
  const bool is_damped = options_.damping > 0;
  if (is_damped) {
    leave_out<T>(belief, network_.prior, touched, tau, rho, slot.without);
    keep_back(options_.damping, tau, rho, slot.kept);
  }
  slot.bounded += network_.engine.take_out(belief, network_.prior, tau, rho, touched, &workers_);
  if (is_damped)
    sweeps_.learn_left_out(belief, slot.without, of.rows(group), power, block, slot.sweeper);
  else
    sweeps_.learn(belief, of.rows(group), power, block, slot.sweeper);
  network_.engine.difference(belief, tau, rho, touched, &workers_);
  if (is_damped) give_back(slot.kept, tau, rho);
}

template <class T>
void Rounds<T>::add_changes(std::size_t count) {
  WeightMessages<T>& belief = network_.belief;
  const auto add = [&](AlignedVector<T> WeightMessages<T>::*part) {
    for (std::size_t i = 0; i < belief.size(); ++i) {
      const T before = (belief.*part)[i];
      T change = 0;
      for (std::size_t s = 0; s < count; ++s) change += (slots_[s].belief.*part)[i] - before;
      (belief.*part)[i] = before + change;
    }
  };
  add(&WeightMessages<T>::tau);
  add(&WeightMessages<T>::rho);
}

template <class T>
RoundEvents Rounds<T>::take_events() {
  RoundEvents out;
  for (Slot& slot : slots_) {
    out.linearised += slot.sweeper.record.linearised;
    out.silent += slot.sweeper.record.silent;
    out.guarded += slot.sweeper.record.guarded;
    out.bounded += slot.bounded;
    slot.sweeper.record = {};
    slot.bounded = 0;
  }
  return out;
}

template class Rounds<float>;
template class Rounds<double>;

}  // namespace postrider::internal

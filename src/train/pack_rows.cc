#include "train/pack_rows.h"

#include <algorithm>

#include "network/network_state.h"

namespace postrider::internal {

template <class T>
PackSteps<T>::PackSteps(const std::vector<Lane>& lanes, bool same_inputs) {
  std::size_t groups = 0;
  for (const Lane& lane : lanes) groups = std::max(groups, lane.groups.size());
  const auto rows_of = [&](std::size_t lane, std::size_t group) {
    return group < lanes[lane].groups.size() ? lanes[lane].groups.rows(group)
                                             : std::span<const std::uint32_t>();
  };
  first_step_.push_back(0);
  for (std::size_t group = 0; group < groups; ++group) {
    std::size_t steps = 0;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      steps = std::max(steps, rows_of(lane, group).size());
    first_step_.push_back(first_step_.back() + steps);
  }
  rows_.assign(kPack * first_step_.back(), kNoRow);
  powers_.assign(rows_.size(), T{1});
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::span<const std::uint32_t> rows = rows_of(lane, group);
      for (std::size_t step = 0; step < rows.size(); ++step) {
        const std::size_t at = (first_step_[group] + step) * kPack + lane;
        rows_[at] = rows[step];
        powers_[at] = lanes[lane].powers[rows[step]];
      }
    }
  are_shared_ = same_inputs;
  for (std::size_t at = 0; at < rows_.size() && are_shared_; ++at)
    are_shared_ = at % kPack >= lanes.size() || rows_[at] == rows_[at - at % kPack];
}

template <class T>
void PackSteps<T>::set_powers(std::size_t lane, std::span<const T> powers) {
  for (std::size_t at = lane; at < rows_.size(); at += kPack)
    if (rows_[at] != kNoRow) powers_[at] = powers[rows_[at]];
}

template <class T>
PackGroup<T> PackSteps<T>::group(std::size_t number) const {
  const std::size_t first = kPack * first_step_[number],
                    size = kPack * first_step_[number + 1] - first;
  return {std::span(rows_).subspan(first, size), std::span(powers_).subspan(first, size),
          are_shared_};
}

template <class T>
InputLists PackSteps<T>::input_lists(const PackData<T>& data, const SweepLayer& first) const {
  InputLists out;
  ActiveColumns touched;
  for (std::size_t number = 0; number < groups(); ++number) {
    const PackGroup<T> of = group(number);
    touched.begin(of.steps());
    for (std::size_t at = 0; at < of.rows.size(); ++at) {
      const std::size_t network = at % kPack;
      if (of.rows[at] == kNoRow || (are_shared_ && network > 0)) continue;
      touched.add(data.examples[network].inputs.row(of.rows[at]).columns);
    }
    if (first.bias) touched.add_last(first.inputs);
    out.add(touched.columns());
  }
  return out;
}

bool learn_the_same(const TrainingJob& a, const TrainingJob& b) {
  return &a.rows.inputs == &b.rows.inputs && a.seed == b.seed &&
         std::ranges::equal(a.rows.learned, b.rows.learned);
}

template <class T>
MessageBytes bytes_of_pack(const TrainingJob& job, bool all_learn_the_same) {
  const PackEngine<T> engine(sweep_layers(job.network.options()), job.network.options().rule);
  const MessageShape shape = engine.message_shape();
  if (!all_learn_the_same) return message_bytes(shape, sizeof(T));
  return message_bytes(shape, engine.layers().front(), job.rows.inputs.prepared<T>()->view(),
                       visited_rows(job.rows));
}

template MessageBytes bytes_of_pack<float>(const TrainingJob&, bool);
template MessageBytes bytes_of_pack<double>(const TrainingJob&, bool);
template class PackSteps<float>;
template class PackSteps<double>;

}  // namespace postrider::internal

// The rows of a pack's networks, step by step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sweep/pack/engine.h"
#include "train/groups.h"
#include "train/job.h"
#include "train/progress.h"
#include "train/training_lane.h"

namespace postrider::internal {

// Which row each network learns at each step of each group. A network that has fewer groups, or fewer
// rows in a group, learns nothing there.
template <class T>
class PackSteps {
 public:
  // What one network brings: its groups, and the power that the messages of each row are raised to.
  struct Lane {
    const Groups& groups;
    std::vector<T> powers;
  };
  // At most kPack. Rows are shared if all networks have them in the same order, of the same inputs.
  PackSteps(const std::vector<Lane>& lanes, bool same_inputs);

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

extern template class PackSteps<float>;
extern template class PackSteps<double>;

// --- How well networks side by side predict the rows that they leave out.

template <class T>
class PackJudge {
 public:
  using Lanes = TrainingLanes<T>;

  // Lanes must outlive it.
  PackJudge(const Lanes& lanes, bool same_inputs)
      : lanes_(lanes),
        groups_(left_out_groups(lanes)),
        rows_(rows_of(lanes, groups_), same_inputs) {}

  // Whether anybody wants to know how rows are predicted without what they said: a network that leaves out none, to be
  // judged by it, or noise that varies.
  bool asks_before_learning() const {
    return lanes_.front()->job.task.likelihood == network::Likelihood::varying_noise ||
           std::ranges::any_of(lanes_, [](const auto& lane) { return lane->left_out.empty(); });
  }

  // Predicts the rows that are left out, each network its own.
  void predict(const PackEngine<T>& engine, const PackBeliefs<T>& beliefs, const PackData<T>& data,
               std::span<const T> noise, PackWorkspace<T>& workspace) const {
    if (rows_.groups() == 0) return;
    const std::unique_ptr<Observation<T>> observation = lanes_.front()->targets->observation();
    engine.judge(beliefs, data, rows_.group(0), {noise, 1, {}, observation.get()}, workspace);
  }

  // For each network: by all rows that the networks of its team leave out, or else by its own rows. A network whose
  // drift is not a number does not judge the others.
  std::vector<Assessment> assessments(std::span<const Progress<T>> progress,
                                      std::span<const double> drift) const {
    std::map<std::size_t, Assessment> teams;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      const TrainingLane<T>& lane = *lanes_[m];
      if (lane.is_running && !lane.left_out.empty() && std::isfinite(drift[m]))
        teams[lane.job.team].add(lane.assessment(progress[m].noise));
    }
    std::vector<Assessment> out(lanes_.size());
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      if (!lanes_[m]->is_running) continue;
      const auto found = teams.find(lanes_[m]->job.team);
      out[m] = found != teams.end() ? found->second : lanes_[m]->assessment(progress[m].noise);
    }
    return out;
  }

 private:
  using AllGroups = std::vector<std::unique_ptr<Groups>>;

  // The rows that each network leaves out, in one group.
  static AllGroups left_out_groups(const Lanes& lanes) {
    AllGroups out;
    for (const auto& lane : lanes)
      out.push_back(std::make_unique<Groups>(lane->left_out,
                                             std::max<std::size_t>(1, lane->left_out.size()),
                                             TrainerOptions::Shuffle::none, 0));
    return out;
  }
  static std::vector<typename PackSteps<T>::Lane> rows_of(const Lanes& lanes,
                                                          const AllGroups& groups) {
    std::vector<typename PackSteps<T>::Lane> out;
    for (std::size_t m = 0; m < lanes.size(); ++m)
      out.push_back({*groups[m], std::vector<T>(lanes[m]->sweeps.size())});
    return out;
  }

  const Lanes& lanes_;
  AllGroups groups_;
  PackSteps<T> rows_;
};

}  // namespace postrider::internal

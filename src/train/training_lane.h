// The inside of a Trainer, in the precision of its network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/access.h"
#include "network/network_state.h"
#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "train/groups.h"
#include "train/job.h"
#include "train/row_sweeps.h"
#include "train/stream_scores.h"

namespace postrider::internal {

class TrainerState {
 public:
  virtual ~TrainerState() = default;
  virtual TrainingRows prepared(const Inputs& inputs) const = 0;
  virtual TrainingOutcome fit(const RowsToLearn& rows, const TrainingCallbacks& callbacks) = 0;
  virtual StreamReport partial_fit(const RowsToLearn& rows) = 0;
  // Beliefs and noise as they were before the last partial_fit().
  virtual void undo_partial_fit() = 0;

  TrainerOptions options;
  network::Trainer::Task task;
  std::string resume_from;
  std::vector<double> noise_variance;
  std::size_t store_bytes = 0;
  std::size_t seen = 0;  // examples learned so far
  StreamScores scores;   // of the last partial_fit()
};

inline TrainerState& inside_of(network::Trainer& trainer) { return Access::inside(trainer); }

// --- One of the networks that are trained together, with its rows.

template <class T>
struct TrainingLane {
  TrainingLane(TrainingJob& of, const TrainerOptions& options)
      : job(of),
        network(std::get<NetworkArrays<T>>(inside_of(of.network).arrays)),
        targets(make_targets<T>(of.task.likelihood, network.engine.layers().back().units)),
        sweeps(network.engine, *targets),
        visited(visited_rows(of.rows)),
        left_out(of.rows.left_out.begin(), of.rows.left_out.end()) {
    sweeps.load(of.rows);
    first_noise = targets->first_noise(options.noise_variance);
  }

  // For every row, the power that its messages are raised to.
  std::vector<T> powers_of_all(double damping) const {
    const double power = job.task.power * (1 - damping);
    std::vector<T> out;
    for (std::size_t row = 0; row < sweeps.size(); ++row)
      out.push_back(static_cast<T>(targets->weight(row) * power));
    return out;
  }
  // A row that is left out says nothing: with the power zero it is swept with the others, so that all networks have the
  // same row at each step.
  std::vector<T> powers(double damping) const {
    std::vector<T> out = powers_of_all(damping);
    for (const std::uint32_t row : left_out) out[row] = 0;
    return out;
  }

  std::size_t learned() const { return visited.size() - left_out.size(); }  // rows in each epoch

  // By the rows that it leaves out, or else by all as they were predicted before they were learned.
  Assessment assessment(const std::vector<double>& noise) const {
    return targets->assess(sweeps.predicted(), noise, left_out.empty() ? visited : left_out);
  }

  // It may have fewer groups than others.
  std::size_t rows_in(std::span<const std::uint32_t> some) const {
    std::size_t out = 0;
    for (const std::uint32_t group : some)
      if (group < groups->size()) out += groups->rows(group).size();
    return out;
  }

  TrainingJob& job;
  NetworkArrays<T>& network;
  std::unique_ptr<Targets<T>> targets;
  RowSweeps<T> sweeps;
  std::vector<std::uint32_t> visited,
      left_out;  // rows: all that are swept, and those of them that are not learned
  std::vector<double> first_noise;
  std::unique_ptr<Groups> groups;  // the engine's to make
  bool is_running = true;
  bool has_best = false;  // what its network has is the best epoch's, and not the last one's
  std::size_t begun = 0;  // rows learned in an epoch that was interrupted
  EpochReport epoch;      // the running one's
  FitReport report;
};

template <class T>
using TrainingLanes = std::vector<std::unique_ptr<TrainingLane<T>>>;

// Throws InvalidArgument if a network of this rule cannot be trained so.
inline void expect_block(Rule rule, const TrainerOptions& options) {
  if (rule == Rule::direct && options.block > 1)
    reject("block", options.block, "must be 1 with the direct rule");
}

template <class T>
TrainingLanes<T> lanes_of(std::span<TrainingJob> jobs, const TrainerOptions& options) {
  expect_block(jobs.front().network.options().rule, options);
  TrainingLanes<T> out;
  for (TrainingJob& job : jobs) out.push_back(std::make_unique<TrainingLane<T>>(job, options));
  return out;
}

}  // namespace postrider::internal

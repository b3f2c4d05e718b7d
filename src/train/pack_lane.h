// One of the networks that are trained side by side, with its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "sweep/pack/workspace.h"
#include "train/groups.h"
#include "train/job.h"
#include "train/row_sweeps.h"

namespace postrider {

template <class T>
struct PackLane {
  PackLane(TrainingJob& of, const TrainerOptions& options)
      : job(of),
        network(std::get<NetworkArrays<T>>(of.network.state().arrays)),
        targets(make_targets<T>(of.task.likelihood, network.engine.layers().back().units)),
        sweeps(network.engine, *targets),
        visited(visited_rows(of.rows)),
        left_out(of.rows.left_out.begin(), of.rows.left_out.end()) {
    sweeps.load(of.rows);
    first_noise = targets->first_noise(options.noise_variance);
  }

  // For every row, the power that its messages are raised to. A row that is left out says nothing: with the power zero
  // it is swept with the others, so that all networks have the same row at each step.
  std::vector<T> powers(double damping) const {
    const double power = job.task.power * (1 - damping);
    std::vector<T> out;
    for (std::size_t row = 0; row < sweeps.size(); ++row)
      out.push_back(static_cast<T>(targets->weight(row) * power));
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

  void add_events(const PackCounts<T>& counts, std::size_t lane) {
    epoch.linearised += static_cast<std::size_t>(counts.linearised[lane]);
    epoch.silent += static_cast<std::size_t>(counts.silent[lane]);
    epoch.guarded += static_cast<std::size_t>(counts.guarded[lane]);
    epoch.bounded += static_cast<std::size_t>(counts.bounded[lane]);
  }

  // Out of a pack's beliefs into the network's order.
  void copy(const WeightMessages<T>& from, std::size_t lane, WeightMessages<T>& to) const {
    for (std::size_t k = 0; k < network.positions.size(); ++k) {
      to.tau[network.positions[k]] = from.tau[k * kPack + lane];
      to.rho[network.positions[k]] = from.rho[k * kPack + lane];
    }
  }

  TrainingJob& job;
  NetworkArrays<T>& network;
  std::unique_ptr<Targets<T>> targets;
  RowSweeps<T> sweeps;
  std::vector<std::uint32_t> visited,
      left_out;  // rows: all that are swept, and those of them that are not learned
  std::vector<double> first_noise;
  std::unique_ptr<Groups> groups;
  bool is_running = true;
  bool has_best = false;  // what its network has is the best epoch's, and not the last one's
  std::size_t begun = 0;  // rows learned in an epoch that was interrupted
  EpochReport epoch;      // the running one's
  FitReport report;
};

}  // namespace postrider

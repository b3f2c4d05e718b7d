#include "train/fleet.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>

#include "base/workers.h"
#include "model/network_state.h"
#include "sweep/layout.h"
#include "sweep/observation.h"
#include "train/groups.h"
#include "train/pack_rows.h"
#include "train/pack_trainer.h"
#include "train/row_sweeps.h"
#include "train/state.h"

namespace postrider {
namespace {

std::size_t examples_of(const TrainingJob& job) {
  return job.rows.learned.empty() ? job.rows.inputs.size() : job.rows.learned.size();
}

// Compares their priors, which no cavity may be less precise than: a pack has one bound for all.
bool are_equally_precise(const Network& a, const Network& b) {
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& of_a) {
        return of_a.prior.rho == std::get<NetworkArrays<T>>(b.state().arrays).prior.rho;
      },
      a.state().arrays);
}

// Whether a pack of such networks, all of which learn the same rows or not, stores a message for every row.
bool has_groups_of_one(const TrainingJob& job, bool same_rows, const TrainerOptions& options) {
  return std::visit(
      [&]<class T>(const NetworkArrays<T>&) {
        return group_size_of(options, examples_of(job), bytes_of_pack<T>(job, same_rows),
                             kBudgetTogether) == 1;
      },
      job.network.state().arrays);
}

// Whether a pack learns as the network would on its own: with as many messages, and one example after
// another. Only then may networks that learn other rows be in it, since who else is in the fleet must
// not matter.
bool learns_as_alone(const TrainingJob& job, const TrainerOptions& options) {
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& network) {
        return (options.group_size > 0 || has_groups_of_one(job, /*same_rows=*/false, options)) &&
               block_size(network.engine, kPack * job.network.weight_count(), options.block,
                          std::numeric_limits<std::size_t>::max()) == 1;
      },
      job.network.state().arrays);
}

// Where a group has several rows, damping changes how they are predicted, and not only what is kept.
bool can_be_damped_together(const TrainingJob& a, const TrainingJob& b,
                            const TrainerOptions& options) {
  if ((a.damping_or(options) > 0) == (b.damping_or(options) > 0)) return true;
  const bool same_rows = learn_the_same(a, b);
  return has_groups_of_one(a, same_rows, options) && has_groups_of_one(b, same_rows, options);
}

bool can_be_together(const TrainingJob& a, const TrainingJob& b, const TrainerOptions& options) {
  return can_be_damped_together(a, b, options) &&
         (&a.rows.inputs == &b.rows.inputs ||
          (learns_as_alone(a, options) && learns_as_alone(b, options)));
}

// Whether two networks can share the loops of a pack.
bool are_alike(const TrainingJob& a, const TrainingJob& b, Shuffle shuffle) {
  const NetworkOptions& of_a = a.network.options();
  const NetworkOptions& of_b = b.network.options();
  if (of_a.rule != of_b.rule || of_a.precision != of_b.precision ||
      a.task.likelihood != b.task.likelihood)
    return false;
  // An order that changes from epoch to epoch is that of the groups, which a pack has in common.
  if (shuffle == Shuffle::every_epoch && (a.seed != b.seed || examples_of(a) != examples_of(b)))
    return false;
  return sweep_layers(of_a) == sweep_layers(of_b) && are_equally_precise(a.network, b.network);
}

// As many networks as would keep all lanes busy for as long: one that has learned its rows waits for the
// longest.
std::size_t busy_networks(std::span<const TrainingJob> jobs, const std::vector<std::size_t>& pack) {
  std::size_t most = 1, all = 0;
  for (const std::size_t job : pack) {
    most = std::max(most, examples_of(jobs[job]));
    all += examples_of(jobs[job]);
  }
  return all / most;
}

// Numbers of jobs that are trained together, those with most examples first.
std::vector<std::vector<std::size_t>> together(std::span<const TrainingJob> jobs,
                                               const TrainerOptions& options) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t job) { return examples_of(jobs[job]); });
  std::vector<std::vector<std::size_t>> alike, out;
  for (const std::size_t j : order) {
    const auto found = std::ranges::find_if(alike, [&](const std::vector<std::size_t>& others) {
      const TrainingJob& first = jobs[others.front()];
      return others.size() < kPack && are_alike(first, jobs[j], options.shuffle) &&
             can_be_together(first, jobs[j], options);
    });
    if (found == alike.end())
      alike.push_back({j});
    else
      found->push_back(j);
  }
  for (const std::vector<std::size_t>& pack : alike) {
    const std::vector<SweepLayer> layers = sweep_layers(jobs[pack.front()].network.options());
    if (can_be_packed(options) && lanes_across_networks(layers, busy_networks(jobs, pack)))
      out.push_back(pack);
    else
      for (const std::size_t job : pack) out.push_back({job});
  }
  return out;
}

// Each file belongs to those that are trained together.
std::string path_of(const std::string& path, std::size_t first_job) {
  return path.empty() || first_job == 0 ? path : path + "." + std::to_string(first_job);
}

TrainingOutcome fit_one(TrainingJob& job, TrainerOptions options,
                        const TrainingCallbacks& callbacks) {
  options.seed = job.seed;
  options.damping = job.damping_or(options);
  Trainer trainer(job.network, options, job.task);
  FitReport report = trainer.state().fit(job.rows, callbacks);
  return {std::move(report), trainer.noise_variance(), trainer.seen(),
          std::move(trainer.state().left_out)};
}

// Callbacks that number the jobs, one call at a time; and whether one of them has ended it all.
class Telling {
 public:
  Telling(const TrainingCallbacks& callbacks, std::size_t jobs)
      : callbacks_(callbacks), jobs_(jobs) {}

  bool is_cancelled() const { return cancelled_; }

  TrainingCallbacks of(const std::vector<std::size_t>& jobs) {
    TrainingCallbacks out = callbacks_;
    if (callbacks_.progress)
      out.progress = [this, jobs](EpochReport report) {
        const std::scoped_lock one_at_a_time(telling_);
        report.member = jobs[report.member];
        report.members = jobs_;
        if (!callbacks_.progress(report)) cancelled_ = true;
        return !cancelled_;
      };
    if (callbacks_.warning)
      out.warning = [this](const std::string& text) {
        const std::scoped_lock one_at_a_time(telling_);
        callbacks_.warning(text);
      };
    return out;
  }

 private:
  const TrainingCallbacks& callbacks_;
  std::size_t jobs_;
  std::mutex telling_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

std::vector<TrainingOutcome> fit_all(std::span<TrainingJob> jobs, const TrainerOptions& options,
                                     const TrainingCallbacks& callbacks) {
  std::vector<TrainingOutcome> out(jobs.size());
  if (jobs.empty()) return out;
  const std::vector<std::vector<std::size_t>> tasks = together(jobs, options);
  const unsigned threads = resolved_threads(options.threads);
  const auto side_by_side = static_cast<unsigned>(std::min<std::size_t>(threads, tasks.size()));
  Telling telling(callbacks, jobs.size());
  Workers(side_by_side).run(tasks.size(), [&](std::size_t t) {
    const std::vector<std::size_t>& task = tasks[t];
    // The first begins in any case: there must be one.
    if (telling.is_cancelled() || (t > 0 && callbacks.interrupted && callbacks.interrupted()))
      return;
    TrainerOptions own = options;
    own.threads = threads / side_by_side;
    own.checkpoint = path_of(options.checkpoint, task.front());
    own.store_path = path_of(options.store_path, task.front());
    if (task.size() == 1) {
      out[task.front()] = fit_one(jobs[task.front()], own, telling.of(task));
    } else {
      std::vector<TrainingJob> pack;
      for (const std::size_t job : task) pack.push_back(jobs[job]);
      std::vector<TrainingOutcome> found = fit_pack(pack, own, telling.of(task));
      for (std::size_t i = 0; i < task.size(); ++i) out[task[i]] = std::move(found[i]);
    }
    for (const std::size_t job : task)
      for (EpochReport& epoch : out[job].report.epochs) epoch.member = job;
  });
  return out;
}

}  // namespace postrider

#include "train/fleet.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>

#include "base/workers.h"
#include "network/network_state.h"
#include "sweep/layout.h"
#include "sweep/observation.h"
#include "train/groups.h"
#include "train/pack_rows.h"
#include "train/row_sweeps.h"
#include "train/training_lane.h"

namespace postrider::internal {
namespace {

std::size_t examples_of(const TrainingJob& job) {
  return job.rows.learned.empty() ? job.rows.inputs.size() : job.rows.learned.size();
}

// Compares their priors, which no cavity may be less precise than: a pack has one bound for all.
bool are_equally_precise(const network::Network& a, const network::Network& b) {
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& of_a) {
        return of_a.prior.rho == std::get<NetworkArrays<T>>(inside_of(b).arrays).prior.rho;
      },
      inside_of(a).arrays);
}

// Whether a pack of such networks, all of which learn the same rows or not, stores a message for every row.
bool has_groups_of_one(const TrainingJob& job, bool same_rows, const TrainerOptions& options) {
  return std::visit(
      [&]<class T>(const NetworkArrays<T>&) {
        return group_size_of(options, examples_of(job), job.network.weight_count(),
                             bytes_of_pack<T>(job, same_rows), kBudgetTogether) == 1;
      },
      inside_of(job.network).arrays);
}

// Whether a pack learns as the network would on its own: with as many messages, and one example after
// another. Only then may networks that learn other rows be in it, since who else is in the fleet must
// not matter.
bool learns_as_alone(const TrainingJob& job, const TrainerOptions& options) {
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& network) {
        return (options.group_size > 0 || has_groups_of_one(job, /*same_rows=*/false, options)) &&
               block_size(network.engine, kPack * job.network.weight_count(),
                          block_of(options, examples_of(job), job.network.weight_count()),
                          std::numeric_limits<std::size_t>::max()) == 1;
      },
      inside_of(job.network).arrays);
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
bool are_alike(const TrainingJob& a, const TrainingJob& b, TrainerOptions::Shuffle shuffle) {
  const network::NetworkOptions& of_a = a.network.options();
  const network::NetworkOptions& of_b = b.network.options();
  if (of_a.rule != of_b.rule || of_a.precision != of_b.precision ||
      a.task.likelihood != b.task.likelihood)
    return false;
  // An order that changes from epoch to epoch is that of the groups, which a pack has in common.
  if (shuffle == TrainerOptions::Shuffle::every_epoch &&
      (a.seed != b.seed || examples_of(a) != examples_of(b)))
    return false;
  return sweep_layers(of_a) == sweep_layers(of_b) && are_equally_precise(a.network, b.network);
}

using Numbers = std::vector<std::size_t>;  // of jobs

// As many networks as would keep all lanes busy for as long: one that has learned its rows waits for the
// longest.
std::size_t busy_networks(std::span<const TrainingJob> jobs, const Numbers& pack) {
  std::size_t most = 1, all = 0;
  for (const std::size_t job : pack) {
    most = std::max(most, examples_of(jobs[job]));
    all += examples_of(jobs[job]);
  }
  return all / most;
}

bool judge_each_other(const TrainingJob& a, const TrainingJob& b, const TrainerOptions& options) {
  return a.team == b.team && !a.rows.left_out.empty() && !b.rows.left_out.empty() &&
         are_alike(a, b, options.shuffle) && can_be_together(a, b, options);
}

// Whether the networks of one team are trained side by side. It must not depend on other teams, since those that are not
// are judged each by itself.
bool are_side_by_side(const TrainingJob& first, std::size_t networks,
                      const TrainerOptions& options) {
  const std::vector<SweepLayer> layers = sweep_layers(first.network.options());
  return networks > 1 && can_be_packed(options) &&
         (fits_the_cache_in_packs(first.network.weight_count()) ||
          lanes_across_networks(layers, networks));
}

// Jobs that stay together whatever else is trained: networks that judge each other, as many as a pack holds, or one.
std::vector<Numbers> crews_of(std::span<const TrainingJob> jobs, const TrainerOptions& options) {
  std::vector<Numbers> out;
  for (std::size_t first = 0; first < jobs.size();) {
    std::size_t end = first + 1;
    while (end < jobs.size() && end - first < kPack &&
           judge_each_other(jobs[first], jobs[end], options))
      ++end;
    if (!are_side_by_side(jobs[first], end - first, options)) end = first + 1;
    Numbers crew(end - first);
    std::iota(crew.begin(), crew.end(), first);
    out.push_back(std::move(crew));
    first = end;
  }
  return out;
}

// Crews that can share the loops of packs, those with most examples first.
std::vector<std::vector<Numbers>> alike_crews(std::span<const TrainingJob> jobs,
                                              const TrainerOptions& options) {
  std::vector<Numbers> crews = crews_of(jobs, options);
  std::ranges::stable_sort(crews, std::greater{},
                           [&](const Numbers& crew) { return examples_of(jobs[crew.front()]); });
  std::vector<std::vector<Numbers>> out;
  std::vector<std::size_t> sizes;
  for (Numbers& crew : crews) {
    std::size_t at = 0;
    for (; at < out.size(); ++at) {
      const TrainingJob& first = jobs[out[at].front().front()];
      const TrainingJob& own = jobs[crew.front()];
      if (sizes[at] + crew.size() <= kPack && are_alike(first, own, options.shuffle) &&
          can_be_together(first, own, options))
        break;
    }
    if (at == out.size()) {
      out.emplace_back();
      sizes.push_back(0);
    }
    sizes[at] += crew.size();
    out[at].push_back(std::move(crew));
  }
  return out;
}

// Numbers of jobs that are trained together.
std::vector<Numbers> together(std::span<const TrainingJob> jobs, const TrainerOptions& options) {
  std::vector<Numbers> out;
  for (const std::vector<Numbers>& crews : alike_crews(jobs, options)) {
    Numbers pack;
    for (const Numbers& crew : crews) pack.insert(pack.end(), crew.begin(), crew.end());
    const std::vector<SweepLayer> layers = sweep_layers(jobs[pack.front()].network.options());
    const bool has_team =
        std::ranges::any_of(crews, [](const Numbers& crew) { return crew.size() > 1; });
    if (has_team ||
        (can_be_packed(options) && lanes_across_networks(layers, busy_networks(jobs, pack))))
      out.push_back(pack);
    else
      out.insert(out.end(), crews.begin(), crews.end());
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
  network::Trainer trainer(job.network, options, job.task);
  return inside_of(trainer).fit(job.rows, callbacks);
}

// Callbacks that number the jobs, one call at a time; and whether one of them has ended it all.
class Telling {
 public:
  Telling(const TrainingCallbacks& callbacks, std::size_t jobs)
      : callbacks_(callbacks), jobs_(jobs) {}

  bool is_cancelled() const { return cancelled_; }

  TrainingCallbacks of(const Numbers& jobs) {
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
  const std::vector<Numbers> tasks = together(jobs, options);
  const unsigned threads = resolved_threads(options.threads);
  const auto side_by_side = static_cast<unsigned>(std::min<std::size_t>(threads, tasks.size()));
  Telling telling(callbacks, jobs.size());
  Workers(side_by_side).run(tasks.size(), [&](std::size_t t) {
    const Numbers& task = tasks[t];
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

std::unique_ptr<TrainingRun> begin_together(std::span<TrainingJob> jobs,
                                            const TrainerOptions& options) {
  if (jobs.size() < 2 || together(jobs, options).size() != 1) return {};
  return begin_pack(jobs, options);
}

}  // namespace postrider::internal

#include "postrider/fleet.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "estimator/encoding_choice.h"
#include "estimator/far_cells.h"
#include "estimator/fitting.h"
#include "estimator/state.h"
#include "postrider/error.h"
#include "train/fleet.h"

namespace postrider {
using namespace internal;
namespace {

// Models that one call trains: the same options of training, but for the seed.
struct Squadron {
  TrainerOptions options;
  std::vector<std::size_t> models;
};

TrainerOptions without_seed(TrainerOptions options) {
  options.seed = 0;
  return options;
}

void expect_own_files(const std::vector<Squadron>& squadrons) {
  for (const auto file : {&TrainerOptions::checkpoint, &TrainerOptions::store_path})
    for (std::size_t s = 0; s < squadrons.size(); ++s)
      for (std::size_t other = 0; other < s; ++other)
        if (const std::string& path = squadrons[s].options.*file;
            !path.empty() && path == squadrons[other].options.*file)
          reject(file == &TrainerOptions::checkpoint ? "checkpoint" : "store_path", path,
                 "must not be that of another model, since their options of training differ");
}

std::vector<Squadron> squadrons_of(std::span<EstimatorState* const> states) {
  std::vector<Squadron> out;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const TrainerOptions options = without_seed(states[k]->options.training);
    const auto found = std::ranges::find(out, options, &Squadron::options);
    if (found == out.end())
      out.push_back({options, {k}});
    else
      found->models.push_back(k);
  }
  expect_own_files(out);
  return out;
}

// Does `call`, and says which model it was about if it complains.
template <class Call>
auto about_model(std::size_t model, Call&& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("model " + std::to_string(model) + ": " + error.what());
  }
}

class Fleet {
 public:
  Fleet(std::span<EstimatorState* const> states, std::span<const Examples> rows,
        const TrainingCallbacks& callbacks)
      : squadrons_(squadrons_of(states)), reports_(states.size()) {
    for (std::size_t k = 0; k < states.size(); ++k) {
      EstimatorState& state = *states[k];
      about_model(k, [&] {
        const Examples& near =
            near_
                .emplace_back(rows[k], state.kind() != ModelKind::classifier, state.options.outputs)
                .rows();
        fittings_.emplace_back(state, near, choose_preparation(state, near, callbacks).preparation);
      });
      jobs_.push_back(fittings_.back().jobs(k));
      networks_ += jobs_.back().size();
    }
  }

  std::vector<FleetReport> fit(const TrainingCallbacks& callbacks) {
    for (const Squadron& squadron : squadrons_) {
      if (is_cancelled_) break;
      train(squadron, callbacks);
    }
    return std::move(reports_);
  }

 private:
  void train(const Squadron& squadron, const TrainingCallbacks& callbacks) {
    std::vector<TrainingJob> jobs;
    std::vector<double> shifts;  // of the scores of each
    for (const std::size_t k : squadron.models)
      for (const TrainingJob& job : jobs_[k]) {
        jobs.push_back(job);
        shifts.push_back(fittings_[k].score_shift());
      }
    std::vector<TrainingOutcome> outcomes =
        fit_all(jobs, squadron.options, counting(callbacks, shifts));
    if (callbacks.interrupted && callbacks.interrupted()) is_cancelled_ = true;
    std::size_t first = 0;
    for (const std::size_t k : squadron.models) {
      const auto begin = outcomes.begin() + static_cast<std::ptrdiff_t>(first);
      first += jobs_[k].size();
      conclude(k, {std::make_move_iterator(begin),
                   std::make_move_iterator(outcomes.begin() + static_cast<std::ptrdiff_t>(first))});
    }
    networks_before_ += jobs.size();
  }

  // Through all models, whichever of them are trained in one call.
  TrainingCallbacks counting(const TrainingCallbacks& callbacks,
                             const std::vector<double>& shifts) {
    TrainingCallbacks out = callbacks;
    if (callbacks.progress)
      out.progress = [this, &callbacks, &shifts](EpochReport report) {
        report.score += shifts[report.member];
        report.member += networks_before_;
        report.members = networks_;
        if (!callbacks.progress(report)) is_cancelled_ = true;
        return !is_cancelled_;
      };
    return out;
  }

  void conclude(std::size_t model, std::vector<TrainingOutcome> outcomes) {
    try {
      reports_[model].fits = fittings_[model].conclude(std::move(outcomes));
    } catch (const Error& error) {
      reports_[model].failure = error.what();
    }
  }

  std::vector<Squadron> squadrons_;
  std::deque<WithoutFarCells> near_;  // none of these can be moved
  std::deque<Fitting> fittings_;
  std::vector<std::vector<TrainingJob>> jobs_;
  std::vector<FleetReport> reports_;
  std::size_t networks_ = 0, networks_before_ = 0;
  bool is_cancelled_ = false;
};

void expect_as_many(std::size_t models, std::size_t rows) {
  if (models != rows) reject("rows", rows, "must be as many as models, " + std::to_string(models));
}

std::vector<EstimatorState*> states_of(std::span<Estimator* const> models) {
  std::vector<EstimatorState*> out;
  for (Estimator* const model : models) out.push_back(&inside_of(*model));
  std::vector<EstimatorState*> sorted = out;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    reject("models", models.size(), "must all be others: one of them comes twice");
  return out;
}

}  // namespace

std::vector<FleetReport> fit_fleet(std::span<Estimator* const> models,
                                   std::span<const Examples> rows,
                                   const TrainingCallbacks& callbacks) {
  expect_as_many(models.size(), rows.size());
  const std::vector<EstimatorState*> states = states_of(models);
  std::vector<Examples> checked;
  for (std::size_t k = 0; k < models.size(); ++k)
    checked.push_back(about_model(k, [&] {
      return sound_examples(rows[k], states[k]->targets, models[k]->options().outputs);
    }));
  return Fleet(states, checked, callbacks).fit(callbacks);
}

}  // namespace postrider

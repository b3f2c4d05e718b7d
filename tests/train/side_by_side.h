// Networks with their rows, trained side by side or each alone.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "train/pack_trainer.h"
#include "train/problem.h"
#include "train/training_lane.h"

namespace postrider::network {
using namespace internal;

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct JobData {
  std::vector<double> x, y, weights = {};
  std::vector<std::uint32_t> learned = {};
};

// What is trained, and how.
struct PackCase {
  std::string name;
  NetworkOptions network;
  TrainerOptions options = {};
  Trainer::Task task = {};
  std::function<JobData(std::size_t number)> data;
  bool own_data = false;  // each its own; else all have those of number 0
};

struct Trained {
  FitReport report;
  std::vector<Gaussian> beliefs;
  std::vector<double> noise;
  std::size_t seen = 0;
};

// Networks number by number, all with other prior means, and what they learn.
class Jobs {
 public:
  Jobs(const PackCase& of, const std::vector<std::size_t>& numbers) {
    for (const std::size_t number : numbers) {
      if (of.own_data || data_.empty()) {
        data_.push_back(of.data(of.own_data ? number : 0));
        rows_.emplace_back(Inputs{data_.back().x}, of.network.inputs, of.network.precision);
      }
      NetworkOptions own = of.network;
      own.seed = 100 + number;
      networks_.emplace_back(own);
      const JobData& data = data_.back();
      const RowsToLearn rows{rows_.back(), data.y, data.weights, data.learned};
      all.push_back({networks_.back(), rows, of.task, of.own_data ? 7 + number : 7});
    }
  }

  std::vector<Trained> fit_in_pack(const TrainerOptions& options,
                                   const TrainingCallbacks& callbacks = {}) {
    return with_beliefs(fit_pack(all, options, callbacks));
  }
  std::vector<Trained> with_beliefs(std::vector<TrainingOutcome> outcomes) const {
    std::vector<Trained> out;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      out.push_back({std::move(outcomes[i].report), beliefs_of(networks_[i]),
                     std::move(outcomes[i].noise_variance), outcomes[i].seen});
    return out;
  }
  Trained fit_alone(std::size_t at, TrainerOptions options,
                    const TrainingCallbacks& callbacks = {}) {
    TrainingJob& job = all[at];
    options.seed = job.seed;
    Trainer trainer(job.network, options, job.task);
    FitReport report = inside_of(trainer).fit(job.rows, callbacks).report;
    return {std::move(report), beliefs_of(job.network), trainer.noise_variance(), trainer.seen()};
  }

  std::vector<TrainingJob> all;

 private:
  std::deque<JobData> data_;
  std::deque<TrainingRows> rows_;
  std::deque<Network> networks_;
};

inline std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(i);
  return out;
}

inline std::vector<Trained> trained_in_pack(const PackCase& of,
                                            const std::vector<std::size_t>& numbers,
                                            const TrainingCallbacks& callbacks = {}) {
  return Jobs(of, numbers).fit_in_pack(of.options, callbacks);
}
inline Trained trained_alone(const PackCase& of, std::size_t number,
                             const TrainingCallbacks& callbacks = {}) {
  return Jobs(of, {number}).fit_alone(0, of.options, callbacks);
}

// All that is not a time.
inline void expect_same_bits(const Trained& found, const Trained& expected) {
  EXPECT_EQ(found.beliefs, expected.beliefs);
  EXPECT_EQ(found.noise, expected.noise);
  EXPECT_EQ(found.seen, expected.seen);
  EXPECT_EQ(found.report.reason, expected.report.reason);
  EXPECT_EQ(found.report.best_epoch, expected.report.best_epoch);
  ASSERT_EQ(found.report.epochs.size(), expected.report.epochs.size());
  for (std::size_t i = 0; i < found.report.epochs.size(); ++i) {
    const EpochReport &a = found.report.epochs[i], &b = expected.report.epochs[i];
    EXPECT_EQ(a.epoch, b.epoch);
    EXPECT_EQ(a.score, b.score);
    EXPECT_EQ(a.noise_variance, b.noise_variance);
    EXPECT_EQ(a.typical_noise_variance, b.typical_noise_variance);
    EXPECT_EQ(a.best_epoch, b.best_epoch);
    EXPECT_EQ(a.drift, b.drift);
    EXPECT_EQ(a.linearised, b.linearised);
    EXPECT_EQ(a.silent, b.silent);
    EXPECT_EQ(a.bounded, b.bounded);
    EXPECT_EQ(a.guarded, b.guarded);
  }
}

// Rows of a bent plane, some inputs zero; with as many outputs.
inline JobData plane(std::size_t rows, std::size_t outputs, std::size_t number) {
  Problem problem = bent_plane(rows, outputs, 1 + number);
  for (std::size_t i = 0; i < problem.x.size(); i += 5) problem.x[i] = 0;
  return {std::move(problem.x), std::move(problem.y)};
}

// Class numbers: which of as many sectors of the plane the inputs lie in, some of them wrong.
inline JobData sectors(std::size_t rows, std::size_t classes, std::size_t number) {
  JobData out = plane(rows, 1, number);
  RandomStream random(3, number);
  for (std::size_t i = 0; i < rows; ++i) {
    const double turn = std::atan2(out.x[2 * i], out.x[2 * i + 1]) / (2 * M_PI) + 0.5;
    const auto own = std::min(classes - 1, static_cast<std::size_t>(turn * double(classes)));
    out.y[i] = static_cast<double>(random.uniform() < 0.05 ? (own + 1) % classes : own);
  }
  return out;
}

// The plainest: Gaussian noise, two outputs, ten epochs, the same rows for all.
inline PackCase plain_case(Precision precision = Precision::float64, std::size_t rows = 50) {
  PackCase out{.name = "plain", .network = small_network(precision, {6, 4}, 2), .data = {}};
  out.data = [rows](std::size_t number) { return plane(rows, 2, number); };
  out.options.max_epochs = 10;
  out.options.stopping = TrainerOptions::Stopping::epochs;
  out.options.group_size = 1;
  return out;
}

}  // namespace postrider::network

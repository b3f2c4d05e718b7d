// How well the rows of one call of partial_fit() were predicted before they were learned.
#pragma once

#include <limits>
#include <vector>

#include "train/targets.h"

namespace postrider::internal {

struct StreamScores {
  double sum = 0, count = 0;        // of log-likelihoods and of targets, by weight
  std::vector<double> by_row = {};  // of all its targets together; not a number where there is none

  // What was predicted of each row, and the noise variances that it was predicted with.
  network::Network::OutputMoments predicted = {};
  std::vector<double> noise = {};

  void add(const RowAssessment& row, double weight, const std::vector<double>& of_noise) {
    noise.insert(noise.end(), of_noise.begin(), of_noise.end());
    sum += weight * row.log_likelihood;
    count += weight * static_cast<double>(row.targets);
    by_row.push_back(row.targets > 0 ? row.log_likelihood
                                     : std::numeric_limits<double>::quiet_NaN());
  }
  template <class T>
  void keep(const Predictions<const T>& rows) {
    predicted = {{rows.mean.begin(), rows.mean.end()},
                 {rows.variance.begin(), rows.variance.end()}};
  }
  double mean() const { return count > 0 ? sum / count : 0; }
};

}  // namespace postrider::internal

// What a SparseModel consists of.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "postrider/sparse/model.h"
#include "sparse/lanes.h"
#include "sparse/latent.h"
#include "sparse/likelihood.h"
#include "sparse/linear.h"

namespace postrider::sparse {

struct SparseModel::State {
  explicit State(const SparseOptions& with);

  SparseOptions options;
  internal::hashed::Likelihood likelihood;
  internal::hashed::Bank bank;
  internal::hashed::Linear linear;
  std::optional<internal::hashed::Latent> latent;  // with one lane only
  internal::hashed::LaneMoments noise;  // the logarithm of a number's noise, in units of the scores
  double location = 0, unit = 1;        // of numbers: a score of s is location + unit s
  std::size_t rows = 0;
  double weight = 0, log_loss = 0;              // sums over the rows
  std::map<std::string, Partitions> positions;  // by the source

  // In units of the scores: beyond it, what lanes of floats make of a target is no number.
  static constexpr double kFarthest = 1e6;

  // 1 or -1, or a number in units of the scores; one that is too far away counts as the farthest.
  double target_of(double given) const {
    if (options.target == SparseOptions::Target::number)
      return std::clamp((given - location) / unit, -kFarthest, kFarthest);
    return given > 0 ? 1 : -1;
  }
  void keep(std::span<const std::size_t> kept);
  // By the beliefs as they are.
  internal::hashed::LaneMoments score(const FeatureRows& of, std::size_t row) const;
};

}  // namespace postrider::sparse

namespace postrider::internal {

namespace hashed {

// The prior of a number's noise, in units of all targets' variance: half of it, to within a factor of three.
inline constexpr double kLogNoise = -0.7, kLogNoiseVariance = 1.2;

RowView row_of(const sparse::FeatureRows& rows, std::size_t row);
std::span<const std::uint32_t> fields_of(const sparse::FeatureRows& rows, std::size_t row);
// Throws InvalidArgument, naming the row, where a target is none of a class or no number.
void expect_targets(const sparse::FeatureRows& rows, sparse::SparseOptions::Target target);
sparse::SparseModel::Summary summary_of(const sparse::SparseModel::State& state);
// Takes rows that are valid.
std::vector<sparse::SparseModel::Prediction> predicted(const sparse::SparseModel::State& state,
                                                       const sparse::FeatureRows& rows);
// A part of a score that has one lane.
void add_to(LaneMoments& score, const ScoreMoments& part);

}  // namespace hashed

}  // namespace postrider::internal

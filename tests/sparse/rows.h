// Rows for tests of the sparse model.
#pragma once

#include <cmath>
#include <vector>

#include "base/random.h"
#include "postrider/sparse/model.h"

namespace postrider::internal::hashed {

struct Entry {
  std::uint64_t index;
  float value;
};

inline void add_row(sparse::FeatureRows& rows, const std::vector<Entry>& entries, double target) {
  for (const Entry& entry : entries) {
    rows.keys.push_back(sparse::feature_key(entry.index));
    rows.values.push_back(entry.value);
  }
  rows.ends.push_back(rows.keys.size());
  rows.targets.push_back(target);
}

// Rows of five of `inputs` inputs, whose weights are standard normal; classes 1 and -1 by a logistic link, or the score with noise
// of standard deviation 0.5.
inline sparse::FeatureRows random_rows(std::size_t count, std::uint64_t seed,
                                       sparse::SparseOptions::Target target,
                                       std::size_t inputs = 40) {
  sparse::FeatureRows rows;
  RandomStream of_weights(77, 0), random(seed, 1);
  std::vector<double> weights;
  for (std::size_t i = 0; i < inputs; ++i) weights.push_back(of_weights.normal());
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<Entry> entries;
    double score = 0.5;
    for (std::size_t i = 0; i < 5; ++i) {
      const std::size_t index = 5 * random.below(inputs / 5) + i;
      const float value = i == 0 ? static_cast<float>(random.normal()) : 1;
      entries.push_back({index, value});
      score += weights[index] * static_cast<double>(value);
    }
    if (target == sparse::SparseOptions::Target::number)
      add_row(rows, entries, 10 + 3 * (score + 0.5 * random.normal()));
    else
      add_row(rows, entries, random.uniform() < 1 / (1 + std::exp(-score)) ? 1 : -1);
  }
  return rows;
}

// Rows begin to end of these.
inline sparse::FeatureRows part_of(const sparse::FeatureRows& rows, std::size_t begin,
                                   std::size_t end) {
  sparse::FeatureRows out;
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t i = rows.begin_of(row); i < rows.ends[row]; ++i) {
      out.keys.push_back(rows.keys[i]);
      out.values.push_back(rows.values[i]);
      if (!rows.fields.empty()) out.fields.push_back(rows.fields[i]);
    }
    out.ends.push_back(out.keys.size());
    if (!rows.targets.empty()) out.targets.push_back(rows.targets[row]);
    if (!rows.weights.empty()) out.weights.push_back(rows.weights[row]);
  }
  return out;
}

}  // namespace postrider::internal::hashed

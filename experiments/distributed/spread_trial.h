// One network trained in one place or spread over shards, and tested.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "../uci/sets.h"
#include "postrider/distributed/training.h"
#include "postrider/regressor.h"

namespace postrider::experiments {

struct SpreadTested {
  double likelihood = 0;  // of the test rows, in the set's units
  distributed::DistributedReport report;

  const std::vector<EpochReport>& epochs() const { return report.fits.front().epochs; }
  double best_score() const { return report.fits.front().best_score(); }
  // The first epoch whose score is at least this; one more than there are if none is.
  std::size_t epochs_to(double score) const;
};

// Defaults, but for one network; `workers` shards, or 0 for training in one place.
SpreadTested test_spread(const Rows& training, const Rows& testing, std::size_t workers,
                         std::uint64_t seed, const distributed::DistributedOptions& how = {});
EstimatorOptions one_network(std::uint64_t seed);

// A folder of its own, removed in the end.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("postrider-" + name)) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Paired {
  double mean = 0, standard_error = 0;
};
// The mean of the differences a - b.
Paired paired(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace postrider::experiments

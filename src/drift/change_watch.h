// Watches how well rows are predicted, and says when they suddenly no longer are.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace postrider::internal {

// Rows from `began` on were predicted worse than was expected of them; that was clear after row `found`.
struct Change {
  std::size_t began = 0, found = 0;  // rows, counted from 0
  double strength = 0;  // log density lost per row meanwhile: expected less found, nats
};

// Page's test. Of the log densities l of the rows so far the mean m and the deviation s are kept, forgetting
// rows of more than kMemory ago. With the surprise z = (m - l)/s, within kMostSurprise either way,
//
//   S <- max(0, S + z - kAllowance) ,
//
// and a change is found where S exceeds kAlarm. It began after S was last 0. Then m and s are learned anew. Log
// densities are learned only as far from m as they may surprise.
// Drift that is slow against kMemory is expected, and is not told.
class ChangeWatch {
 public:
  static constexpr double kMemory = 50, kAllowance = 0.5, kAlarm = 16, kMostSurprise = 4;
  // So many rows must be known before one can surprise.
  static constexpr std::size_t kFewest = 100;

  // One row's log density by what was known before it; one that is not finite is left out. Rows that were
  // predicted together, from beliefs that had heard none of them, miss together: of these it is their mean,
  // and `rows` is how many they are.
  std::optional<Change> observe(double log_density, std::size_t rows = 1);

  std::size_t rows() const { return rows_; }
  double expected() const { return mean_; }

  // All there is to know, for files.
  static constexpr std::size_t kNumbers = 7;
  std::vector<double> numbers() const;
  // Throws InvalidArgument if they cannot be such numbers.
  static ChangeWatch of(const std::vector<double>& numbers);

 private:
  void learn(double log_density);

  std::size_t rows_ = 0;   // seen in all
  std::size_t known_ = 0;  // observations that mean and variance come from
  double mean_ = 0, variance_ = 0;
  double sum_ = 0;         // S
  std::size_t began_ = 0;  // the first row since S was 0
  double lost_ = 0;        // since then, nats in all rows
};

}  // namespace postrider::internal

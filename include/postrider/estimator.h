// What Regressor and Classifier have in common: an ensemble of networks behind the scales of the data.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postrider/encoding.h"
#include "postrider/estimator_options.h"
#include "postrider/export.h"
#include "postrider/inputs.h"
#include "postrider/network/network.h"
#include "postrider/training.h"

namespace postrider {

namespace internal {
struct Access;
class EstimatorState;
}  // namespace internal

// Rows hold all their inputs, or those that are not zero (SparseInputs). Inputs may be missing (NaN). A const estimator
// may be used by several threads at a time.
class POSTRIDER_EXPORT Estimator {
 public:
  // A number that no network can take: infinite, or far from all that set the scales.
  struct UnusableNumber {
    static constexpr std::size_t kTarget = static_cast<std::size_t>(-1);

    std::size_t row = 0;
    std::size_t column = 0;  // of the inputs, or kTarget
    double value = 0;
    const char* wanted = "";  // such as "must be at most 1e120 in size"
  };

  // How well an ensemble predicts new rows, by its training rows: each predicted by networks that have not learned it.
  struct OutOfFoldScore {
    // Mean log-likelihood of a target, in the unit of the targets, as the whole ensemble would have predicted it; nats.
    double log_likelihood = 0;
    double standard_error = 0;
    std::size_t rows = 0;  // that were judged
  };

  // How the values of a column become what a network sees: (value - mean) / std.
  struct ColumnScale {
    double mean = 0, std = 1;
  };

  // One input of a network.
  struct NetworkInput {
    std::size_t column = 0;  // that it is made of
    double std = 1;          // over the rows learned
  };

  ~Estimator();
  Estimator(Estimator&&) noexcept;
  Estimator& operator=(Estimator&&) noexcept;

  // Throw NotFitted if nothing was learned yet, FileError if the file cannot be written. The notes are
  // kept in the file's metadata, for whoever loads it.
  void save(const std::string& path, const std::map<std::string, std::string>& notes = {}) const;
  // The bytes of that file, for a stream that can seek.
  void save(std::ostream& to, const std::map<std::string, std::string>& notes = {}) const;
  const std::map<std::string, std::string>& notes() const;  // of the file that was loaded

  const EstimatorOptions& options() const;
  // From now on; 0: all cores. Results do not depend on it.
  void use_threads(unsigned threads);
  std::size_t inputs() const;         // 0 before anything was learned
  std::size_t ensemble_size() const;  // 0 before anything was learned
  std::size_t rows_learned() const;   // by fit() and all calls of partial_fit()

  // As fit() and partial_fit() of a Regressor or Classifier, whose targets are numbers or classes.
  std::vector<FitReport> fit(const Examples& examples, const TrainingCallbacks& callbacks = {});
  StreamReport partial_fit(const Examples& examples);

  // Rows of the last fit() that the model and its file hold, as neighbours of new ones; 0 where they hold beliefs alone.
  std::size_t neighbour_rows() const;
  // That of the last fit(), by rows that networks did not learn; none of a stream alone, nor where fit() had a row or two.
  std::optional<OutOfFoldScore> out_of_fold_score() const;

  // Throw NotFitted before anything was learned, InvalidArgument if there is no such member.
  const network::Network& network(std::size_t member = 0) const;
  // For standardised targets: one for each, or one where the noise varies or targets are classes.
  const std::vector<double>& noise_variance(std::size_t member = 0) const;
  // The scales of the columns learned; how they become the networks' inputs; and rows as networks see them: what is not zero, and how
  // uncertain it is where a column is missing.
  std::vector<ColumnScale> input_scales() const;
  const std::vector<ColumnEncoding>& encodings() const;
  std::vector<NetworkInput> network_inputs() const;
  SparseInputs encoded_inputs(const Inputs& inputs) const;
  // The first of each row that has one. Rows without are predicted, and learned, without an exception. Throw NotFitted.
  std::vector<UnusableNumber> unusable_inputs(const Inputs& inputs) const;
  std::vector<UnusableNumber> unusable_targets(std::span<const double> targets) const;
  // Whether the network was narrowed for few rows, and the rows learned since would fill a wider one:
  // then a fit() with all rows would predict better.
  bool is_too_narrow() const;

 protected:
  friend struct internal::Access;
  explicit Estimator(std::unique_ptr<internal::EstimatorState> state);
  std::unique_ptr<internal::EstimatorState> state_;
};

}  // namespace postrider

// A sparse model whose weights are spread over processes. Owners have the weights, each those that the hash of their keys gives
// it, as whole sums of natural parameters: what is added up is the same in any order. Workers are without a state. For a batch of rows
// one asks the owners what they believe of the batch's weights, learns the rows from there, and sends back what the rows said. How
// processes talk to each other is the caller's matter; postrider.experimental.owners of the Python package does it by Arrow Flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/sparse/model.h"

namespace postrider::sparse {

// The number of the owner of a weight, among so many.
POSTRIDER_EXPORT std::size_t owner_of(std::uint64_t key, std::size_t owners);

// Beliefs that all weights share (the bias, the noise, how well each of the models side by side predicted) as whole sums. The last
// number has a bit for each of these models that is still kept.
using SparseSums = std::vector<std::int64_t>;

// Rows that are learned together, from beliefs that came from elsewhere.
class POSTRIDER_EXPORT SparseBatch {
 public:
  // What all processes must know before the first row is learned.
  struct POSTRIDER_EXPORT Units {
    double input_square =
        1;  // mean square of the inputs: prior variances are for inputs of this size
    double location = 0, unit = 1;  // of numbers: a score of s is location + unit s

    void validate() const;
  };

  struct Changes {
    std::vector<std::int64_t>
        weights;  // for each key, a tau for each model that is kept, then the rhos
    SparseSums shared;
    SparseModel::Report report;
  };

  // Repeated keys of a row count as one input with the sum of their values. Drift and latent vectors are refused.
  SparseBatch(const SparseOptions& options, const Units& units, const FeatureRows& rows);
  ~SparseBatch();
  SparseBatch(SparseBatch&&) noexcept;

  // Each once, ascending: those of which beliefs are needed.
  const std::vector<std::uint64_t>& keys() const;
  // `beliefs` has for each key the means of the models that are kept, then their variances.
  Changes learn(std::span<const float> beliefs, const SparseSums& shared) const;
  std::vector<SparseModel::Prediction> predict(std::span<const float> beliefs,
                                               const SparseSums& shared) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// From some rows, such as the first thousand of the stream.
POSTRIDER_EXPORT SparseBatch::Units sparse_units(const FeatureRows& rows,
                                                 SparseOptions::Target target);

class POSTRIDER_EXPORT SparseOwner {
 public:
  SparseOwner(const SparseOptions& options, const SparseBatch::Units& units);
  ~SparseOwner();
  SparseOwner(SparseOwner&&) noexcept;
  SparseOwner& operator=(SparseOwner&&) noexcept;

  std::size_t size() const;      // weights that exist
  std::size_t bytes() const;     // of their table
  std::uint64_t models() const;  // of those side by side, a bit for each that its weights have
  const SparseSums& shared() const;
  // Rows, score and models by what is shared; weights and bytes of this owner.
  SparseModel::Summary summary() const;

  // For each key, the means of these models, then their variances; the prior's of a weight that does not exist.
  std::vector<float> beliefs(std::span<const std::uint64_t> keys) const;
  // Gives up all models but these.
  void keep(std::uint64_t models);
  // Adds what rows said of these weights. Throws InvalidArgument, and nothing is added, if a sum would leave the range of whole numbers
  // or a precision would fall below the prior's.
  void add(std::span<const std::uint64_t> keys, std::span<const std::int64_t> changes);
  // The same of what the weights share; for one of the owners. `weights` is the number of weights of all owners: where they are many, or rows
  // twice as many as before, models that do not count are given up.
  void add_shared(const SparseSums& changes, std::size_t weights);

  // One safetensors file, written whole or not at all. The note is the caller's, such as the position in the source.
  void save(const std::string& path, const std::string& note) const;
  static SparseOwner load(const std::string& path);
  const std::string& note() const;

  struct State;

 private:
  POSTRIDER_EXPORT friend SparseModel gather_owners(const std::vector<std::string>& paths);
  explicit SparseOwner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One model from the files of all owners, in any order. Throws CorruptFile if they are not of one model and one note.
POSTRIDER_EXPORT SparseModel gather_owners(const std::vector<std::string>& paths);

}  // namespace postrider::sparse

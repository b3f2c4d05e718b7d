// Beliefs in weights as whole sums: the units of each lane, which follow from its prior.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "message/whole_units.h"
#include "postrider/sparse/shards.h"
#include "sparse/state.h"

namespace postrider::internal::hashed {

// A model that has learned nothing and whose prior does not depend on the rows to come. Throws InvalidArgument where weights cannot be
// spread.
std::unique_ptr<sparse::SparseModel::State> spread_state(const sparse::SparseOptions& options,
                                                         const sparse::SparseBatch::Units& units);

class WeightUnits {
 public:
  // The prior variances of the lanes.
  explicit WeightUnits(std::span<const float> prior) {
    for (const float variance : prior) {
      const double rho = 1 / static_cast<double>(variance);
      prior_.push_back(rho);
      units_.push_back(WholeUnits::of_prior(rho));
    }
  }

  std::size_t lanes() const { return prior_.size(); }

  // In units; false if a number is too large for them.
  bool round(std::size_t lane, double tau, double rho, std::int64_t& tau_units,
             std::int64_t& rho_units) const {
    const double of_tau = tau / units_[lane].tau, of_rho = rho / units_[lane].rho;
    if (!(std::abs(of_tau) < WholeUnits::kLargest && of_rho < WholeUnits::kLargest)) return false;
    tau_units = static_cast<std::int64_t>(WholeUnits::rounded(of_tau));
    rho_units = static_cast<std::int64_t>(WholeUnits::rounded(of_rho));
    return true;
  }

  // The prior times a message with these sums.
  void belief(std::size_t lane, std::int64_t tau, std::int64_t rho, float& mean,
              float& variance) const {
    const double precision = prior_[lane] + static_cast<double>(rho) * units_[lane].rho;
    mean = static_cast<float>(static_cast<double>(tau) * units_[lane].tau / precision);
    variance = static_cast<float>(1 / precision);
  }

 private:
  std::vector<double> prior_;
  std::vector<WholeUnits> units_;
};

// --- What all weights share, as whole sums: see SparseSums. Lanes keep their numbers when others are given up.

// The sums of a model that has learned nothing.
sparse::SparseSums no_sums(const sparse::SparseModel::State& fresh);

// Numbers of the lanes in a set of bits.
std::vector<std::size_t> lanes_in(std::uint64_t bits);
std::uint64_t bits_of(const sparse::SparseSums& sums);
// Inputs of all rows.
double inputs_of(const sparse::SparseSums& sums);
// Whether the numbers can be sums: their count, and which lanes are kept. `lanes` are those at the beginning.
bool are_sums(const sparse::SparseSums& sums, std::size_t lanes);

// Only the lanes that are kept stay in a fresh model, with what the sums say.
void restore(const sparse::SparseSums& sums, sparse::SparseModel::State& to);
// What a model, made by restore(), has learned since.
sparse::SparseSums learned_since(const sparse::SparseSums& sums,
                                 const sparse::SparseModel::State& before,
                                 const sparse::SparseModel::State& after);
// False, and nothing is added, where a number would leave its range.
bool add(const sparse::SparseSums& changes, sparse::SparseSums& to);
void keep_lanes(std::uint64_t bits, sparse::SparseSums& sums);

}  // namespace postrider::internal::hashed

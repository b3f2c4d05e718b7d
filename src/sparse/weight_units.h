// Beliefs in weights as whole sums: the units of each lane, which follow from its prior.
#pragma once

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
                                                         const sparse::SparseUnits& units);

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

}  // namespace postrider::internal::hashed

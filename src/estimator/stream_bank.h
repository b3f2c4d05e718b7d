// Which of the rates at which the members' beliefs drift predicts best, and when rows changed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "drift/change_watch.h"
#include "drift/rate_bank.h"
#include "estimator/ensemble.h"

namespace postrider {

// The rates there are, in the order in which members have them: the first is no drift at all. Chosen on
// generated streams (docs/design/trials.md). Without drift there is only the first.
std::span<const DriftRate> drift_rates(bool drifts);

// Member m drifts at rate number m modulo the number of rates. The members of one rate are averaged, and
// rates are weighted by how well they predicted.
class StreamBank {
 public:
  // Of so many members.
  StreamBank(std::size_t members, bool drifts);
  // Goes on from what was written down. Throws InvalidArgument if it makes no sense.
  StreamBank(std::vector<double> weights, const std::vector<double>& watch);

  std::size_t rates() const { return bank_.size(); }
  const RateBank& bank() const { return bank_; }
  const ChangeWatch& watch() const { return watch_; }

  // What the members predicted of the rows of one call. Predictions of so many rows at a time, made
  // together, count as one. Adds to the report: score of the mixture, changes, rates.
  void observe(std::span<const StreamOutcome> outcomes, std::span<const double> sample_weights,
               std::size_t horizon, StreamReport& report);

  // Sets the members' shares in predictions.
  void share_out(std::vector<Member>& members) const;

 private:
  RateBank bank_;
  ChangeWatch watch_;
};

}  // namespace postrider

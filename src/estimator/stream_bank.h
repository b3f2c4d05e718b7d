// Which of the rates at which the members' beliefs drift predicts best, and when rows changed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "drift/change_watch.h"
#include "drift/rate_bank.h"
#include "estimator/ensemble.h"
#include "postrider/estimator_options.h"

namespace postrider::internal {

// The kinds there are, in the order in which members have them. With windows the first have one. Of the others the
// first does not drift; without drift it is the only one. Chosen on generated streams (docs/design/trials-streams.md).
std::vector<StreamKind> stream_kinds(bool drifts, bool windows);
std::vector<StreamKind> kinds_of_members(const EstimatorOptions& options);

// Member m is of kind number m modulo the number of kinds. The members of one kind are averaged, and kinds are
// weighted by how well they predicted.
class StreamBank {
 public:
  // Begins with so many members.
  StreamBank(std::size_t members, std::vector<StreamKind> kinds);
  // Goes on from what was written down. Throws InvalidArgument if it makes no sense.
  StreamBank(std::vector<double> weights, const std::vector<double>& watch,
             std::vector<StreamKind> kinds);

  std::span<const StreamKind> kinds() const { return kinds_; }
  const RateBank& bank() const { return bank_; }
  const ChangeWatch& watch() const { return watch_; }

  // What the members predicted of the rows of one call. Predictions of so many rows at a time, made
  // together, count as one. Adds to the report: score of the mixture, changes, rates. Returns the shares that
  // the members had in the prediction of each row, row by row: how rows are cut into calls changes none of them.
  std::vector<double> observe(std::span<const StreamOutcome> outcomes,
                              std::span<const double> sample_weights, std::size_t horizon,
                              StreamReport& report);

  // Sets the members' shares in predictions.
  void share_out(std::vector<Member>& members) const;

 private:
  // The share that member m has, which is one of so many.
  double share_of(std::size_t m, std::size_t members) const;

  std::vector<StreamKind> kinds_;
  RateBank bank_;
  ChangeWatch watch_;
};

}  // namespace postrider::internal

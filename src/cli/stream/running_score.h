// How well rows were predicted before they were learned.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "postrider/table_model.h"

namespace postrider::cli {

class RunningScore {
 public:
  // Takes rows that the model has not learned yet; those without a target are passed over.
  void add(const TableModel& model, const Table& table);

  std::size_t rows() const { return all_.rows; }
  // Log-likelihood or log-loss, and error or accuracy: of all rows, and of the last thousand or so.
  std::string text() const;

 private:
  struct Sums {
    std::size_t rows = 0;
    double first = 0;   // log-likelihoods, or log-losses
    double second = 0;  // squared errors, or right answers

    void add(const Sums& more, double sign = 1);
  };
  std::string text_of(const Sums& sums) const;

  bool classifies_ = false;
  Sums all_, recent_;
  std::deque<Sums> parts_;  // of recent_
};

}  // namespace postrider::cli

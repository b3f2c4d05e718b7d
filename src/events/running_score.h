// How well rows were predicted before they were learned.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "postrider/table_model.h"

namespace postrider::cli {

class RunningScore {
 public:
  // Coverage is that of intervals of this level.
  RunningScore(bool classifies, double level) : classifies_(classifies), level_(level) {}

  // Rows as they were predicted; those without a target are passed over.
  void add(const TableModel::Prediction& prediction, const Table& table);

  struct Sums {
    std::size_t rows = 0;
    double first = 0;   // log-likelihoods, or log-losses
    double second = 0;  // squared errors, or right answers
    double inside = 0;  // rows whose target is in its interval; of classes none

    void add(const Sums& more, double sign = 1);
  };
  const Sums& all() const { return all_; }
  const Sums& recent() const { return recent_; }  // of the last thousand rows
  bool classifies() const { return classifies_; }
  // Log-likelihood or log-loss, and error or accuracy: of all rows, and of the last thousand.
  std::string text() const;

 private:
  std::string text_of(const Sums& sums) const;
  void add_row(const Sums& row);
  void add_classes(const TableModel::Prediction& prediction, const Table::Column& target);
  void add_numbers(const TableModel::Prediction& prediction, const Table::Column& target);

  bool classifies_;
  double level_;
  Sums all_, recent_;
  std::deque<Sums> parts_;  // of recent_
};

}  // namespace postrider::cli

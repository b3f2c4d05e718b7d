// A model that predicts while it learns.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "postrider/export.h"
#include "postrider/table_model.h"

namespace postrider {

namespace internal {
class LiveModelState;
}  // namespace internal

// Any number of threads predict, and never wait; threads that learn wait for each other. A prediction sees all of a call
// of update() or nothing of it. Takes twice the memory of its model, and learning twice the time.
class POSTRIDER_EXPORT LiveModel {
 public:
  explicit LiveModel(TableModel model);
  ~LiveModel();
  LiveModel(LiveModel&&) noexcept;
  LiveModel& operator=(LiveModel&&) noexcept;

  TableModel::Prediction predict(const Table& table) const;
  TableEvaluation evaluate(const Table& table) const;
  // As TableModel::update(). If it throws, nothing was learned.
  void update(const Table& table);
  [[deprecated("use update")]] void learn(const Table& table) { update(table); }
  void save(const std::string& path) const;
  void save(std::ostream& to) const;  // the same bytes

  const Schema& schema() const;                     // does not change
  const std::vector<std::string>& classes() const;  // likewise; empty if the target is numeric
  std::size_t rows_learned() const;
  // As Estimator::out_of_fold_score().
  std::optional<Estimator::OutOfFoldScore> out_of_fold_score() const;

 private:
  std::unique_ptr<internal::LiveModelState> state_;
};

}  // namespace postrider

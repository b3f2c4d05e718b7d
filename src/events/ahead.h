// Predicts rows as far ahead as the model learns to, and learns them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "events/row_stream.h"
#include "postrider/file.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// A model of horizon 24 is judged, and weighs what it believes, by predictions 24 rows ahead; one of horizon 1 by
// those of the next row. However many rows are there to be read, each is predicted by what was learned before its block
// of so many rows began, so that a stream that is caught up with is predicted as one that is followed, and the model comes
// to the same bytes.
class AheadLearner {
 public:
  // Rows as predicted, before they are learned: which of the batch's rows they are, and how many rows the first lies ahead
  // of the last that was learned. A row that waits for its target comes alone.
  using Predicted = std::function<void(const TableModel::Prediction&, const Table&,
                                       std::span<const std::size_t> rows, std::size_t ahead)>;

  AheadLearner(TableModel& model, bool learns);

  // How many rows may come at a time, so that the position is that of whole blocks.
  std::size_t most(std::size_t batch) const;
  // Returns whether the model has moved.
  bool take(const RowBatch& batch, const Predicted& predicted);
  // Learns rows that wait for the rest of their block, since none will come.
  bool finish();
  std::size_t waiting() const { return pending_.rows(); }

 private:
  bool has_target(const Table& table, std::size_t row) const;
  void predict(const RowBatch& batch, std::size_t begin, std::size_t end,
               const Predicted& predicted);
  void learn(const TableModel::StreamPosition& after);

  TableModel& model_;
  bool learns_;
  std::size_t horizon_, target_;
  Table pending_;                     // predicted, and not learned
  std::size_t targets_ = 0;           // of them
  std::size_t ahead_ = 0;             // rows since the last that was learned
  TableModel::StreamPosition after_;  // the last row that came
};

// --- The model's file, written now and then: beliefs and position together.

class Snapshots {
 public:
  // Made before the model is read: what another program writes in the meantime must not be undone. Without an output
  // the model is written in place.
  Snapshots(const std::string& model, const std::string& output, double seconds);

  bool is_due() const { return age() >= interval_; }
  double age() const;  // seconds since the last one
  void save(const TableModel& model);
  const std::string& path() const { return path_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::string path_;
  bool is_in_place_;
  double interval_;
  FileWriter::Version version_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace postrider::cli

// Targets that come later than what they belong to: rows wait for theirs, and are found again by a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/row_stream.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// Memory is bounded by the window, which is counted in events and not in seconds: then what is learned is a function of the
// events alone, whenever they come and however often the program is started again.
class LateTargets {
 public:
  struct Counts {
    std::size_t joined = 0;     // targets that found their row
    std::size_t unmatched = 0;  // targets for which no row waits
    std::size_t left = 0;       // rows that left the window without a target
    std::size_t repeated = 0;   // rows whose key another one waits with
  };

  // Goes on with the rows that wait in the model. Throws InvalidArgument if these wait by another column, or the window is none
  // that the model's file can hold.
  LateTargets(const TableModel& model, const std::string& column, std::size_t window);

  // Says of each row whether it is to be predicted and learned. A target whose row waits becomes that row, with the
  // target; one whose row does not wait goes to those that are unmatched, and an event without a key to the refused ones.
  void take(RowBatch& batch);
  // What was predicted for the event when it came, for when its target is known. Rows that were taken from the model have none:
  // they were predicted by a program that has ended.
  void keep(std::uint64_t event, TableModel::Prediction prediction);
  std::optional<TableModel::Prediction> predicted(std::uint64_t event);

  // The model stands behind all events that were taken.
  void settle();
  // As of when that was said last: what the file must hold, together with the model.
  TableModel::Waiting settled() const;

  const Counts& counts() const { return counts_; }
  std::size_t waiting() const { return rows_.size(); }
  // What a person should know at the end, in lines; empty if all targets came in time.
  std::string text() const;

 private:
  // Numbers, and codes as numbers, of all columns; not a number where there is none.
  using Cells = std::vector<double>;
  struct Row {
    std::string key;
    Cells cells;
  };
  using Rows = std::map<std::uint64_t, Row>;  // by the number of the event

  Cells cells_of(const Table& table, std::size_t row) const;
  bool is_missing(std::size_t column, double cell) const;
  bool has_inputs(const Cells& cells) const;
  std::string fault_of(const std::string& key) const;
  std::vector<Table::Column> columns_of(const std::vector<const Cells*>& rows) const;
  RowUse wait(const std::string& key, const Cells& cells);
  std::optional<RowUse> join(const std::string& key, Cells& cells);  // nothing: no row waits
  void let_go();
  void remove(Rows::iterator row);

  Schema schema_;
  std::size_t target_;
  std::size_t key_;  // if the model knows such a column
  std::string column_;
  std::size_t window_;
  std::uint64_t events_ = 0, settled_ = 0;
  Rows rows_;
  Rows removed_;  // since the model stood behind all events
  std::unordered_map<std::string, std::uint64_t> by_key_;
  std::unordered_map<std::uint64_t, TableModel::Prediction> predictions_;
  Counts counts_;
  std::string first_unmatched_;
};

}  // namespace postrider::cli

// Rows of a stream in the columns of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/address.h"
#include "events/event_source.h"
#include "io/json_rows.h"
#include "io/open_table.h"
#include "postrider/error.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// An event that made no sense.
struct Refusal {
  std::string place, reason;
  std::string text;  // as it came
};

// What is done with a row where targets come late: LateTargets says it.
struct RowUse {
  bool is_predicted = true;  // not if only its target came now
  bool is_learned = true;    // not if it waits for its target
  std::uint64_t event = 0;   // of a row that waits or has waited, the number of its event; else 0
};

struct RowBatch {
  Table table = {};
  TableModel::StreamPosition after = {};  // these rows, and those that were refused
  std::vector<std::string> places = {};   // of the rows, such as "sales/0 17"
  std::vector<std::string> texts = {};    // of the rows, as they came
  std::vector<std::string> keys = {};     // of the rows, where a column was asked for as the key
  std::vector<RowUse> uses = {};          // of the rows; empty: all are predicted and learned
  std::vector<Refusal> refusals = {};
  std::vector<Refusal> unmatched = {};  // targets for which no row waits
  bool is_end = false;                  // there is nothing more for now

  RowUse use(std::size_t row) const { return uses.empty() ? RowUse() : uses[row]; }
};

class RowStream {
 public:
  virtual ~RowStream() = default;
  // Waits for rows, but not for long.
  virtual RowBatch next(std::size_t most) = 0;
  virtual RowBatch rest() { return {}; }             // as of EventSource
  virtual bool has_ended() const = 0;                // likewise
  virtual StreamLag lag() const { return {}; }       // likewise
  virtual std::string outage() const { return {}; }  // likewise
};

// Moves rows that the model can neither predict nor learn to those that were refused.
void refuse_unusable(const TableModel& model, RowBatch& batch);
// Likewise rows without a cell of any input, such as those of another table that has a column of the target's name: to learn them
// would unlearn what the inputs say. Targets that come alone are not for here.
void refuse_without_inputs(RowBatch& batch);

// From the column of the table that was asked for as the key.
void put_keys(RowBatch& batch);
// Readers of tables say "key" of what the user wrote as --join.
void expect_no_fault_of_key(const Error& error);

// Goes on from where the model stands. `data` says how a file is to be read, and which column is the key.
std::unique_ptr<RowStream> open_stream(const StreamAddress& address, const DataRequest& data,
                                       const TableModel& model, std::size_t most,
                                       const StreamOpening& how);

// Tables of text, line by line; and those that are no lines of text, which are read from the front each time: compressed
// ones, Parquet, Arrow.
std::unique_ptr<RowStream> open_text_rows(const StreamAddress& address, const DataRequest& data,
                                          const Schema& schema,
                                          const TableModel::StreamPosition& from,
                                          const StreamOpening& how);
bool is_stored_table(const std::string& path);
std::unique_ptr<RowStream> open_stored_rows(const StreamAddress& address, const DataRequest& data,
                                            const Schema& schema,
                                            const TableModel::StreamPosition& from,
                                            std::size_t most, const StreamOpening& how);

// --- Events as rows of a table.

// What makes no sense is counted, never an error: a stream must not end for one event.
class EventBatcher {
 public:
  // The values of the key's column are kept as texts, if it has a name.
  EventBatcher(const Schema& schema, const std::string& key)
      : rows_(schema, key), has_keys_(!key.empty()) {}
  RowBatch batch(std::vector<Event> events);

 private:
  void add(const Event& event);

  JsonRows rows_;
  bool has_keys_;
};

}  // namespace postrider::cli

// What a command tells of rows while it reads them: whether they look as those learned, and which cannot be read.
#pragma once

#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "io/open_table.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// Looks at all rows that a reader hands out. Neither is moved while this lives.
class RowWatch {
 public:
  RowWatch(const TableModel& model, TableReader& reader);
  ~RowWatch();
  RowWatch(const RowWatch&) = delete;
  RowWatch& operator=(const RowWatch&) = delete;

  const RowMonitor& found() const { return found_; }

 private:
  TableReader& reader_;
  RowMonitor found_;
};

// Reading ends with Interrupted once a signal came: nothing was learned by then.
void end_reading_when(const InterruptWatch& watch, TableReader& reader);

// The rows of a file whose targets are compared with predictions.
struct WatchedTable {
  Table table;
  RepeatWatch::Found repeated;  // that were learned before
};
// Tells what the functions below tell of them, but for `repeated`. Throws CorruptFile if no row has a value of the target.
WatchedTable read_watched(const DataRequest& data, const TableModel& model);

// On standard error; nothing if there is nothing to say. The command may be left open.
void tell_drift(const std::string& command, const std::vector<DriftWatch::Warning>& warnings);
void tell_skipped(const std::string& command, const TableReader::Skipped& skipped);
void tell_absent(const std::string& command, const TableReader& reader);
// That rows are copies of others, and what becomes of them; empty if none is.
std::string copies_text(const CopyWatch::Found& copied);
// That figures of rows that were learned say less.
void tell_repeated(const std::string& command, const RepeatWatch::Found& repeated);

// Throws CorruptFile if the model had learned these rows, or some of them, or a column of them seems to be in another unit.
void expect_new_rows(const TableModel& model, const RowMonitor& rows, const std::string& path);

// What a user can do with columns that name rows; empty if there are none.
std::string identifiers_text(const std::vector<Identifier>& found);

}  // namespace postrider::cli

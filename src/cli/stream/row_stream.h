// Rows of a stream in the columns of a model.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/data.h"
#include "cli/stream/address.h"
#include "cli/stream/event_source.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// An event that made no sense.
struct Refusal {
  std::string place, reason;
  std::string text;  // as it came
};

struct RowBatch {
  Table table = {};
  StreamPosition after = {};             // these rows, and those that were refused
  std::vector<std::string> places = {};  // of the rows, such as "sales/0 17"
  std::vector<std::string> texts = {};   // of the rows, as they came
  std::vector<Refusal> refusals = {};
  bool is_end = false;  // there is nothing more for now

  std::size_t events() const { return table.rows() + refusals.size(); }
};

class RowStream {
 public:
  virtual ~RowStream() = default;
  // Waits for rows, but not for long.
  virtual RowBatch next(std::size_t most) = 0;
  virtual RowBatch rest() { return {}; }  // as of EventSource
  virtual bool has_ended() const = 0;     // likewise
  virtual std::string lag() const = 0;    // likewise
};

// Moves rows that the model can neither predict nor learn to those that were refused.
void refuse_unusable(const TableModel& model, RowBatch& batch);

// Goes on from where the model stands. `data` says how a file is to be read.
std::unique_ptr<RowStream> open_stream(const StreamAddress& address, const DataRequest& data,
                                       const TableModel& model, std::size_t most,
                                       const StreamOpening& how);

// Tables of text, line by line; and those that are no lines of text, which are read from the front each time: compressed
// ones, Parquet, Arrow.
std::unique_ptr<RowStream> open_text_rows(const StreamAddress& address, const DataRequest& data,
                                          const Schema& schema, const StreamPosition& from,
                                          const StreamOpening& how);
bool is_stored_table(const std::string& path);
std::unique_ptr<RowStream> open_stored_rows(const StreamAddress& address, const DataRequest& data,
                                            const Schema& schema, const StreamPosition& from,
                                            std::size_t most, const StreamOpening& how);

}  // namespace postrider::cli

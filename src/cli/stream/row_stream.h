// Rows of a stream in the columns of a model.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cli/data.h"
#include "cli/stream/address.h"
#include "cli/stream/notices.h"
#include "postrider/table_model.h"

namespace postrider::cli {

struct RowBatch {
  Table table = {};
  StreamPosition after = {};             // these rows, and those that were refused
  std::vector<std::string> places = {};  // of the rows, such as "sales/0 17"
  std::size_t refused = 0;               // events that made no sense
  std::string first_refusal = {};        // where, and why
  bool is_end = false;                   // there is nothing more for now
};

class RowStream {
 public:
  virtual ~RowStream() = default;
  // Waits for rows, but not for long.
  virtual RowBatch next(std::size_t most) = 0;
  virtual bool ends() const = 0;        // whether nothing can come after the end, as of a file
  virtual std::string lag() const = 0;  // as of EventSource
};

// Moves rows that the model can neither predict nor learn to those that were refused.
void refuse_unusable(const TableModel& model, RowBatch& batch);

// Goes on from where the model stands. `data` says how a file is to be read.
std::unique_ptr<RowStream> open_stream(const StreamAddress& address, const DataRequest& data,
                                       const TableModel& model, std::size_t most, const Tell& tell);

}  // namespace postrider::cli

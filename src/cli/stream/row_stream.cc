#include "cli/stream/row_stream.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/stream/event_rows.h"
#include "cli/stream/position.h"

namespace postrider::cli {
namespace {

constexpr std::chrono::milliseconds kWait{500};

class BrokerRows : public RowStream {
 public:
  BrokerRows(const StreamAddress& address, std::unique_ptr<EventSource> source,
             const Schema& schema)
      : address_(address), source_(std::move(source)), rows_(schema) {}

  RowBatch next(std::size_t most) override {
    RowBatch out = rows_.batch(source_->next(most, kWait), address_.text);
    out.is_end = source_->is_at_end();
    return out;
  }
  bool ends() const override { return address_.kind == StreamKind::file; }
  std::string lag() const override { return source_->lag(); }

 private:
  StreamAddress address_;
  std::unique_ptr<EventSource> source_;
  EventRows rows_;
};

// A file of a table. Its rows are counted.
class FileRows : public RowStream {
 public:
  FileRows(const StreamAddress& address, TableReader reader, const StreamPosition& from)
      : address_(address), reader_(std::move(reader)) {
    skip(number_at(from, kPartition).value_or(0));
  }

  RowBatch next(std::size_t /*most*/) override {
    RowBatch out;
    out.table = std::exchange(left_, {});
    out.is_end = out.table.rows() == 0 && !reader_.next(out.table);
    for (std::size_t row = 0; row < out.table.rows(); ++row)
      out.places.push_back(kPartition + (" " + std::to_string(rows_ + row + 1)));
    rows_ += out.table.rows();
    out.after = {address_.text, {{kPartition, std::to_string(rows_)}}};
    return out;
  }
  bool ends() const override { return true; }
  std::string lag() const override { return ""; }

 private:
  static constexpr const char* kPartition = "rows";

  // Rows that were learned before; the rest of their last chunk comes next.
  void skip(std::size_t learned) {
    Table chunk;
    while (rows_ < learned && reader_.next(chunk)) rows_ += chunk.rows();
    if (rows_ <= learned) return;
    std::vector<std::size_t> rest(rows_ - learned);
    std::iota(rest.begin(), rest.end(), chunk.rows() - rest.size());
    left_ = chunk.selected(rest);
    rows_ = learned;
  }

  StreamAddress address_;
  TableReader reader_;
  Table left_;
  std::size_t rows_ = 0;
};

bool has_json_lines(const StreamAddress& address, const DataRequest& data) {
  const std::string& path = address.names.front();
  return data.format == "jsonl" || path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

std::unique_ptr<EventSource> open_events(const StreamAddress& address, const StreamPosition& from) {
  switch (address.kind) {
    case StreamKind::kafka:
      return open_kafka(address, from);
    case StreamKind::redis:
      return open_redis(address, from);
    case StreamKind::file:
      break;
  }
  return open_json_lines(address, from);
}

}  // namespace

std::unique_ptr<RowStream> open_stream(const StreamAddress& address, const DataRequest& data,
                                       const TableModel& model, std::size_t most) {
  const StreamPosition from = model.position(address.text);
  if (address.kind != StreamKind::file || has_json_lines(address, data))
    return std::make_unique<BrokerRows>(address, open_events(address, from), model.schema());
  TableOptions options = data.options();
  options.chunk_rows = std::min(options.chunk_rows, most);
  return std::make_unique<FileRows>(
      address, TableReader(address.names.front(), model.schema(), options), from);
}

}  // namespace postrider::cli

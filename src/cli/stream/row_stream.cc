#include "cli/stream/row_stream.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/open_table.h"
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
    const SkippedRows& skipped = reader_.skipped();
    out.refused = skipped.count - skipped_;
    if (out.refused > 0 && skipped_ < skipped.reasons.size())
      out.first_refusal = skipped.reasons[skipped_];
    skipped_ = skipped.count;
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
    expect_learned(address_.text, kPartition, rows_, address_.text == "-" ? 0 : learned);
    skipped_ = reader_.skipped().count;
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
  std::size_t skipped_ = 0;  // rows that cannot be read, which have no number
};

bool has_json_lines(const StreamAddress& address, const DataRequest& data) {
  const std::string& path = address.names.front();
  return data.format == "jsonl" || path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

std::unique_ptr<EventSource> open_events(const StreamAddress& address, const StreamPosition& from,
                                         const Tell& tell) {
  switch (address.kind) {
    case StreamKind::kafka:
      return open_kafka(address, from, tell);
    case StreamKind::redis:
      return open_redis(address, from, tell);
    case StreamKind::file:
      break;
  }
  return open_json_lines(address, from);
}

}  // namespace

void refuse_unusable(const TableModel& model, RowBatch& batch) {
  const std::vector<UnusableRow> unusable = model.unusable(batch.table);
  if (unusable.empty()) return;
  if (batch.refused == 0)
    batch.first_refusal = batch.places[unusable.front().row] + ": " + unusable.front().reason;
  batch.refused += unusable.size();
  const std::vector<std::size_t> usable = usable_rows(batch.table.rows(), unusable);
  std::vector<std::string> places;
  for (const std::size_t row : usable) places.push_back(std::move(batch.places[row]));
  batch.table = batch.table.selected(usable);
  batch.places = std::move(places);
}

std::unique_ptr<RowStream> open_stream(const StreamAddress& address, const DataRequest& data,
                                       const TableModel& model, std::size_t most,
                                       const Tell& tell) {
  const StreamPosition from = model.position(address.text);
  if (address.text == "-")
    for (const auto& [partition, last] : from.partitions)
      tell("the model has learned " + last + " " + partition +
           " of standard input: as many are passed over");
  if (address.kind != StreamKind::file || has_json_lines(address, data))
    return std::make_unique<BrokerRows>(address, open_events(address, from, tell), model.schema());
  TableOptions options = data.options();
  options.skip_bad = true;  // as of events: one row must not end a stream
  options.chunk_rows = std::min(options.chunk_rows, most);
  return std::make_unique<FileRows>(
      address, open_table(address.names.front(), model.schema(), options), from);
}

}  // namespace postrider::cli

#include "events/row_stream.h"

#include <cmath>
#include <utility>

#include "events/address.h"
#include "postrider/error.h"
#include "text/json_text.h"
#include "text/model_facts.h"

namespace postrider::cli {
namespace {

constexpr std::chrono::milliseconds kWait{500};

class EventStream : public RowStream {
 public:
  EventStream(std::unique_ptr<EventSource> source, const Schema& schema, const std::string& key)
      : source_(std::move(source)), rows_(schema, key) {}

  RowBatch next(std::size_t most) override {
    RowBatch out = batch_of(source_->next(most, kWait));
    out.is_end = source_->is_at_end();
    return out;
  }
  RowBatch rest() override { return batch_of(source_->rest()); }
  bool has_ended() const override { return source_->has_ended(); }
  StreamLag lag() const override { return source_->lag(); }
  std::string outage() const override { return source_->outage(); }

 private:
  RowBatch batch_of(std::vector<Event> events) {
    const bool is_empty = events.empty();
    RowBatch out = rows_.batch(std::move(events));
    if (!is_empty) source_->put_position(out.after);
    return out;
  }

  std::unique_ptr<EventSource> source_;
  EventBatcher rows_;
};

bool has_json_lines(const StreamAddress& address, const DataRequest& data) {
  const std::string& path = address.names.front();
  return data.format == "jsonl" || path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

std::unique_ptr<EventSource> open_events(const StreamAddress& address, const TableModel& model,
                                         const StreamOpening& how) {
  switch (address.kind) {
    case StreamKind::kafka:
      return open_kafka(address, known_sources(model), how);
    case StreamKind::redis:
      return open_redis(address, known_sources(model), how);
    case StreamKind::file:
      break;
  }
  return open_json_lines(address, model.position(address.text), how);
}

}  // namespace

void put_keys(RowBatch& batch) {
  for (std::size_t row = 0; row < batch.table.rows(); ++row)
    batch.keys.push_back(batch.table.key(0, row));
}

void expect_no_fault_of_key(const Error& error) {
  const auto* const invalid = dynamic_cast<const InvalidArgument*>(&error);
  if (invalid != nullptr && invalid->field() == "key") throw invalid->about("--join");
}

namespace {

bool has_cell(const Table& table, std::size_t place, std::size_t row) {
  const Table::Column& column = table.column(place);
  if (!column.numbers.empty()) return !std::isnan(column.numbers[row]);
  return !column.codes.empty() && column.codes[row] != Table::Column::kMissing;
}

bool has_input(const Table& table, std::size_t row) {
  const std::vector<ColumnSchema>& columns = table.schema().columns;
  for (std::size_t place = 0; place < columns.size(); ++place)
    if (is_input(columns[place]) && has_cell(table, place, row)) return true;
  return false;
}

void refuse(const std::vector<TableModel::UnusableRow>& unusable, RowBatch& batch) {
  if (unusable.empty()) return;
  for (const TableModel::UnusableRow& each : unusable)
    batch.refusals.push_back({batch.places[each.row], each.reason, batch.texts[each.row]});
  const std::vector<std::size_t> usable = usable_rows(batch.table.rows(), unusable);
  std::vector<std::string> places, texts, keys;
  for (const std::size_t row : usable) {
    places.push_back(std::move(batch.places[row]));
    texts.push_back(std::move(batch.texts[row]));
    if (!batch.keys.empty()) keys.push_back(std::move(batch.keys[row]));
  }
  batch.table = batch.table.selected(usable);
  batch.places = std::move(places);
  batch.texts = std::move(texts);
  batch.keys = std::move(keys);
}

}  // namespace

void refuse_unusable(const TableModel& model, RowBatch& batch) {
  refuse(model.unusable(batch.table), batch);
}

void refuse_without_inputs(RowBatch& batch) {
  std::vector<TableModel::UnusableRow> empty;
  for (std::size_t row = 0; row < batch.table.rows(); ++row)
    if (!has_input(batch.table, row))
      empty.push_back(
          {row, "has no value of any input of the model: " + inputs_text(batch.table.schema())});
  refuse(empty, batch);
}

std::unique_ptr<RowStream> open_stream(const StreamAddress& address, const DataRequest& data,
                                       const TableModel& model, std::size_t most,
                                       const StreamOpening& how) {
  if (address.kind != StreamKind::file || has_json_lines(address, data))
    return std::make_unique<EventStream>(open_events(address, model, how), model.schema(),
                                         data.keys.empty() ? "" : data.keys.front());
  const TableModel::StreamPosition from = model.position(address.text);
  if (is_stored_table(address.names.front()))
    return open_stored_rows(address, data, model.schema(), from, most, how);
  return open_text_rows(address, data, model.schema(), from, how);
}

namespace {

std::string place_of(const Event& event) { return event.partition + " " + event.position; }

// As it came, or nearly so.
std::string text_of(Event event) {
  if (event.cells.empty()) return std::move(event.json);
  JsonMembers members;
  for (const auto& [name, text] : event.cells) members.emplace_back(name, json_text(text));
  return json_object(members);
}

}  // namespace

void EventBatcher::add(const Event& event) {
  if (!event.json.empty()) return rows_.add(event.json);
  if (event.cells.empty()) throw CorruptFile("it is empty");
  for (const auto& [name, text] : event.cells) rows_.set(name, text);
  rows_.end_row();
}

RowBatch EventBatcher::batch(std::vector<Event> events) {
  RowBatch out;
  for (Event& event : events) {
    std::string place = place_of(event);
    try {
      add(event);
      out.places.push_back(std::move(place));
      if (has_keys_) out.keys.push_back(rows_.key());
      out.texts.push_back(text_of(std::move(event)));
    } catch (const Error& error) {
      rows_.drop_row();
      out.refusals.push_back({std::move(place), error.what(), text_of(std::move(event))});
    }
  }
  out.table = rows_.finish();
  return out;
}

}  // namespace postrider::cli

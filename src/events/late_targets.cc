#include "events/late_targets.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "postrider/error.h"
#include "text/json_text.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr double kNoCell = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLongestKey = 128;  // bytes

// The header of a model's file is read whole, and has at most 100 MB for everything. A number takes up to 25 bytes
// there, a byte of a key up to 8, since it is quoted twice.
constexpr std::size_t kMostBytes = 80'000'000, kBytesOfCell = 25, kBytesOfKey = 8 * kLongestKey;

std::size_t largest_window(const Schema& schema) {
  return kMostBytes / (kBytesOfCell * schema.columns.size() + kBytesOfKey);
}

}  // namespace

LateTargets::LateTargets(const TableModel& model, const std::string& column, std::size_t window)
    : schema_(model.schema()),
      target_(schema_.target()),
      key_(schema_.find(column)),
      column_(column),
      window_(window) {
  if (const std::size_t most = largest_window(schema_); window == 0 || window > most)
    reject("--join-window", window,
           fmt::format("must be from 1 to {} for a model of {} columns", most,
                       schema_.columns.size()));
  if (schema_.columns[target_].name == column)
    reject("--join", column, "must not be the target, but a column that names an event");
  const TableModel::Waiting& kept = model.waiting();
  if (kept.column != column && !kept.keys.empty())
    reject("--join", column,
           fmt::format("must be {}, by which {} rows of the model wait for their target",
                       kept.column, kept.keys.size()));
  if (kept.column == column) events_ = settled_ = kept.events;
  for (std::size_t row = 0; row < kept.keys.size(); ++row) {
    rows_[kept.numbers[row]] = {kept.keys[row], cells_of(kept.rows, row)};
    by_key_[kept.keys[row]] = kept.numbers[row];
  }
}

LateTargets::Cells LateTargets::cells_of(const Table& table, std::size_t row) const {
  Cells out;
  for (std::size_t c = 0; c < schema_.columns.size(); ++c) {
    const Table::Column& column = table.column(c);
    if (!column.numbers.empty())
      out.push_back(column.numbers[row]);
    else if (!column.codes.empty())
      out.push_back(column.codes[row]);
    else
      out.push_back(schema_.columns[c].kind == ColumnSchema::Kind::categorical
                        ? Table::Column::kMissing
                        : kNoCell);
  }
  return out;
}

bool LateTargets::is_missing(std::size_t column, double cell) const {
  return schema_.columns[column].kind == ColumnSchema::Kind::categorical
             ? cell == Table::Column::kMissing
             : std::isnan(cell);
}

bool LateTargets::has_inputs(const Cells& cells) const {
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (c != target_ && c != key_ && !is_missing(c, cells[c])) return true;
  return false;
}

std::string LateTargets::fault_of(const std::string& key) const {
  if (key.empty()) return column_ + ": must have a value, since --join takes it as the key";
  if (key.size() > kLongestKey)
    return fmt::format("{}: must be at most {} bytes long, since --join takes it as the key",
                       column_, kLongestKey);
  // Else the file would hold another key than the one that came.
  if (!is_json_text(key)) return column_ + ": must be UTF-8, since --join takes it as the key";
  return {};
}

void LateTargets::remove(Rows::iterator row) {
  by_key_.erase(row->second.key);
  removed_.insert(rows_.extract(row));
}

void LateTargets::let_go() {
  while (!rows_.empty() && rows_.begin()->first + window_ < events_) {
    predictions_.erase(rows_.begin()->first);
    remove(rows_.begin());
    ++counts_.left;
  }
}

RowUse LateTargets::wait(const std::string& key, const Cells& cells) {
  RowUse out{.is_learned = false};
  if (!by_key_.emplace(key, events_).second) {
    ++counts_.repeated;
    return out;
  }
  rows_[events_] = {key, cells};
  out.event = events_;
  return out;
}

std::optional<RowUse> LateTargets::join(const std::string& key, Cells& cells) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    if (has_inputs(cells)) return RowUse();
    ++counts_.unmatched;
    return {};
  }
  const auto row = rows_.find(found->second);
  const RowUse out{.is_predicted = false, .event = row->first};
  const double target = cells[target_];
  cells = row->second.cells;
  cells[target_] = target;
  remove(row);
  ++counts_.joined;
  return out;
}

void LateTargets::take(RowBatch& batch) {
  RowBatch out{.after = std::move(batch.after), .refusals = std::move(batch.refusals)};
  out.is_end = batch.is_end;
  std::vector<Cells> taken;
  for (std::size_t row = 0; row < batch.table.rows(); ++row) {
    ++events_;
    let_go();
    const std::string& key = batch.keys[row];
    if (const std::string fault = fault_of(key); !fault.empty()) {
      out.refusals.push_back({batch.places[row], fault, batch.texts[row]});
      continue;
    }
    Cells cells = cells_of(batch.table, row);
    const std::optional<RowUse> use =
        is_missing(target_, cells[target_]) ? wait(key, cells) : join(key, cells);
    if (!use) {
      const std::string why =
          fmt::format("no event with {} = {} waits for a target", column_, json_text(key));
      if (counts_.unmatched == 1) first_unmatched_ = batch.places[row] + ": " + why;
      out.unmatched.push_back({batch.places[row], why, batch.texts[row]});
      continue;
    }
    taken.push_back(std::move(cells));
    out.uses.push_back(*use);
    out.places.push_back(std::move(batch.places[row]));
    out.texts.push_back(std::move(batch.texts[row]));
  }
  std::vector<const Cells*> rows;
  for (const Cells& cells : taken) rows.push_back(&cells);
  if (!rows.empty()) out.table = Table(schema_, columns_of(rows));
  batch = std::move(out);
}

std::vector<Table::Column> LateTargets::columns_of(const std::vector<const Cells*>& rows) const {
  std::vector<Table::Column> out(schema_.columns.size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    const ColumnSchema::Kind kind = schema_.columns[c].kind;
    if (kind == ColumnSchema::Kind::ignored) continue;
    for (const Cells* cells : rows) {
      if (kind == ColumnSchema::Kind::categorical)
        out[c].codes.push_back(static_cast<std::uint32_t>((*cells)[c]));
      else
        out[c].numbers.push_back((*cells)[c]);
    }
  }
  return out;
}

void LateTargets::keep(std::uint64_t event, TableModel::Prediction prediction) {
  predictions_[event] = std::move(prediction);
}

std::optional<TableModel::Prediction> LateTargets::predicted(std::uint64_t event) {
  const auto found = predictions_.find(event);
  if (found == predictions_.end()) return {};
  std::optional<TableModel::Prediction> out = std::move(found->second);
  predictions_.erase(found);
  return out;
}

std::string LateTargets::text() const {
  std::string out;
  if (counts_.left > 0)
    out += fmt::format("{} without a target within {}\n", counted(counts_.left, "row"),
                       counted(window_, "event"));
  if (counts_.unmatched > 0)
    out += fmt::format("{} for which no row waits; the first: {}\n",
                       counted(counts_.unmatched, "target"), first_unmatched_);
  if (counts_.repeated > 0)
    out += fmt::format("{} whose {} another row waits with: targets go to the first\n",
                       counted(counts_.repeated, "row"), column_);
  return out;
}

void LateTargets::settle() {
  settled_ = events_;
  removed_.clear();
}

TableModel::Waiting LateTargets::settled() const {
  // Rows that came since then do not wait yet, and those that found their target still do.
  std::map<std::uint64_t, const Row*> waiting;
  for (const Rows* from : {&rows_, &removed_})
    for (const auto& [number, row] : *from)
      if (number <= settled_) waiting[number] = &row;
  TableModel::Waiting out{column_, settled_};
  std::vector<const Cells*> cells;
  for (const auto& [number, row] : waiting) {
    out.numbers.push_back(number);
    out.keys.push_back(row->key);
    cells.push_back(&row->cells);
  }
  if (!cells.empty()) out.rows = Table(schema_, columns_of(cells));
  return out;
}

}  // namespace postrider::cli

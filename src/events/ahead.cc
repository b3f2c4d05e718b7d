#include "events/ahead.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "io/output.h"
#include "postrider/estimator.h"

namespace postrider::cli {
namespace {

std::vector<std::size_t> rows_between(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> out(end - begin);
  std::iota(out.begin(), out.end(), begin);
  return out;
}

}  // namespace

AheadLearner::AheadLearner(TableModel& model, bool learns)
    : model_(model),
      learns_(learns),
      horizon_(std::max<std::size_t>(1, model.estimator().options().training.horizon)),
      target_(model.schema().target()) {}

std::size_t AheadLearner::most(std::size_t batch) const {
  return horizon_ == 1 || !learns_ ? batch : std::min(batch, horizon_ - targets_);
}

bool AheadLearner::has_target(const Table& table, std::size_t row) const {
  if (!table.has_target()) return false;
  const Table::Column& column = table.column(target_);
  return column.codes.empty() ? !std::isnan(column.numbers[row])
                              : column.codes[row] != Table::Column::kMissing;
}

// All but those whose target alone has come: they were predicted before.
void AheadLearner::predict(const RowBatch& batch, std::size_t begin, std::size_t end,
                           const Predicted& predicted) {
  std::vector<std::size_t> rows = rows_between(begin, end);
  std::erase_if(rows, [&](std::size_t row) { return !batch.use(row).is_predicted; });
  if (rows.empty()) return;
  const Table part = batch.table.selected(rows);
  predicted(model_.predict(part), part, rows, ahead_ + 1);
  ahead_ += part.rows();
}

bool AheadLearner::take(const RowBatch& batch, const Predicted& predicted) {
  if (batch.after.partitions.empty()) return false;
  after_ = batch.after;
  bool has_moved = false;
  for (std::size_t begin = 0, end = 0; begin < batch.table.rows(); begin = end) {
    // Up to the row that makes the block whole. A row that waits is by itself, since its prediction is kept.
    const bool is_alone = !batch.use(begin).is_learned;
    bool is_whole = false;
    while (end < batch.table.rows() && !is_whole && (end == begin || !is_alone)) {
      if (end > begin && !batch.use(end).is_learned) break;
      is_whole = has_target(batch.table, end++) && ++targets_ == horizon_ && learns_;
    }
    predict(batch, begin, end, predicted);
    if (learns_ && !is_alone) pending_.append(batch.table.selected(rows_between(begin, end)));
    if (is_whole) learn(batch.after);
    has_moved = has_moved || is_whole;
  }
  // Rows without a target teach nothing, nor do events that were refused: they need not wait.
  if (!learns_ || targets_ > 0 || (has_moved && pending_.rows() == 0)) return has_moved;
  const std::size_t ahead = ahead_;
  learn(batch.after);
  ahead_ = ahead;
  return true;
}

void AheadLearner::learn(const TableModel::StreamPosition& after) {
  const Table nothing(model_.schema(), std::vector<Table::Column>(model_.schema().columns.size()));
  model_.follow(pending_.rows() > 0 ? pending_ : nothing, after);
  pending_ = {};
  targets_ = ahead_ = 0;
}

bool AheadLearner::finish() {
  if (!learns_ || pending_.rows() == 0) return false;
  learn(after_);
  return true;
}

Snapshots::Snapshots(const std::string& model, const std::string& output, double seconds)
    : path_(output.empty() ? model : output),
      is_in_place_(output.empty() || is_same_file(output, model)),
      interval_(seconds),
      version_(model) {}

double Snapshots::age() const {
  return std::chrono::duration<double>(Clock::now() - last_).count();
}

void Snapshots::save(const TableModel& model) {
  if (is_in_place_) {
    save_model(model, version_);
    version_ = FileWriter::Version(path_);
  } else {
    save_model(model, path_);
  }
  last_ = Clock::now();
}

}  // namespace postrider::cli

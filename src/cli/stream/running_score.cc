#include "cli/stream/running_score.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/text_table.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kRecentRows = 1000;

bool has_targets(const Table& table) {
  if (!table.has_target()) return false;
  const TableColumn& target = table.column(table.schema().target());
  for (const double number : target.numbers)
    if (!std::isnan(number)) return true;
  for (const std::uint32_t code : target.codes)
    if (code != TableColumn::kMissing) return true;
  return false;
}

}  // namespace

void RunningScore::Sums::add(const Sums& more, double sign) {
  rows = sign > 0 ? rows + more.rows : rows - more.rows;
  first += sign * more.first;
  second += sign * more.second;
}

void RunningScore::add(const TableModel& model, const Table& table) {
  if (!has_targets(table)) return;
  classifies_ = model.classifies();
  const TableEvaluation found = model.evaluate(table);
  const auto rows = static_cast<double>(found.rows);
  const double error = found.root_mean_square_error.value;
  const Sums part = classifies_
                        ? Sums{found.rows, rows * found.log_loss.value, rows * found.accuracy.value}
                        : Sums{found.rows, rows * found.log_likelihood.value, rows * error * error};
  all_.add(part);
  recent_.add(part);
  parts_.push_back(part);
  while (parts_.size() > 1 && recent_.rows - parts_.front().rows >= kRecentRows) {
    recent_.add(parts_.front(), -1);
    parts_.pop_front();
  }
}

std::string RunningScore::text_of(const Sums& sums) const {
  const auto rows = static_cast<double>(sums.rows);
  if (classifies_)
    return fmt::format("log-loss {:.3f}  accuracy {:.3f}", sums.first / rows, sums.second / rows);
  return fmt::format("log-likelihood {:.3f}  RMSE {}", sums.first / rows,
                     short_number(std::sqrt(sums.second / rows)));
}

std::string RunningScore::text() const {
  if (all_.rows == 0) return "no row with a target yet";
  if (recent_.rows == all_.rows) return text_of(all_);
  return text_of(all_) + fmt::format("  (last {}: {})", recent_.rows, text_of(recent_));
}

}  // namespace postrider::cli

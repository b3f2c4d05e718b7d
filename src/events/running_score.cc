#include "events/running_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kRecentRows = 1000;
// As metrics have it: one row must not make a mean infinite.
constexpr double kLeastChance = 1e-15;

}  // namespace

void RunningScore::Sums::add(const Sums& more, double sign) {
  rows = sign > 0 ? rows + more.rows : rows - more.rows;
  first += sign * more.first;
  second += sign * more.second;
  inside += sign * more.inside;
}

void RunningScore::add_row(const Sums& row) {
  all_.add(row);
  recent_.add(row);
  parts_.push_back(row);
  if (parts_.size() <= kRecentRows) return;
  recent_.add(parts_.front(), -1);
  parts_.pop_front();
}

void RunningScore::add_classes(const TableModel::Prediction& prediction,
                               const Table::Column& target) {
  const std::size_t classes = prediction.classes();
  const std::vector<std::size_t> best = prediction.most_probable();
  for (std::size_t row = 0; row < target.codes.size(); ++row) {
    const std::uint32_t label = target.codes[row];
    if (label >= classes) continue;  // missing
    const double chance = std::max(kLeastChance, prediction.probabilities[row * classes + label]);
    add_row({1, -std::log(chance), best[row] == label ? 1.0 : 0.0, 0});
  }
}

void RunningScore::add_numbers(const TableModel::Prediction& prediction,
                               const Table::Column& target) {
  const std::vector<double>& targets = target.numbers;
  if (std::all_of(targets.begin(), targets.end(), [](double one) { return std::isnan(one); }))
    return;
  const std::vector<double> densities = prediction.distributions.log_densities(targets);
  const std::vector<double> bounds = prediction.intervals(level_);
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (std::isnan(targets[row])) continue;
    const double error = targets[row] - prediction.mean[row];
    const bool is_inside = bounds[2 * row] <= targets[row] && targets[row] <= bounds[2 * row + 1];
    add_row({1, densities[row], error * error, is_inside ? 1.0 : 0.0});
  }
}

void RunningScore::add(const TableModel::Prediction& prediction, const Table& table) {
  if (!table.has_target() || table.rows() == 0) return;
  const Table::Column& target = table.column(table.schema().target());
  if (classifies_)
    add_classes(prediction, target);
  else
    add_numbers(prediction, target);
}

std::string RunningScore::text_of(const Sums& sums) const {
  const auto rows = static_cast<double>(sums.rows);
  if (classifies_)
    return fmt::format("log-loss {:.3f}  accuracy {:.3f}", sums.first / rows, sums.second / rows);
  return fmt::format("log-likelihood {:.3f}  RMSE {}", sums.first / rows,
                     short_number(std::sqrt(std::max(0.0, sums.second / rows))));
}

std::string RunningScore::text() const {
  if (all_.rows == 0) return "no row with a target yet";
  if (recent_.rows == all_.rows) return text_of(all_);
  return text_of(all_) + fmt::format("  (last {}: {})", recent_.rows, text_of(recent_));
}

}  // namespace postrider::cli

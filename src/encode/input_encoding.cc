#include "encode/input_encoding.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "encode/column_code.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Rounding of sums over many rows.
constexpr double kRounding = 1e-9;

// A column of zeros and ones has the same mean as mean of squares.
bool is_of_zeros_and_ones(const ColumnMoment& moment) {
  if (moment.least != 0 || moment.most != 1) return false;
  const long double squares = moment.squares / moment.count + moment.mean * moment.mean;
  return std::abs(squares - moment.mean) <= kRounding;
}

}  // namespace

ColumnEncoding standard_encoding(const ColumnMoment& moment) {
  const Scales scales = usable_inputs(scales_of(std::span(&moment, 1)));
  ColumnEncoding out{Encoding::standard, scales.mean[0], scales.deviation[0]};
  if (is_of_zeros_and_ones(moment)) {
    out.mean = 0;
    out.unit = 1;
  }
  return out;
}

// Calls visit(row, column, number) for the numbers of a row in ascending order of columns, and then end_row(). Of
// sparse rows, zeros that nothing is told of are left out.
template <class Visit, class End>
void InputEncoding::visit_cells(const Inputs& rows, Visit&& visit, End&& end_row) const {
  const std::size_t columns = columns_.size(), count = rows.of_columns(columns).rows();
  for (std::size_t row = 0; row < count; ++row) {
    if (!rows.is_sparse()) {
      for (std::size_t c = 0; c < columns; ++c) visit(row, c, rows.values()[row * columns + c]);
      end_row();
      continue;
    }
    auto zero = told_at_zero_.begin();
    for (std::size_t at = rows.begins()[row]; at < rows.begins()[row + 1]; ++at) {
      const std::uint32_t place = rows.places()[at];
      for (; zero != told_at_zero_.end() && *zero < place; ++zero) visit(row, *zero, 0.0);
      if (zero != told_at_zero_.end() && *zero == place) ++zero;
      visit(row, place, rows.values()[at]);
    }
    for (; zero != told_at_zero_.end(); ++zero) visit(row, *zero, 0.0);
    end_row();
  }
}

InputEncoding::InputEncoding(std::vector<ColumnEncoding> columns, const Inputs& rows,
                             std::span<const double> weights)
    : columns_(std::move(columns)) {
  place_inputs();
  std::vector<double> missing(columns_.size()), squares(inputs());
  means_.assign(inputs(), 0);
  active_shares_.assign(inputs(), 0);
  const auto weight_of = [&](std::size_t row) { return weights.empty() ? 1 : weights[row]; };
  const auto add = [&](std::size_t row, std::size_t c, double x) {
    const double weight = weight_of(row);
    if (std::isnan(x)) {
      missing[c] += weight;
      return;
    }
    encode_number(columns_[c], x, [&](std::size_t k, double value) {
      means_[first_[c] + k] += weight * value;
      squares[first_[c] + k] += weight * value * value;
      if (value != 0) active_shares_[first_[c] + k] += weight;
    });
  };
  visit_cells(rows, add, [] {});
  double weight_of_all = 0;
  for (std::size_t row = 0; row < rows.of_columns(columns_.size()).rows(); ++row)
    weight_of_all += weight_of(row);
  variances_.assign(inputs(), 0);
  for (std::size_t k = 0; k < inputs(); ++k) {
    const double all = std::max(weight_of_all - missing[column_of_[k]], 1e-300);
    means_[k] /= all;
    active_shares_[k] /= all;
    variances_[k] = std::max(0.0, squares[k] / all - means_[k] * means_[k]);
  }
  set_unit();
}

InputEncoding::InputEncoding(std::span<const ColumnMoment> moments) {
  for (const ColumnMoment& moment : moments) {
    columns_.push_back(standard_encoding(moment));
    const ColumnEncoding& column = columns_.back();
    const auto mean = static_cast<double>(moment.mean);
    const double variance =
        moment.count > 0 ? static_cast<double>(moment.squares / moment.count) : 0;
    means_.push_back((mean - column.mean) / column.unit);
    active_shares_.push_back(is_of_zeros_and_ones(moment) ? mean : 1);
    variances_.push_back(variance / column.unit / column.unit);
  }
  place_inputs();
  set_unit();
}

InputEncoding::InputEncoding(const Scales& scales)
    : means_(scales.columns(), 0), variances_(scales.columns(), 1) {
  for (std::size_t c = 0; c < scales.columns(); ++c)
    columns_.push_back({Encoding::standard, scales.mean[c], scales.deviation[c]});
  place_inputs();
}

InputEncoding::InputEncoding(std::vector<ColumnEncoding> columns, std::vector<double> typical_means,
                             std::vector<double> typical_variances, double unit)
    : columns_(std::move(columns)),
      means_(std::move(typical_means)),
      variances_(std::move(typical_variances)),
      unit_(unit) {
  for (const ColumnEncoding& column : columns_) expect_sound(column);
  place_inputs();
  const auto is_number = [](double value) { return std::isfinite(value); };
  if (means_.size() != inputs() || variances_.size() != inputs())
    reject("encoding", means_.size(), "must have a mean and a variance for each input");
  if (!std::ranges::all_of(means_, is_number) || !std::ranges::all_of(variances_, is_number) ||
      std::ranges::any_of(variances_, [](double value) { return value < 0; }))
    reject("encoding", means_.size(), "must have means and variances that are finite numbers");
  if (!(unit_ > 0 && std::isfinite(unit_))) reject("encoding", unit_, "must have a unit above 0");
}

void InputEncoding::place_inputs() {
  column_of_.clear();
  first_.clear();
  told_at_zero_.clear();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    first_.push_back(static_cast<std::uint32_t>(column_of_.size()));
    column_of_.insert(column_of_.end(), columns_[c].inputs(), static_cast<std::uint32_t>(c));
    bool is_told = false;
    encode_number(columns_[c], 0, [&](std::size_t, double value) { is_told |= value != 0; });
    if (is_told) told_at_zero_.push_back(static_cast<std::uint32_t>(c));
  }
}

void InputEncoding::set_unit() {
  double squares = 0;
  for (std::size_t k = 0; k < inputs(); ++k) squares += means_[k] * means_[k] + variances_[k];
  // Columns that never change tell nothing, and rounding must not show.
  const double ratio = squares > 0 ? static_cast<double>(inputs()) / squares : 1;
  unit_ = std::abs(ratio - 1) <= kRounding ? 1 : std::sqrt(ratio);
}

std::size_t InputEncoding::active_inputs() const {
  double out = 0;
  for (const double share : active_shares_) out += share;
  if (active_shares_.empty()) return 0;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(out)));
}

SparseInputs InputEncoding::encoded(const Inputs& rows) const {
  SparseInputs out;
  out.columns = inputs();
  const bool has_missing =
      std::ranges::any_of(rows.values(), [](double x) { return std::isnan(x); });
  const auto add = [&](std::size_t input, double value, double variance) {
    if (value == 0 && variance == 0) return;
    out.add(input, value * unit_);
    if (has_missing) out.variances.push_back(variance * unit_ * unit_);
  };
  const auto tell = [&](std::size_t, std::size_t c, double x) {
    const std::size_t first = first_[c];
    if (std::isnan(x))
      for (std::size_t k = first; k < first + columns_[c].inputs(); ++k)
        add(k, means_[k], variances_[k]);
    else
      encode_number(columns_[c], x, [&](std::size_t k, double value) { add(first + k, value, 0); });
  };
  visit_cells(rows, tell, [&] { out.end_row(); });
  return out;
}

namespace {

// Steps between the ranks that are kept.
constexpr std::size_t kMostRanks = 256;

std::vector<double> known_values(std::span<const double> column) {
  std::vector<double> out;
  std::ranges::copy_if(column, std::back_inserter(out), [](double x) { return !std::isnan(x); });
  std::ranges::sort(out);
  return out;
}

bool has_more_than_two(const std::vector<double>& sorted) {
  const auto second = std::ranges::upper_bound(sorted, sorted.front());
  return second != sorted.end() && *second != sorted.back();
}

std::vector<double> ranks_of(const std::vector<double>& sorted) {
  const std::size_t steps = std::min(kMostRanks, sorted.size() - 1);
  std::vector<double> out;
  for (std::size_t k = 0; k <= steps; ++k) out.push_back(sorted[k * (sorted.size() - 1) / steps]);
  return out;
}

ColumnEncoding encoding_of(Encoding kind, std::span<const double> column,
                           const TargetsToTell& targets) {
  const std::vector<double> sorted = known_values(column);
  ColumnEncoding out =
      standard_encoding(column_moments(Inputs(column).of_columns(1), targets.weights).front());
  if (kind == Encoding::standard || sorted.empty() || !has_more_than_two(sorted)) return out;
  out.kind = kind;
  if (kind != Encoding::quantile) out.knots = supervised_cuts(column, targets);
  if (out.knots.empty()) out.kind = Encoding::quantile;
  if (out.kind == Encoding::piecewise) {
    out.knots.insert(out.knots.begin(), sorted.front());
    out.knots.push_back(sorted.back());
  } else {
    out.ranks = ranks_of(sorted);
  }
  return out;
}

}  // namespace

namespace {

// The numbers of rows, column by column.
class Columns {
 public:
  explicit Columns(const Inputs& rows)
      : ends_(rows.columns() + 1), rows_(rows.values().size()), values_(rows.values().size()) {
    rows.for_each([&](std::size_t, std::size_t column, double) { ++ends_[column + 1]; });
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::vector<std::size_t> next = ends_;
    rows.for_each([&](std::size_t row, std::size_t column, double value) {
      rows_[next[column]] = static_cast<std::uint32_t>(row);
      values_[next[column]++] = value;
    });
  }

  void copy(std::size_t column, std::span<double> to) const {
    std::ranges::fill(to, 0.0);
    for (std::size_t at = ends_[column]; at < ends_[column + 1]; ++at) to[rows_[at]] = values_[at];
  }

 private:
  std::vector<std::size_t> ends_;  // of each column, after a zero
  std::vector<std::uint32_t> rows_;
  std::vector<double> values_;
};

}  // namespace

std::vector<ColumnEncoding> column_encodings(Encoding kind, const Inputs& rows,
                                             const TargetsToTell& targets) {
  std::vector<ColumnEncoding> out;
  std::vector<double> column(targets.rows());
  const Columns by_column(rows);
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    by_column.copy(c, column);
    out.push_back(encoding_of(kind, column, targets));
  }
  return out;
}

std::vector<ColumnEncoding> zero_keeping_encodings(const Inputs& rows,
                                                   std::span<const double> weights) {
  const std::size_t columns = rows.columns();
  std::vector<double> count(columns), squares(columns);
  rows.for_each([&](std::size_t row, std::size_t column, double value) {
    if (value == 0 || std::isnan(value)) return;
    const double weight = weights.empty() ? 1 : weights[row];
    count[column] += weight;
    squares[column] += weight * value * value;
  });
  std::vector<ColumnEncoding> out(columns);
  for (std::size_t c = 0; c < columns; ++c)
    if (const double unit = std::sqrt(squares[c] / count[c]); unit > 0 && std::isfinite(unit))
      out[c].unit = unit;
  return out;
}

}  // namespace postrider::internal

#include "warnings/table_check.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "warnings/checks.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

constexpr std::size_t kMostRows = 50'000, kMostCells = std::size_t{1} << 22, kLeastKept = 100;

// Places of the rows of a call that are every `stride`-th of all.
std::vector<std::size_t> every(std::size_t stride, std::size_t before, std::size_t rows) {
  std::vector<std::size_t> out;
  for (std::size_t row = (stride - before % stride) % stride; row < rows; row += stride)
    out.push_back(row);
  return out;
}

std::size_t most_kept(const Schema& schema) {
  const std::size_t columns = std::max<std::size_t>(1, schema.columns.size());
  return std::clamp(kMostCells / columns, kLeastKept, kMostRows);
}

std::vector<std::size_t> rows_with_target(const Table& table) {
  std::vector<std::size_t> out;
  const std::size_t place = table.schema().target();
  const Table::Column& target = table.column(place);
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (target.codes.empty() ? std::isfinite(target.numbers[row])
                             : target.codes[row] < Table::Column::kUnknown)
      out.push_back(row);
  return out;
}

// A column that numbers rows in the order of their targets is said to be that, and no leak besides.
bool is_told(const Warnings& warnings, std::size_t from, const std::string& column) {
  return std::any_of(warnings.begin() + static_cast<std::ptrdiff_t>(from), warnings.end(),
                     [&](const TableWarning& each) { return each.column == column; });
}

}  // namespace

void TableCheckState::add(const Table& table) {
  if (!table.has_target()) return;
  copies_.add(table);
  const std::vector<std::size_t> known = rows_with_target(table);
  count_classes(table, known);
  const std::size_t most = most_kept(table.schema());
  while ((rows_ + table.rows() + stride_ - 1) / stride_ > most) thin();
  keep(table, known);
  rows_ += table.rows();
  known_ += known.size();
}

void TableCheckState::thin() {
  stride_ *= 2;
  if (kept_.rows() == 0) return;
  const std::vector<std::size_t> rows = every(2, 0, kept_.rows());
  for (std::size_t k = 0; k < rows.size(); ++k) places_[k] = places_[rows[k]];
  places_.resize(rows.size());
  kept_ = kept_.selected(rows);
}

void TableCheckState::keep(const Table& table, const std::vector<std::size_t>& known) {
  const std::vector<std::size_t> rows = every(stride_, rows_, table.rows());
  std::size_t place = 0;
  for (const std::size_t row : rows) {
    while (place < known.size() && known[place] < row) ++place;
    const bool is_known = place < known.size() && known[place] == row;
    places_.push_back(is_known ? known_ + place : kNoPlace);
  }
  kept_.append(table.selected(rows));
}

void TableCheckState::count_classes(const Table& table, const std::vector<std::size_t>& known) {
  const Table::Column& target = table.column(table.schema().target());
  if (target.codes.empty()) return;
  for (const std::size_t row : known) {
    if (target.codes[row] >= classes_.size()) classes_.resize(target.codes[row] + 1);
    ++classes_[target.codes[row]];
  }
}

std::vector<TableWarning> TableCheckState::warnings(double level) const {
  Warnings out;
  if (kept_.rows() == 0) return out;
  const SampledRows rows(kept_.selected(rows_with_target(kept_)), stride_);
  const CopyWatch::Found copied = copies_.found();
  check_copies(rows, copied.copies, copied.rows, out);
  if (!rows.classifies() && are_few_rows(known_, level))
    out.push_back(few_rows_warning(known_, level));
  if (rows.classifies()) check_classes(rows.target_column(), classes_, out);
  check_target(rows, out);
  const std::size_t before = out.size();
  check_identifiers(rows, out);
  Warnings leaks;
  check_leaks(rows, leaks);
  for (TableWarning& leak : leaks)
    if (!is_told(out, before, leak.column)) out.push_back(std::move(leak));
  check_sentinels(rows, out);
  check_numbers_of_dates(rows, out);
  check_categories(rows, out);
  return out;
}

SampledRows::SampledRows(Table rows, std::size_t every) : table(std::move(rows)), stride(every) {
  target = table.schema().target();
  if (!classifies()) ranks = ranks_of(target_numbers());
}

std::string SampledRows::rows_text(std::size_t some) const {
  const std::size_t all = some * stride;
  return (stride > 1 ? "about " : "") + std::to_string(all) + (all == 1 ? " row" : " rows");
}

std::string SampledRows::share_text(std::size_t some) const {
  return (stride > 1 ? "about " : "") + std::to_string(some * stride) + " of " +
         std::to_string(count() * stride) + " rows";
}

bool is_input_column(const ColumnSchema& column) {
  return !column.target && column.kind != ColumnSchema::Kind::ignored;
}

std::string written(double number) {
  constexpr double kMostWhole = 1e15;
  if (std::floor(number) == number && std::abs(number) < kMostWhole)
    return std::to_string(static_cast<long long>(number));
  return shortest_text(number);
}

}  // namespace internal

TableCheck::TableCheck() : state_(std::make_unique<TableCheckState>()) {}
TableCheck::~TableCheck() = default;
TableCheck::TableCheck(TableCheck&&) noexcept = default;
TableCheck& TableCheck::operator=(TableCheck&&) noexcept = default;

void TableCheck::add(const Table& table) { state_->add(table); }
std::vector<TableWarning> TableCheck::warnings(double level) const {
  return state_->warnings(level);
}

}  // namespace postrider

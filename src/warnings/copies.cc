// Rows that repeat others more often than rows of such columns do by themselves.
#include <algorithm>
#include <bit>
#include <cmath>

#include "data/cell_columns.h"
#include "warnings/checks.h"

namespace postrider::internal {
namespace {

constexpr double kLeastCopies = 0.01, kLeastRepeats = 0.02;  // of the rows
constexpr std::size_t kLeastCount = 3;
constexpr double kBeyondNatural = 3;           // times as often
constexpr std::size_t kMostColumns = 64;       // that are left out in turn
constexpr std::size_t kMostCompared = 10'000;  // rows

using Hashes = std::vector<std::uint64_t>;

std::uint64_t cell_hash(const Table::Column& cells, std::size_t row, std::size_t column) {
  if (!cells.codes.empty()) return mixed_hash(cells.codes[row] * 31 + column);
  const double number = cells.numbers[row];
  const std::uint64_t bits =
      std::isnan(number) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(number + 0.0);
  return mixed_hash(bits * 31 + column);
}

// Sums over columns, so that one can be taken out again.
Hashes hashes_of(const Table& table, const std::vector<std::size_t>& columns) {
  Hashes out(table.rows());
  for (const std::size_t c : columns)
    for (std::size_t row = 0; row < out.size(); ++row)
      out[row] += cell_hash(table.column(c), row, c);
  return out;
}

// The share of pairs of rows that are the same.
double pairs_share(Hashes hashes) {
  if (hashes.size() < 2) return 0;
  std::ranges::sort(hashes);
  double pairs = 0;
  for (std::size_t begin = 0; begin < hashes.size();) {
    std::size_t end = begin + 1;
    while (end < hashes.size() && hashes[end] == hashes[begin]) ++end;
    const auto same = static_cast<double>(end - begin);
    pairs += same * (same - 1) / 2;
    begin = end;
  }
  const auto rows = static_cast<double>(hashes.size());
  return pairs / (rows * (rows - 1) / 2);
}

// The first row of each that are the same, in order; no more than are compared.
std::vector<std::size_t> different_rows(const Hashes& hashes) {
  std::vector<std::size_t> rows(hashes.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = k;
  std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return hashes[row]; });
  const auto are_same = [&](std::size_t a, std::size_t b) { return hashes[a] == hashes[b]; };
  rows.erase(std::unique(rows.begin(), rows.end(), are_same), rows.end());
  std::ranges::sort(rows);
  const std::size_t step = (rows.size() + kMostCompared - 1) / kMostCompared;
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < rows.size(); k += std::max<std::size_t>(1, step))
    out.push_back(rows[k]);
  return out;
}

// Whether pairs of rows are the same about as often as one expects: of different rows, those that agree in all columns but one
// would agree in this one, too, as often as any two rows do.
bool is_natural(const Table& table, const std::vector<std::size_t>& columns, const Hashes& hashes) {
  const std::vector<std::size_t> rows = different_rows(hashes);
  const Table once = table.selected(rows);
  Hashes whole;
  for (const std::size_t row : rows) whole.push_back(hashes[row]);
  double natural = 0;
  const std::size_t step = (columns.size() + kMostColumns - 1) / kMostColumns;
  for (std::size_t k = 0; k < columns.size(); k += step) {
    Hashes others = whole, own(whole.size());
    for (std::size_t row = 0; row < own.size(); ++row) {
      own[row] = cell_hash(once.column(columns[k]), row, columns[k]);
      others[row] -= own[row];
    }
    const double agree = pairs_share(std::move(own));
    if (agree < 1)
      natural = std::max(natural, pairs_share(std::move(others)) * agree / (1 - agree));
  }
  return pairs_share(hashes) <= kBeyondNatural * natural;
}

std::size_t repeats_in(Hashes hashes) {
  std::ranges::sort(hashes);
  return static_cast<std::size_t>(hashes.end() - std::unique(hashes.begin(), hashes.end()));
}

bool are_many(std::size_t some, std::size_t all, double least) {
  return some >= kLeastCount && static_cast<double>(some) >= least * static_cast<double>(all);
}

}  // namespace

void check_copies(const SampledRows& rows, std::size_t copies, std::size_t all, Warnings& to) {
  if (rows.count() < kLeastChecked) return;
  const std::vector<ColumnSchema>& columns = rows.schema().columns;
  std::vector<std::size_t> inputs;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (is_input_column(columns[c])) inputs.push_back(c);
  std::vector<std::size_t> whole = inputs;
  whole.push_back(rows.target);
  if (are_many(copies, all, kLeastCopies) &&
      !is_natural(rows.table, whole, hashes_of(rows.table, whole)))
    to.push_back({TableWarning::Kind::copies,
                  "",
                  std::to_string(copies) + " of " + std::to_string(all) +
                      " rows are exact copies of others: they are kept in one fold, and count as "
                      "often as they stand there.",
                  {}});
  // A single column has the same value twice without repeating a row.
  if (inputs.size() < 2) return;
  const Table once = rows.table.selected(different_rows(hashes_of(rows.table, whole)));
  const Hashes hashes = hashes_of(once, inputs);
  const std::size_t repeated = repeats_in(hashes);
  if (!are_many(repeated, once.rows(), kLeastRepeats) || is_natural(once, inputs, hashes)) return;
  to.push_back({TableWarning::Kind::copies,
                "",
                rows.share_text(repeated) + " have the inputs of another row, and another " +
                    rows.target_column().name +
                    ": rows that belong together lie in different folds, and the score may be "
                    "better than that of new rows.",
                {"group"}});
}

}  // namespace postrider::internal

// Which rows were learned, and which are copies: a digest of a whole table, and hashes of rows.
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

#include "data/cell_columns.h"
#include "monitor/chance.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;
namespace {

// Chance must repeat so many rows with less than this probability, and it must matter: a share of the rows.
constexpr double kLeastChance = 0.01, kLeastRepeated = 0.02;

std::uint64_t cell_bits(const Table::Column& cells, std::size_t row) {
  if (!cells.codes.empty()) return cells.codes[row];
  const double number = cells.numbers[row];
  if (std::isnan(number)) return Table::Column::kMissing;
  return std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);  // one zero of two
}

// A hash of each row. Cells of ignored columns, and of those behind so many others, do not count.
std::vector<std::uint64_t> row_hashes(const Table& table, std::size_t most_columns) {
  const Schema& schema = table.schema();
  std::vector<std::uint64_t> out(table.rows(), kTextHashStart);
  for (std::size_t c = 0, taken = 0; c < schema.columns.size() && taken < most_columns; ++c) {
    const Table::Column& cells = table.column(c);
    if (cells.numbers.empty() && cells.codes.empty()) continue;
    ++taken;
    for (std::size_t row = 0; row < table.rows(); ++row)
      out[row] = mixed_hash((out[row] + c) ^ cell_bits(cells, row)) * 31;
  }
  return out;
}

std::uint64_t second_hash(std::uint64_t hash) { return mixed_hash(hash ^ kTextHashStart); }

// Calls `each` with the hash of every row that has a target.
template <class Each>
void for_rows(const Table& table, std::size_t most_columns, const Each& each) {
  if (!table.has_target()) return;
  const Table::Column& target = table.column(table.schema().target());
  const std::vector<std::uint64_t> hashes = row_hashes(table, most_columns);
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (cell_bits(target, row) != Table::Column::kMissing) each(second_hash(hashes[row]));
}

template <class Each>
void for_sampled(const Table& table, const Each& each) {
  for_rows(table, TableProfile::kMostColumns, each);
}

std::string share_of_rows(std::size_t some, std::size_t rows) {
  return std::to_string(some) + " of " + std::to_string(rows) + (rows == 1 ? " row" : " rows");
}

}  // namespace

void RowMonitor::Digest::add(const Table& table) {
  // Sums do not depend on the order; two of them, so that chance does not make them the same.
  for (const std::uint64_t hash : row_hashes(table, table.schema().columns.size())) {
    first += hash;
    second += second_hash(hash);
  }
  rows += table.rows();
}

std::uint64_t TableProfile::Sample::largest() const {
  return rows.size() < kMost ? UINT64_MAX : rows.rbegin()->first;
}

void TableProfile::Sample::add(const Table& table) {
  for_sampled(table, [this](std::uint64_t hash) {
    if (hash > largest()) return;
    ++rows[hash];
    if (rows.size() > kMost) rows.erase(std::prev(rows.end()));
  });
}

namespace {

// Such as "about 950 of 1000 rows were learned".
std::string learned_text(const RepeatWatch::Found& found) {
  const char* learned = found.repeated == 1 ? " was learned" : " were learned";
  if (found.repeated == found.rows)
    return found.rows == 1 ? "the 1 row was learned"
                           : "all " + std::to_string(found.rows) + " rows were learned";
  return (found.is_exact ? "" : "about ") + share_of_rows(found.repeated, found.rows) + learned;
}

}  // namespace

std::string RepeatWatch::Found::text() const { return learned_text(*this) + " before"; }

std::string RepeatWatch::Found::warning() const {
  if (repeated == 0) return "";
  // Where most rows are new, figures of all still say something of these.
  const char* figures = 2 * repeated >= rows ? "these figures say" : "figures of these say";
  return learned_text(*this) + " by this model: " + figures +
         " how well it remembers, not how well it predicts";
}

void RepeatWatch::add(const Table& table) {
  if (sample_.rows.empty()) return;
  for_sampled(table, [this](std::uint64_t hash) {
    ++rows_;
    if (hash > sample_.largest()) return;
    ++looked_at_;
    known_ += sample_.rows.contains(hash) ? 1 : 0;
  });
}

RepeatWatch::Found RepeatWatch::found() const {
  RepeatWatch::Found out{rows_, 0, sample_.rows.size() < TableProfile::Sample::kMost};
  std::size_t learned = 0, twice = 0;
  for (const auto& [hash, count] : sample_.rows) {
    learned += count;
    twice += count > 1 ? count : 0;
  }
  if (known_ == 0) return out;
  // Where rows repeat each other anyway, new ones repeat old ones as often.
  const double share = static_cast<double>(known_) / static_cast<double>(looked_at_);
  const double natural = static_cast<double>(twice) / static_cast<double>(learned);
  if (share - natural < kLeastRepeated ||
      !(chance_of_shares(known_, looked_at_, twice, learned) < kLeastChance))
    return out;
  out.repeated = static_cast<std::size_t>(std::lround(share * static_cast<double>(rows_)));
  return out;
}

std::string CopyWatch::Found::text() const {
  return share_of_rows(copies, rows) +
         (copies == 1 ? " is an exact copy of another" : " are exact copies of others");
}

void CopyWatch::add(const Table& table) {
  for_rows(table, table.schema().columns.size(),
           [this](std::uint64_t hash) { hashes_.push_back(hash); });
}

CopyWatch::Found CopyWatch::found() const {
  std::vector<std::uint64_t> different = hashes_;
  std::ranges::sort(different);
  const auto repeated = std::unique(different.begin(), different.end());
  return {hashes_.size(), static_cast<std::size_t>(different.end() - repeated)};
}

std::vector<std::size_t> distinct_rows(const Table& table) {
  const std::vector<std::uint64_t> hashes = row_hashes(table, table.schema().columns.size());
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < hashes.size(); ++row)
    if (seen.insert(hashes[row]).second) out.push_back(row);
  return out;
}

}  // namespace postrider

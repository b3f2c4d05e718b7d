// Which rows were learned: a digest of a whole table, and a sample of rows by their hashes.
#include <bit>
#include <cmath>

#include "data/cells.h"
#include "data/chance.h"
#include "postrider/table_profile.h"

namespace postrider {
namespace {

// Chance must repeat so many rows with less than this probability, and it must matter: a share of the rows.
constexpr double kChance = 0.01, kLeastRepeated = 0.02;

std::uint64_t cell_bits(const TableColumn& cells, std::size_t row) {
  if (!cells.codes.empty()) return cells.codes[row];
  const double number = cells.numbers[row];
  if (std::isnan(number)) return TableColumn::kMissing;
  return std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);  // one zero of two
}

// A hash of each row. Cells of ignored columns, and of those behind so many others, do not count.
std::vector<std::uint64_t> row_hashes(const Table& table, std::size_t most_columns) {
  const Schema& schema = table.schema();
  std::vector<std::uint64_t> out(table.rows(), kTextHashStart);
  for (std::size_t c = 0, taken = 0; c < schema.columns.size() && taken < most_columns; ++c) {
    const TableColumn& cells = table.column(c);
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
void for_sampled(const Table& table, const Each& each) {
  if (!table.has_target()) return;
  const TableColumn& target = table.column(table.schema().target());
  const std::vector<std::uint64_t> hashes = row_hashes(table, TableProfile::kMostColumns);
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (cell_bits(target, row) != TableColumn::kMissing) each(second_hash(hashes[row]));
}

}  // namespace

void RowDigest::add(const Table& table) {
  // Sums do not depend on the order; two of them, so that chance does not make them the same.
  for (const std::uint64_t hash : row_hashes(table, table.schema().columns.size())) {
    first += hash;
    second += second_hash(hash);
  }
  rows += table.rows();
}

std::uint64_t RowSample::largest() const {
  return rows.size() < kMost ? UINT64_MAX : rows.rbegin()->first;
}

void RowSample::add(const Table& table) {
  for_sampled(table, [this](std::uint64_t hash) {
    if (hash > largest()) return;
    ++rows[hash];
    if (rows.size() > kMost) rows.erase(std::prev(rows.end()));
  });
}

std::string RepeatedRows::text() const {
  const std::string all = std::to_string(rows) + (rows == 1 ? " row" : " rows");
  const char* verb = repeated == 1 ? " was" : " were";
  if (repeated == rows) return (rows == 1 ? "the " : "all ") + all + verb + " learned before";
  return (is_exact ? "" : "about ") + std::to_string(repeated) + " of " + all + verb +
         " learned before";
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

RepeatedRows RepeatWatch::found() const {
  RepeatedRows out{rows_, 0, sample_.rows.size() < RowSample::kMost};
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
      !(chance_of_shares(known_, looked_at_, twice, learned) < kChance))
    return out;
  out.repeated = static_cast<std::size_t>(std::lround(share * static_cast<double>(rows_)));
  return out;
}

}  // namespace postrider

// Columns that all but are the target.
#include <algorithm>
#include <cmath>
#include <map>

#include "warnings/checks.h"
#include "warnings/levels.h"

namespace postrider::internal {
namespace {

// What a column leaves open of a numeric target, by ranks; or by numbers, if ranks say nearly the same.
constexpr double kMostOpen = 0.005, kMostOpenNumbers = 0.002, kMostOpenBeside = 0.04;
// Rows whose class a column does not tell, of all rows and of those that the most common class does not tell.
constexpr double kMostMissed = 0.02, kMostMissedBeside = 0.1;
constexpr double kLeastToTell = 5;         // rows that are not of the most common class
constexpr std::size_t kFewDifferent = 20;  // different ones, each of which many rows have
constexpr double kLeastRowsOfLevel = 4;    // on average

double open_share(double correlation) { return 1 - correlation * correlation; }

void add_leak(const SampledRows& rows, const std::string& column, const std::string& how,
              Warnings& to) {
  const std::string& target = rows.target_column().name;
  to.push_back({TableWarning::Kind::leak,
                column,
                column + " all but is the target " + target + ": " + how + ". Is it known before " +
                    target + " is?",
                {column}});
}

std::string hundredths(double share, int digits) {
  std::string out = std::to_string(share);
  return out.substr(0, out.find('.') + 1 + static_cast<std::size_t>(digits));
}

// --- numeric targets ---------------------------------------------------------------------------------

void check_number(const SampledRows& rows, std::size_t c, Warnings& to) {
  const std::vector<double>& numbers = rows.table.column(c).numbers;
  const Ranks ranks = ranks_of(numbers);
  if (ranks.known() < kLeastChecked || 2 * ranks.known() < rows.count()) return;
  const double by_ranks = rank_correlation(ranks, rows.ranks);
  const double by_numbers = correlation(numbers, rows.target_numbers(), ranks.order);
  if (open_share(by_ranks) < kMostOpen ||
      (open_share(by_numbers) < kMostOpenNumbers && open_share(by_ranks) < kMostOpenBeside))
    add_leak(rows, rows.schema().columns[c].name,
             "in " + rows.rows_text(ranks.known()) +
                 " one rises or falls with the other (rank correlation " +
                 (by_ranks < 0 ? "-" : "") + hundredths(std::abs(by_ranks), 4) + ")",
             to);
}

void check_category(const SampledRows& rows, std::size_t c, Warnings& to) {
  const Levels levels = levels_of_codes(rows.table.column(c).codes);
  if (levels.count < 2 ||
      kLeastRowsOfLevel * static_cast<double>(levels.count) > static_cast<double>(rows.count()))
    return;
  if (1 - told_share(levels, rows) < kMostOpen)
    add_leak(rows, rows.schema().columns[c].name,
             "its " + std::to_string(levels.count) + " values tell it in " +
                 rows.rows_text(rows.count()),
             to);
}

// --- classes -----------------------------------------------------------------------------------------

// In the order of the column: rows of equal numbers that are not of their most common class, and how often that changes from one number to the
// next. Missing ones are told by the most common class of these.
double missed_along(const Ranks& ranks, const SampledRows& rows) {
  std::size_t changes = 0, before = 0;
  for (std::size_t group = 0, begin = 0; group < ranks.different(); ++group) {
    const std::size_t end = ranks.group_ends[group];
    std::map<std::size_t, std::size_t> counts;
    for (std::size_t k = begin; k < end; ++k) ++counts[rows.classes()[ranks.order[k]]];
    std::size_t common = counts.begin()->first;
    for (const auto& [label, count] : counts)
      if (count > counts[common] || (count == counts[common] && label == before)) common = label;
    changes += end - begin - counts[common];
    if (group > 0 && common != before) ++changes;
    before = common;
    begin = end;
  }
  const Levels missing = levels_of_missing(ranks);
  if (missing.count < 2) return static_cast<double>(changes) / static_cast<double>(rows.count());
  std::vector<std::size_t> unknown;
  for (std::size_t row = 0; row < rows.count(); ++row)
    if (missing.of_rows[row] == 0) unknown.push_back(row);
  const SampledRows part(rows.table.selected(unknown), 1);
  return (static_cast<double>(changes) +
          missed_without(part) * static_cast<double>(unknown.size())) /
         static_cast<double>(rows.count());
}

double missed_by(const SampledRows& rows, std::size_t c) {
  const Table::Column& cells = rows.table.column(c);
  if (!cells.codes.empty()) {
    const Levels levels = levels_of_codes(cells.codes);
    return levels.count < 2 ? 1 : missed_share(levels, rows);
  }
  const Ranks ranks = ranks_of(cells.numbers);
  const double by_missing = missed_share(levels_of_missing(ranks), rows);
  if (rows.schema().columns[c].kind == ColumnSchema::Kind::date) return by_missing;
  const double by_number = ranks.different() <= kFewDifferent
                               ? missed_share(levels_of_numbers(ranks), rows)
                               : missed_along(ranks, rows);
  return std::min(by_missing, by_number);
}

void check_classes_told(const SampledRows& rows, std::size_t c, double missed_otherwise,
                        Warnings& to) {
  const double missed = missed_by(rows, c);
  if (missed > kMostMissed || missed > kMostMissedBeside * missed_otherwise) return;
  const auto told =
      static_cast<std::size_t>(std::lround((1 - missed) * static_cast<double>(rows.count())));
  add_leak(rows, rows.schema().columns[c].name,
           "alone it tells the class of " + rows.share_text(told), to);
}

}  // namespace

void check_leaks(const SampledRows& rows, Warnings& to) {
  const std::vector<ColumnSchema>& columns = rows.schema().columns;
  // A single input that tells the target is what one hopes for.
  if (rows.count() < kLeastChecked || std::ranges::count_if(columns, is_input_column) < 2) return;
  const double missed_otherwise = rows.classifies() ? missed_without(rows) : 0;
  if (rows.classifies() && missed_otherwise * static_cast<double>(rows.count()) < kLeastToTell)
    return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!is_input_column(columns[c])) continue;
    if (rows.classifies())
      check_classes_told(rows, c, missed_otherwise, to);
    else if (columns[c].kind == ColumnSchema::Kind::numeric)
      check_number(rows, c, to);
    else if (columns[c].kind == ColumnSchema::Kind::categorical)
      check_category(rows, c, to);
  }
}

}  // namespace postrider::internal

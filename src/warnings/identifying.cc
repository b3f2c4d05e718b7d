// Columns that name rows, or few rows together, and tell their target: what they tell does not hold for new names.
#include <algorithm>
#include <cmath>

#include "postrider/monitor.h"
#include "warnings/checks.h"
#include "warnings/levels.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kLeastNumbered = 20;
constexpr double kMostSpread = 10;  // numbers for each row, from the least to the largest
// What an order must tell of the target: beyond chance, and enough to matter.
constexpr double kClear = 5, kLeastTold = 0.1;
constexpr double kAllTold = 0.99, kFewGaps = 3;

// Names of few rows each.
constexpr std::size_t kLeastNames = 30;
constexpr double kMostRowsOfName = 5, kLeastRowsOfName = 1.5;
constexpr double kLeastShareTold = 0.3;

bool are_whole(const std::vector<double>& numbers, const Ranks& ranks) {
  return std::ranges::all_of(
      ranks.order, [&](std::uint32_t row) { return std::floor(numbers[row]) == numbers[row]; });
}

double spread_of(const std::vector<double>& numbers, const Ranks& ranks) {
  return numbers[ranks.order.back()] - numbers[ranks.order.front()];
}

// Whether rows were numbered: whole numbers that are all different and lie close together.
bool are_counted(const std::vector<double>& numbers, const Ranks& ranks, std::size_t stride) {
  return ranks.known() >= kLeastNumbered && ranks.different() == ranks.known() &&
         are_whole(numbers, ranks) &&
         spread_of(numbers, ranks) <
             kMostSpread * static_cast<double>(ranks.known()) * static_cast<double>(stride);
}

// How far neighbours in an order have the same target, beyond what any two rows have: Chatterjee's coefficient of ranks, or of
// classes the excess of neighbours of one class.
struct Told {
  double share = 0, standard_error = 1;
  bool is_clear() const { return share > kLeastTold && share > kClear * standard_error; }
};

Told told_along(const Ranks& ranks, const SampledRows& rows) {
  const auto count = static_cast<double>(ranks.known());
  if (!rows.classifies()) {
    constexpr double kVariance = 0.4;  // of the coefficient, times the rows, where nothing is told
    double apart = 0, all = 0;
    for (std::size_t k = 1; k < ranks.known(); ++k) {
      const double difference =
          rows.ranks.of_rows[ranks.order[k]] - rows.ranks.of_rows[ranks.order[k - 1]];
      apart += std::abs(difference);
    }
    // The sum of such distances in an order that tells nothing.
    all = (count * count - 1) / 3;
    return {1 - apart / all, std::sqrt(kVariance / count)};
  }
  std::vector<std::size_t> of_class;
  double same = 0;
  for (std::size_t k = 0; k < ranks.known(); ++k) {
    const std::uint32_t code = rows.classes()[ranks.order[k]];
    if (code >= of_class.size()) of_class.resize(code + 1);
    ++of_class[code];
    same += k > 0 && rows.classes()[ranks.order[k - 1]] == code ? 1 : 0;
  }
  double expected = 0;
  for (const std::size_t of_one : of_class)
    expected += std::pow(static_cast<double>(of_one) / count, 2);
  if (expected >= 1) return {};
  return {(same / (count - 1) - expected) / (1 - expected),
          std::sqrt(expected * (1 - expected) / count) / (1 - expected)};
}

bool check_numbered(const SampledRows& once, std::size_t c, Warnings& to) {
  const std::vector<double>& numbers = once.table.column(c).numbers;
  const Ranks ranks = ranks_of(numbers);
  if (!are_counted(numbers, ranks, once.stride)) return false;
  const double ordered = once.classifies() ? 0 : rank_correlation(ranks, once.ranks);
  // Whole numbers with many gaps that tell all are rather the target itself.
  if (std::abs(ordered) > kAllTold &&
      spread_of(numbers, ranks) >
          kFewGaps * static_cast<double>(ranks.known()) * static_cast<double>(once.stride))
    return false;
  const Told along = told_along(ranks, once);
  const Told by_order{std::abs(ordered), 1 / std::sqrt(static_cast<double>(ranks.known()))};
  if (!along.is_clear() && !by_order.is_clear()) return true;
  const std::string& name = once.schema().columns[c].name;
  to.push_back({TableWarning::Kind::identifier,
                name,
                name + " numbers the rows, from " + written(numbers[ranks.order.front()]) + " to " +
                    written(numbers[ranks.order.back()]) + ", and rows that lie close in it have " +
                    (once.classifies() ? "the same " : "like values of ") +
                    once.target_column().name +
                    ": what it tells of these rows will not hold for numbers yet to come.",
                {name, "order"}});
  return true;
}

// What the mean of the next lower and the next higher name tells: that of an amount is as good as the name itself.
double told_by_neighbours(const Ranks& ranks, const SampledRows& rows) {
  std::vector<double> means;
  std::size_t begin = 0;
  for (const std::size_t end : ranks.group_ends) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += rows.ranks.of_rows[ranks.order[k]];
    means.push_back(sum / static_cast<double>(end - begin));
    begin = end;
  }
  double missed = 0, all = 0;
  for (std::size_t k = 1; k + 1 < means.size(); ++k) {
    const double beside = (means[k - 1] + means[k + 1]) / 2;
    missed += (means[k] - beside) * (means[k] - beside);
    all += means[k] * means[k];
  }
  return all > 0 ? 1 - missed / all : 0;
}

bool are_names(const std::vector<double>& numbers, const Ranks& ranks, const SampledRows& rows) {
  return are_whole(numbers, ranks) &&
         spread_of(numbers, ranks) < kMostSpread * static_cast<double>(ranks.different()) &&
         (rows.classifies() || told_by_neighbours(ranks, rows) < kLeastShareTold / 2);
}

// Rows of one name have one class; if names are numbers, those of the next one have not.
bool tell_classes(const Levels& levels, bool is_number, const SampledRows& rows) {
  const Agreement within = agreement_within(levels, rows);
  return within.share > kLeastShareTold && within.share > kClear * within.standard_error &&
         !(is_number && agreement_beside(levels, rows).share > within.share / 2);
}

void check_names(const SampledRows& once, std::size_t c, Warnings& to) {
  const ColumnSchema& column = once.schema().columns[c];
  const Table::Column& cells = once.table.column(c);
  const bool is_number = column.kind == ColumnSchema::Kind::numeric;
  if (column.kind == ColumnSchema::Kind::date || column.hashed > 0) return;
  Levels levels;
  if (is_number) {
    const Ranks ranks = ranks_of(cells.numbers);
    if (ranks.known() < once.count() || !are_names(cells.numbers, ranks, once)) return;
    levels = levels_of_numbers(ranks);
  } else {
    levels = levels_of_codes(cells.codes);
  }
  const double of_name = static_cast<double>(once.count()) / static_cast<double>(levels.count);
  if (levels.count < kLeastNames || of_name > kMostRowsOfName || of_name < kLeastRowsOfName) return;
  if (once.classifies() ? !tell_classes(levels, is_number, once)
                        : !(told_share(levels, once) > kLeastShareTold))
    return;
  to.push_back({TableWarning::Kind::identifier,
                column.name,
                column.name + " has " + std::to_string(levels.count) + " values in " +
                    once.rows_text(once.count()) + ", and rows of one value have like values of " +
                    once.target_column().name +
                    ": a row of a value that nobody has seen will be predicted worse than these.",
                {column.name, "group"}});
}

}  // namespace

void check_identifiers(const SampledRows& rows, Warnings& to) {
  const SampledRows once(rows.table.selected(distinct_rows(rows.table)), rows.stride);
  const std::vector<ColumnSchema>& columns = rows.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!is_input_column(columns[c])) continue;
    const bool is_number = columns[c].kind == ColumnSchema::Kind::numeric;
    if (is_number && check_numbered(once, c, to)) continue;
    check_names(once, c, to);
  }
}

}  // namespace postrider::internal

// Columns that name rows rather than say something about them.
#include <algorithm>
#include <cmath>

#include "postrider/monitor.h"

namespace postrider {
namespace internal {
namespace {

constexpr std::size_t kLeastRows = 20;  // in fewer, all different means little
constexpr double kMostSpread = 10;      // numbers per row from the least to the largest

bool are_counted(std::vector<double> numbers) {
  if (numbers.size() < kLeastRows) return false;
  const auto is_whole = [](double number) { return std::floor(number) == number; };
  if (!std::ranges::all_of(numbers, is_whole)) return false;
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end() &&
         numbers.back() - numbers.front() < kMostSpread * static_cast<double>(numbers.size());
}

}  // namespace
}  // namespace internal

using namespace internal;

std::vector<Identifier> identifiers_of(const Table& table) {
  const Table once = table.selected(distinct_rows(table));
  std::vector<Identifier> out;
  const std::vector<ColumnSchema>& columns = table.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].target) continue;
    if (columns[c].kind == ColumnSchema::Kind::ignored &&
        columns[c].note.starts_with("an identifier"))
      out.push_back({columns[c].name});
    if (columns[c].kind == ColumnSchema::Kind::numeric && are_counted(once.column(c).numbers))
      out.push_back({columns[c].name, true});
  }
  return out;
}

}  // namespace postrider

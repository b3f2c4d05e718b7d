#include "cli/identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "postrider/table_profile.h"

namespace postrider::cli {
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

std::vector<Identifier> identifiers_of(const Table& table) {
  const Table once = table.selected(distinct_rows(table));
  std::vector<Identifier> out;
  const std::vector<ColumnSchema>& columns = table.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].target) continue;
    if (columns[c].kind == ColumnKind::ignored && columns[c].note.starts_with("an identifier"))
      out.push_back({columns[c].name});
    if (columns[c].kind == ColumnKind::numeric && are_counted(once.column(c).numbers))
      out.push_back({columns[c].name, true});
  }
  return out;
}

std::string identifiers_text(const std::vector<Identifier>& found) {
  std::string out;
  for (const Identifier& one : found) {
    out += fmt::format("{} looks like an identifier: predict --key {} writes it beside predictions",
                       one.column, one.column);
    if (one.is_input) out += fmt::format("; it is an input, unless --ignore {}", one.column);
    out += "\n";
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace postrider::cli

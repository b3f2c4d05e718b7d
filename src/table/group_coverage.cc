#include "table/group_coverage.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "postrider/table_warnings.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kMostColumns = 100, kMostGroups = 50, kQuarters = 4;
constexpr std::size_t kLeastRows = 30;  // of a group
constexpr double kLeastLost = 0.05;     // of the rows, that matters
constexpr double kClearErrors = 4;  // of many groups, chance alone makes one that is two errors off
constexpr std::size_t kMostWarnings = 3;
constexpr double kMostLevel = 0.999;

// Between quarters of the rows that a profile has seen first: its knots are quantiles.
std::vector<double> quarters_of(const std::vector<double>& knots) {
  std::vector<double> out;
  for (std::size_t quarter = 1; quarter < kQuarters; ++quarter) {
    const double cut = knots[(knots.size() - 1) * quarter / kQuarters];
    if (cut > knots.front() && cut < knots.back() && (out.empty() || cut > out.back()))
      out.push_back(cut);
  }
  return out;
}

std::string short_text(double number) {
  const double size = std::abs(number);
  if (size == 0 || !std::isfinite(size)) return shortest_text(number);
  const double unit = std::pow(10, std::floor(std::log10(size)) - 3);
  const double rounded = std::round(number / unit) * unit;
  // What rounding leaves behind a decimal fraction is cut again.
  std::array<char, 32> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), rounded, std::chars_format::general, 4)
          .ptr;
  return {room.data(), end};
}

std::vector<std::string> names_between(const std::vector<double>& cuts, bool is_date) {
  const auto text = [&](double number) { return is_date ? date_text(number) : short_text(number); };
  std::vector<std::string> out{"at most " + text(cuts.front())};
  for (std::size_t k = 1; k < cuts.size(); ++k)
    out.push_back("above " + text(cuts[k - 1]) + " and at most " + text(cuts[k]));
  out.push_back("above " + text(cuts.back()));
  return out;
}

std::string percent(double share) {
  const double rounded = std::round(1000 * share) / 10;
  return shortest_text(std::abs(rounded - std::round(rounded)) < 0.05 ? std::round(rounded)
                                                                      : rounded);
}

std::string whole_percent(double share) { return shortest_text(std::round(100 * share)); }

}  // namespace

void GroupCoverage::Group::add(double level) {
  if (std::isnan(level)) return;
  const double place = std::clamp(level, 0.0, 1.0) * static_cast<double>(kBins);
  ++levels[std::min(kBins - 1, static_cast<std::size_t>(place))];
  ++rows;
}

double GroupCoverage::Group::held_share(double level) const {
  const auto last = static_cast<std::size_t>(std::lround(level * static_cast<double>(kBins)));
  std::size_t held = 0;
  for (std::size_t bin = 0; bin < std::min(last, kBins); ++bin) held += levels[bin];
  return rows == 0 ? 1 : static_cast<double>(held) / static_cast<double>(rows);
}

double GroupCoverage::Group::level_that_holds(double share) const {
  for (std::size_t bin = 1; bin < kBins; ++bin) {
    const double level = static_cast<double>(bin) / static_cast<double>(kBins);
    if (held_share(level) >= share) return level;
  }
  return 1;
}

std::size_t GroupCoverage::Column::group_of(const Table::Column& cells, std::size_t row) const {
  if (!cells.codes.empty()) return cells.codes[row];
  const double number = cells.numbers[row];
  if (std::isnan(number)) return groups.size();
  return static_cast<std::size_t>(std::ranges::lower_bound(cuts, number) - cuts.begin());
}

GroupCoverage::GroupCoverage(const Schema& schema, const TableProfile& profile) : schema_(schema) {
  for (std::size_t c = 0; c < schema.columns.size() && columns_.size() < kMostColumns; ++c) {
    const ColumnSchema& column = schema.columns[c];
    if (column.target || column.kind == ColumnSchema::Kind::ignored) continue;
    Column out{c, {}, {}};
    if (column.kind == ColumnSchema::Kind::categorical) {
      if (column.categories.size() > kMostGroups) continue;
      for (const std::string& category : column.categories) out.groups.push_back({category});
    } else {
      const auto seen =
          std::ranges::find(profile.columns, column.name, &TableProfile::Column::name);
      if (seen == profile.columns.end() || seen->knots.size() < kQuarters) continue;
      out.cuts = quarters_of(seen->knots);
      if (out.cuts.empty()) continue;
      for (std::string& name : names_between(out.cuts, column.kind == ColumnSchema::Kind::date))
        out.groups.push_back({std::move(name)});
    }
    columns_.push_back(std::move(out));
  }
}

void GroupCoverage::add(const Table& table, std::span<const std::size_t> rows,
                        std::span<const double> levels) {
  for (const double level : levels) all_.add(level);
  for (Column& column : columns_) {
    const Table::Column& cells = table.column(column.place);
    if (cells.codes.empty() && cells.numbers.empty()) continue;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (const std::size_t group = column.group_of(cells, rows[k]); group < column.groups.size())
        column.groups[group].add(levels[k]);
  }
}

TableWarning GroupCoverage::warning_of(const std::string& column, const Group& group,
                                       double level) const {
  const double enough = group.level_that_holds(level);
  return {TableWarning::Kind::coverage,
          column,
          "Intervals of " + percent(level) + " % hold " + whole_percent(group.held_share(level)) +
              " % of the " + std::to_string(group.rows) + " rows where " + column + " is " +
              group.name + ", and " + whole_percent(all_.held_share(level)) + " % of all " +
              std::to_string(all_.rows) + ".",
          {enough < kMostLevel ? shortest_text(std::round(1000 * enough) / 1000) : ""}};
}

std::vector<TableWarning> GroupCoverage::warnings(double level) const {
  const double expected = std::min(level, all_.held_share(level));
  struct Found {
    double errors;
    TableWarning warning;
  };
  std::vector<Found> found;
  for (const Column& column : columns_) {
    const Group* worst = nullptr;
    double most = 0;
    for (const Group& group : column.groups) {
      const double lost = expected - group.held_share(level);
      const double errors =
          lost / std::sqrt(expected * (1 - expected) / static_cast<double>(group.rows));
      if (group.rows < kLeastRows || lost < kLeastLost || !(errors > std::max(kClearErrors, most)))
        continue;
      most = errors;
      worst = &group;
    }
    if (worst != nullptr)
      found.push_back({most, warning_of(schema_.columns[column.place].name, *worst, level)});
  }
  std::ranges::stable_sort(found, std::greater(), &Found::errors);
  std::vector<TableWarning> out;
  for (std::size_t k = 0; k < std::min(found.size(), kMostWarnings); ++k)
    out.push_back(std::move(found[k].warning));
  return out;
}

}  // namespace postrider::internal

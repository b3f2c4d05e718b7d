// How many rows of each group intervals hold: of each category, and of each quarter of a column of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "postrider/monitor.h"
#include "postrider/table_warnings.h"

namespace postrider::internal {

class GroupCoverage {
 public:
  // Quarters are those of the rows that the profile knows; without one, numbers make no groups.
  GroupCoverage(const Schema& schema, const TableProfile& profile);

  // Some rows of a table, and for each of them the level above which intervals hold its target.
  void add(const Table& table, std::span<const std::size_t> rows, std::span<const double> levels);

  // The group of each column that intervals of this level hold least often, where that is neither chance nor so of all rows; the
  // three clearest.
  std::vector<TableWarning> warnings(double level) const;

 private:
  static constexpr std::size_t kBins = 200;  // of levels

  struct Group {
    std::string name;
    std::size_t rows = 0;
    std::array<std::size_t, kBins> levels = {};

    void add(double level);
    double held_share(double level) const;
    double level_that_holds(double share) const;
  };
  struct Column {
    std::size_t place;
    std::vector<double> cuts;  // between groups of numbers
    std::vector<Group> groups;

    std::size_t group_of(const Table::Column& cells, std::size_t row) const;
  };

  TableWarning warning_of(const std::string& column, const Group& group, double level) const;

  Schema schema_;
  std::vector<Column> columns_;
  Group all_;
};

}  // namespace postrider::internal

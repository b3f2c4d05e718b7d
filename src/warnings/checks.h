// What is looked for in a table, check by check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "postrider/table.h"
#include "postrider/table_warnings.h"
#include "warnings/ranks.h"

namespace postrider::internal {

using Warnings = std::vector<TableWarning>;

inline constexpr std::size_t kLeastChecked = 20;  // rows: in fewer most things are chance

// Rows whose target is known: all of a table, or every so many-th.
struct SampledRows {
  Table table;
  std::size_t target = 0;  // its place
  std::size_t stride = 1;
  Ranks ranks = {};  // of a numeric target

  explicit SampledRows(Table rows, std::size_t every);

  std::size_t count() const { return table.rows(); }
  const Schema& schema() const { return table.schema(); }
  const ColumnSchema& target_column() const { return schema().columns[target]; }
  bool classifies() const { return schema().classifies(); }
  const std::vector<double>& target_numbers() const { return table.column(target).numbers; }
  const std::vector<std::uint32_t>& classes() const { return table.column(target).codes; }
  // "12 of 300 rows", and "about 24 of 600 rows" where others were not looked at.
  std::string share_text(std::size_t some) const;
  std::string rows_text(std::size_t some) const;
};

// Columns of the sample that are inputs, each by its place. All of them add what they find.
void check_leaks(const SampledRows& rows, Warnings& to);
void check_identifiers(const SampledRows& rows, Warnings& to);
void check_sentinels(const SampledRows& rows, Warnings& to);
void check_categories(const SampledRows& rows, Warnings& to);
void check_numbers_of_dates(const SampledRows& rows, Warnings& to);
// `copies` of all `rows` are exact.
void check_copies(const SampledRows& rows, std::size_t copies, std::size_t all, Warnings& to);
void check_target(const SampledRows& rows, Warnings& to);
// Rows of each class, of all rows.
void check_classes(const ColumnSchema& target, const std::vector<std::size_t>& rows, Warnings& to);

bool is_input_column(const ColumnSchema& column);
// As a person writes it: 1.5, -999, 20241024.
std::string written(double number);

}  // namespace postrider::internal

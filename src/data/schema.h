// Which rows of a table are written exactly as others before them, judged before it is known what the columns are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/column_summary.h"
#include "postrider/table.h"

namespace postrider::internal {

// Cells are added column by column; rows may be added a few at a time.
class WrittenCopies {
 public:
  void add(std::size_t row, std::string_view cell);
  void add(std::size_t row, double number);
  // For each row, whether it is a copy. None is where more than half of the rows are: a table of few different rows, in which a
  // text that stands in one of these only is still no name of a row.
  std::vector<bool> found() const;

 private:
  void add_hash(std::size_t row, std::uint64_t hash);

  std::vector<std::uint64_t> hashes_;
};

// --- What the columns of a table are, judged by their first rows.

// Names for a message; of many, the first.
std::string listed(std::span<const std::string> names);

// The rules of inference, and what the user says against them.
class SchemaRules {
 public:
  // `names`: all columns. Throws InvalidArgument if the options name others, or one twice.
  SchemaRules(const TableOptions& options, std::span<const std::string> names);

  // How the column is to be looked at.
  ColumnQuestion question(std::string_view name) const;
  bool ignores(std::string_view name) const;  // since the user says so
  bool is_target(std::string_view name) const { return name == target_; }
  // Throws InvalidArgument for a target from which nothing can be learned.
  ColumnSchema decide(const std::string& name, const ColumnSummary& seen) const;

 private:
  bool wants_categories(std::string_view name) const;
  void decide_kind(ColumnSchema& column, const ColumnSummary& seen) const;
  void decide_values(ColumnSchema& column, const ColumnSummary& seen) const;
  void decide_texts(ColumnSchema& column, const ColumnSummary& seen) const;
  bool are_classes(const ColumnSchema& column, const ColumnSummary& seen) const;
  void decide_target(ColumnSchema& column, const ColumnSummary& seen) const;

  const TableOptions& options_;
  std::string target_;
};

}  // namespace postrider::internal

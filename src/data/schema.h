// What the columns of a table are, judged by their first rows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/column_summary.h"
#include "postrider/table.h"

namespace postrider::internal {

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

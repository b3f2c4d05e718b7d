// What the columns of a table are, judged by their first rows.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/cells.h"
#include "postrider/table.h"

namespace postrider {

// Names for a message; of many, the first.
std::string listed(std::span<const std::string> names);

// What was seen of a column.
struct ColumnSummary {
  std::size_t rows = 0, missing = 0, numbers = 0, texts = 0;
  std::string first_text = {};  // that is no number
  // Of numbers.
  double least = 0, greatest = 0;
  bool whole = true;          // none has a fraction
  std::set<double> few = {};  // different ones, one more than a few at most
  // Different cells as they are written, sorted: by value if all are numbers, else by their bytes. Empty
  // for a column of numbers unless they are asked for.
  std::vector<std::string> categories = {};

  void add_number(double number);
};
ColumnSummary summary_of(const Texts& cells, bool with_categories);

// The rules of inference, and what the user says against them.
class SchemaRules {
 public:
  // `names`: all columns. Throws InvalidArgument if the options name others, or one twice.
  SchemaRules(const TableOptions& options, std::span<const std::string> names);

  bool wants_categories(std::string_view name) const;
  bool ignores(std::string_view name) const;  // since the user says so
  bool is_target(std::string_view name) const { return name == target_; }
  // Throws InvalidArgument for a target from which nothing can be learned.
  ColumnSchema decide(const std::string& name, const ColumnSummary& seen) const;

 private:
  void decide_kind(ColumnSchema& column, const ColumnSummary& seen) const;
  void decide_target(ColumnSchema& column, const ColumnSummary& seen) const;

  const TableOptions& options_;
  std::string target_;
};

}  // namespace postrider

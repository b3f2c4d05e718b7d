// Rows of a table that are written as JSON objects: {"column": value, ...}.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "postrider/table_builder.h"

namespace postrider::cli {

using ColumnPlaces = std::unordered_map<std::string, std::size_t>;  // by name

// Columns are taken by their names; others are passed over, and those that a row does not have are missing. Throws
// CorruptFile for what makes no sense; the row that was begun is forgotten then.
class JsonRows {
 public:
  // If a column is named as the key, its values are kept as texts, whether the schema has such a column or not.
  explicit JsonRows(const Schema& schema, std::string key_column = "");

  // One row, as text.
  void add(const std::string& object);
  // An object, a list of objects, or {"rows": [...]}. Returns how many rows came. If it throws, all rows are forgotten.
  std::size_t add_all(const std::string& text, std::size_t most);
  // Inputs that no row of the last add_all() names, as TableReader::absent() has them.
  std::vector<std::string> absent() const;
  // A row by its cells: for each of them set(), then end_row().
  void set(std::string_view column, std::string_view text);
  void end_row() {
    key_ = std::exchange(begun_key_, {});
    builder_.end_row();
  }
  void drop_row() {
    begun_key_.clear();
    builder_.drop_row();
  }
  // That of the row that was added last; empty if it has none.
  const std::string& key() const { return key_; }

  std::size_t rows() const { return builder_.rows(); }
  Table finish() { return builder_.finish(); }  // and begins anew

 private:
  Schema schema_;
  ColumnPlaces places_;
  std::string key_column_;
  std::string key_, begun_key_;
  std::vector<bool> is_named_;  // of the columns, by the last add_all()
  Table::Builder builder_;
};

}  // namespace postrider::cli

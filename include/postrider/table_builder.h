// A table made cell by cell, by programs that have no file.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "postrider/export.h"
#include "postrider/table.h"

namespace postrider {

namespace internal {
class TableBuilderState;
}  // namespace internal

// Rows of the columns of a schema, such as a model's. Cells that are not set are missing; those of ignored columns are
// passed over.
class POSTRIDER_EXPORT Table::Builder {
 public:
  explicit Builder(const Schema& schema);  // throws InvalidArgument
  ~Builder();
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;

  // A cell of the row that is put down. Numbers are finite, or NaN if missing; as a category, the number 3 is the text
  // "3". Texts are read as those of a file: numbers, dates, categories. Throw InvalidArgument if the schema has no such
  // column, and CorruptFile for a text that makes no sense there; the cell is missing then.
  void set(std::size_t column, double number);
  void set(std::size_t column, std::string_view text);
  void end_row();
  void drop_row();           // forgets the cells set since the last row ended
  std::size_t rows() const;  // that ended

  // The rows that ended. The builder begins anew.
  Table finish();

 private:
  std::unique_ptr<internal::TableBuilderState> state_;
};

}  // namespace postrider

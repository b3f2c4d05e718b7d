#include "postrider/table_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "data/cell_columns.h"
#include "data/row_source.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;

namespace internal {

class TableBuilderState {
 public:
  explicit TableBuilderState(const Schema& given) : schema(given) {
    for (const ColumnSchema& column : schema.columns)
      columns.push_back(cell_column(schema, column, /*is_inferred=*/true));
    begin();
  }

  // One row of missing cells behind those that ended.
  void begin() {
    for (CellColumn& column : columns) {
      column.resize(rows + 1);
      make_missing(column);
    }
  }

  void make_missing(CellColumn& column) {
    if (column.has_numbers())
      column.cells.numbers[rows] = std::numeric_limits<double>::quiet_NaN();
    else if (column.use == CellUse::code)
      column.cells.codes[rows] = Table::Column::kMissing;
  }

  CellColumn& column(std::size_t place) {
    if (place >= columns.size())
      reject("column", place, "must be below " + std::to_string(columns.size()));
    return columns[place];
  }

  void set(std::size_t place, std::string_view text) {
    CellColumn& to = column(place);
    if (to.use == CellUse::skip) return;
    make_missing(to);
    // A number is read with the byte behind it, which only a copy surely has.
    cell.assign(text);
    put_cell(to, rows, cell, {name, rows + 1, "row"});
    is_set[place] = true;
  }

  void set(std::size_t place, double number) {
    CellColumn& to = column(place);
    const bool is_number = to.use == CellUse::number || to.use == CellUse::written;
    if (!is_number || std::isinf(number))
      return set(place, std::isnan(number) ? "" : shortest_text(number));
    to.cells.numbers[rows] =
        to.markers.has_number(number) ? std::numeric_limits<double>::quiet_NaN() : number;
    is_set[place] = true;
  }

  Table finish() {
    std::vector<Table::Column> cells;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c].resize(rows);
      // A target that no row has is one that is not known.
      const bool is_known = !schema.columns[c].target || is_set[c];
      cells.push_back(is_known ? std::move(columns[c].cells) : Table::Column{});
      columns[c].cells = {};
    }
    rows = 0;
    std::fill(is_set.begin(), is_set.end(), false);
    begin();
    return Table(schema, std::move(cells));
  }

  Schema schema;
  std::vector<CellColumn> columns;
  std::vector<bool> is_set = std::vector<bool>(schema.columns.size());
  std::size_t rows = 0;
  std::string cell;

 private:
  const std::string name = "the rows given";
};

}  // namespace internal

Table::Builder::Builder(const Schema& schema) {
  schema.validate();
  state_ = std::make_unique<TableBuilderState>(schema);
}
Table::Builder::~Builder() = default;
Table::Builder::Builder(Table::Builder&&) noexcept = default;
Table::Builder& Table::Builder::operator=(Table::Builder&&) noexcept = default;

void Table::Builder::set(std::size_t column, double number) { state_->set(column, number); }
void Table::Builder::set(std::size_t column, std::string_view text) { state_->set(column, text); }

void Table::Builder::end_row() {
  ++state_->rows;
  state_->begin();
}

void Table::Builder::drop_row() { state_->begin(); }

std::size_t Table::Builder::rows() const { return state_->rows; }
Table Table::Builder::finish() { return state_->finish(); }

}  // namespace postrider

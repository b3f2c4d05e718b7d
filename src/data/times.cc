// Cells of one column in an order: numbers or dates.
#include <cmath>
#include <string>

#include "data/cell_columns.h"
#include "data/column_summary.h"
#include "data/row_source.h"
#include "postrider/error.h"
#include "postrider/table.h"

namespace postrider {
using namespace internal;

std::vector<double> times_of(const std::string& column, std::span<const std::string> cells) {
  Texts texts;
  for (const std::string& cell : cells) texts.add(cell);
  const ColumnSummary seen = summary_of(texts, {});
  if (seen.numbers == 0 || seen.texts > 0)
    reject("time", column,
           "must hold dates or numbers, and has " + shown(seen.first_text) +
               (seen.is_order_open ? ", of which it cannot be told whether day or month is first"
                                   : ""));
  ColumnSchema as;
  as.name = column;
  as.kind = seen.has_dates() ? ColumnKind::date : ColumnKind::numeric;
  as.form = seen.form;
  as.unit = seen.unit;
  CellColumn to = cell_column({}, as, /*is_inferred=*/true);
  to.resize(cells.size());
  const std::string name = "the column";
  std::string cell;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    // A number is read with the byte behind it, which only a copy surely has.
    cell = cells[row];
    put_cell(to, row, cell, {name, row + 1, "row"});
    if (std::isnan(to.cells.numbers[row]))
      reject("time", column,
             "must be known in every row, and is missing in row " + std::to_string(row + 1));
  }
  return std::move(to.cells.numbers);
}

}  // namespace postrider

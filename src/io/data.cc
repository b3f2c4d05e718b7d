#include "io/data.h"

#include "io/open_table.h"
#include "postrider/error.h"

namespace postrider::cli {

TableOptions DataRequest::options() const {
  TableOptions out;
  if (format == "csv")
    out.format = TableFormat::csv;
  else if (format == "libsvm")
    out.format = TableFormat::libsvm;
  else if (format != "infer")
    reject("--format", format, "must be infer, csv or libsvm");
  if (delimiter == "tab" || delimiter == "\\t")
    out.delimiter = '\t';
  else if (delimiter.size() == 1)
    out.delimiter = delimiter[0];
  else if (!delimiter.empty())
    reject("--delimiter", delimiter, "must be one character, or tab");
  out.header = !no_header;
  out.keys = keys;
  out.skip_bad = skip_bad;
  return out;
}

TableReader open_for_model(const DataRequest& request, const TableModel& model, RowsFor use) {
  TableOptions options = request.options();
  options.may_lack_columns = use == RowsFor::prediction;
  return open_table(request.path, model.schema(), options);
}

LoadedTable read_all(TableReader& reader) {
  LoadedTable out{Table(reader.schema(), std::vector<TableColumn>(reader.schema().columns.size())),
                  {}};
  for (Table chunk; reader.next(chunk);) {
    for (std::size_t row = 0; row < chunk.rows(); ++row) out.lines.push_back(chunk.line(row));
    out.table.append(chunk);
  }
  return out;
}

}  // namespace postrider::cli

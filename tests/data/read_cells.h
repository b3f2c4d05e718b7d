// The cells of a table as texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postrider/table.h"

namespace postrider {

// All rows, column by column, as texts that show every difference.
inline std::vector<std::vector<std::string>> cells_of(TableReader reader) {
  std::vector<std::vector<std::string>> out(reader.schema().columns.size());
  for (Table chunk; reader.next(chunk);)
    for (std::size_t c = 0; c < out.size(); ++c) {
      const Table::Column& column = chunk.column(c);
      for (const double number : column.numbers) out[c].push_back(std::to_string(number));
      for (const std::uint32_t code : column.codes) {
        const auto& categories = chunk.schema().columns[c].categories;
        out[c].push_back(code < categories.size()          ? categories[code]
                         : code == Table::Column::kMissing ? "missing"
                                                           : "unknown");
      }
    }
  return out;
}

}  // namespace postrider

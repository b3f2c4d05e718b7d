// A table with all that tables have: numbers, categories, missing cells, a column of names.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/random.h"
#include "data/table_reader.h"
#include "postrider/table_model.h"

namespace postrider {
using namespace internal;

// The income follows age and town, with noise of deviation 0.1 in a range of about 3; some ages are
// missing.
inline std::string people(std::size_t rows, std::uint64_t seed, double missing = 0.1) {
  RandomStream random(seed, 0);
  std::string out = "name,age,town,income,rich\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double age = random.uniform(0, 1);
    const std::uint64_t town = random.below(3);
    const double income = 2 * age + 0.5 * static_cast<double>(town) + 0.1 * random.normal();
    out.append("person ").append(std::to_string(seed)).append(" ").append(std::to_string(row));
    out += ',';
    if (random.uniform() >= missing) out += std::to_string(age);
    out += ",";
    out += static_cast<char>('a' + town);
    out.append(",").append(std::to_string(income)).append(income > 1.5 ? ",yes\n" : ",no\n");
  }
  return out;
}

inline TableReader people_reader(const std::string& text, const TableOptions& options) {
  return table_reader_of(memory_bytes(text, "people"), "people", options);
}
inline TableReader people_reader(const std::string& text, const Schema& schema) {
  return table_reader_of(memory_bytes(text, "people"), "people", {}, &schema);
}
// All rows in one table.
inline Table people_table(const std::string& text, const Schema& schema) {
  TableReader reader = people_reader(text, schema);
  Table out;
  reader.next(out);
  return out;
}

inline TableOptions income_options() { return {.target = "income", .ignored = {"rich"}}; }
inline TableOptions rich_options() { return {.target = "rich", .ignored = {"income"}}; }

// So small, and for so few epochs, that a test can train it.
inline TableModelOptions small_model(std::size_t units, std::size_t epochs) {
  TableModelOptions out;
  out.estimator.hidden = {units};
  out.estimator.training.max_epochs = epochs;
  out.estimator.ensemble_size = 2;
  out.estimator.encoding = Encoding::standard;
  return out;
}

}  // namespace postrider

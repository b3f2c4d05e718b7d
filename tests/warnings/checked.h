// Tables as texts, and what is said of them.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/table_reader.h"
#include "postrider/table_warnings.h"

namespace postrider {
using namespace internal;

using Cells = std::function<std::string(std::size_t)>;

// Two inputs and a target that hang together but loosely, and what is put before them.
struct MadeTable {
  std::size_t rows = 200;
  bool classifies = false;
  std::vector<std::pair<std::string, Cells>> columns = {};
  std::vector<double> x = {}, y = {};

  explicit MadeTable(std::size_t count, bool of_classes = false)
      : rows(count), classifies(of_classes) {
    RandomStream random(7, 0);
    for (std::size_t row = 0; row < rows; ++row) {
      x.push_back(random.normal());
      y.push_back(x.back() + random.normal());
    }
  }

  std::string target(std::size_t row) const {
    if (classifies) return y[row] > 0 ? "yes" : "no";
    return std::to_string(y[row]);
  }

  std::string text() const {
    std::string out;
    for (const auto& [name, cells] : columns) out += name + ",";
    out += "x,z,y\n";
    for (std::size_t row = 0; row < rows; ++row) {
      for (const auto& [name, cells] : columns) out += cells(row) + ",";
      out += std::to_string(x[row]) + "," + std::to_string((row * 37) % 101) + ".5," + target(row) +
             "\n";
    }
    return out;
  }
};

inline Table read_table(const std::string& text, TableOptions options = {}) {
  options.target = "y";
  TableReader reader = table_reader_of(memory_bytes(text, "made"), "made", options);
  Table out;
  for (Table chunk; reader.next(chunk);) out.append(chunk);
  return out;
}

inline std::vector<TableWarning> warnings_of(const Table& table) {
  TableCheck check;
  check.add(table);
  return check.warnings();
}
inline std::vector<TableWarning> warnings_of(const MadeTable& made) {
  return warnings_of(read_table(made.text()));
}

inline std::vector<TableWarning> with(MadeTable made, const std::string& name, Cells cells) {
  made.columns.emplace_back(name, std::move(cells));
  return warnings_of(made);
}

inline bool has(const std::vector<TableWarning>& found, TableWarning::Kind kind,
                const std::string& column) {
  return std::ranges::any_of(
      found, [&](const TableWarning& each) { return each.kind == kind && each.column == column; });
}

inline std::string texts(const std::vector<TableWarning>& found) {
  std::string out;
  for (const TableWarning& each : found) out += each.text + "\n";
  return out;
}

}  // namespace postrider

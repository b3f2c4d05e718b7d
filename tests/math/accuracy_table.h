// Reads the table of docs/reference/special-functions.md, the one place where accuracy is claimed.
#pragma once

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace postrider {

struct AccuracyRow {
  std::string function, file, lanes;
  double from, to;       // the range of the argument; may be infinite
  double ulp;            // the largest error in units in the last place
  bool of_at_least_one;  // ... of max(1, |value|) instead of the value
};

namespace detail {

inline std::string trimmed(std::string text) {
  constexpr const char* kDropped = " `";
  text.erase(0, text.find_first_not_of(kDropped));
  text.erase(text.find_last_not_of(kDropped) + 1);
  return text;
}

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

inline double number_in(const std::string& text, const std::string& line) {
  if (text == "largest double") return std::numeric_limits<double>::max();
  if (text == "largest float") return static_cast<double>(std::numeric_limits<float>::max());
  if (text == "smallest normal double") return std::numeric_limits<double>::min();
  if (text == "smallest normal float")
    return static_cast<double>(std::numeric_limits<float>::min());
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    throw std::runtime_error("no number: '" + text + "' in " + line);
  return value;
}

}  // namespace detail

// Every row of the table, in order. Throws std::runtime_error for a row that cannot be read.
inline std::vector<AccuracyRow> read_accuracy_table(const std::string& path) {
  const std::vector<std::string> heading{"function", "file", "lanes", "from", "to", "error in ULP"};
  constexpr const char* kOfAtLeastOne = " of max(1, value)";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<AccuracyRow> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] != '|') {
      inside = false;
      continue;
    }
    std::vector<std::string> cells = detail::cells_of(line);
    if (cells == heading) {
      inside = true;
      continue;
    }
    if (!inside || line.find("|---") == 0) continue;
    if (cells.size() != heading.size()) throw std::runtime_error("not six cells: " + line);
    const std::size_t suffix = cells[5].find(kOfAtLeastOne);
    const bool of_at_least_one = suffix != std::string::npos;
    rows.push_back({cells[0], cells[1], cells[2], detail::number_in(cells[3], line),
                    detail::number_in(cells[4], line),
                    detail::number_in(cells[5].substr(0, suffix), line), of_at_least_one});
  }
  return rows;
}

}  // namespace postrider

// A table for the terminal: the first columns are words, the others numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace postrider::bench {

class Table {
 public:
  Table(std::vector<std::string> heads, std::size_t word_columns)
      : rows_{std::move(heads)}, word_columns_(word_columns) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Words to the left, numbers to the right, a line under the heads.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t word_columns_;
};

// With as many digits as say something: 1234, 12.3, 0.0123.
std::string short_number(double value);

}  // namespace postrider::bench

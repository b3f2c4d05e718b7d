// Cells that stand for nothing in one table or column, besides those that always do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::internal {

class Markers {
 public:
  Markers() = default;
  explicit Markers(std::span<const std::string> words) { add(words); }

  void add(std::span<const std::string> words);
  // Whether a trimmed cell is one of the words, in capitals or not.
  bool has_text(std::string_view cell) const;
  // A word that is a number stands for its value, however that is written.
  bool has_number(double number) const;
  bool has_numbers() const { return !numbers_.empty(); }

 private:
  std::vector<std::string> words_;
  std::vector<double> numbers_;
};

}  // namespace postrider::internal

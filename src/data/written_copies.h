// Which rows of a table are written exactly as others before them, judged before it is known what the columns are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace postrider::internal {

// Cells are added column by column; rows may be added a few at a time.
class WrittenCopies {
 public:
  void add(std::size_t row, std::string_view cell);
  void add(std::size_t row, double number);
  // For each row, whether it is a copy. None is where more than half of the rows are: a table of few different rows, in which a
  // text that stands in one of these only is still no name of a row.
  std::vector<bool> found() const;

 private:
  void add_hash(std::size_t row, std::uint64_t hash);

  std::vector<std::uint64_t> hashes_;
};

}  // namespace postrider::internal

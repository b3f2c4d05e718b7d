#include <gtest/gtest.h>

#include <string>

#include "data/schema.h"

namespace postrider {
using namespace internal;
namespace {

// Rows of two cells each.
std::vector<bool> copies_of(const std::vector<std::pair<std::string, double>>& rows) {
  WrittenCopies out;
  for (std::size_t row = 0; row < rows.size(); ++row) out.add(row, rows[row].first);
  for (std::size_t row = 0; row < rows.size(); ++row) out.add(row, rows[row].second);
  return out.found();
}

TEST(WrittenCopies, AllCellsMustBeTheSame) {
  EXPECT_EQ(copies_of({{"a", 1}, {"a", 2}, {"b", 1}, {"a", 1}}),
            (std::vector<bool>{false, false, false, true}));
}

TEST(WrittenCopies, ColumnsAreNotExchanged) {
  WrittenCopies out;
  for (const char* cells : {"ab", "ba"})
    for (std::size_t row = 0; row < 2; ++row) out.add(row, std::string(1, cells[row]));
  EXPECT_EQ(out.found(), (std::vector<bool>{false, false}));
}

TEST(WrittenCopies, HalfOfTheRowsMayBeCopies) {
  EXPECT_EQ(copies_of({{"a", 1}, {"b", 2}, {"b", 2}, {"a", 1}}),
            (std::vector<bool>{false, false, true, true}));
}

TEST(WrittenCopies, WhereMoreAreTheTableHasFewDifferentRows) {
  EXPECT_EQ(copies_of({{"a", 1}, {"a", 1}, {"b", 2}, {"a", 1}, {"b", 2}}),
            std::vector<bool>(5, false));
}

}  // namespace
}  // namespace postrider

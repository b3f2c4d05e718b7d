#include "postrider/sparse/hashed_inputs.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "complaint.h"
#include "rows.h"

namespace postrider::sparse {
using namespace internal;
namespace {

using hashed::add_row;

TEST(HashedInputs, ANameHasOneColumn) {
  FeatureRows rows;
  add_row(rows, {{1, 2}, {2, 3}}, 1);
  add_row(rows, {{2, 5}}, 1);
  add_row(rows, {}, 1);
  const SparseInputs found = hashed_inputs(rows, 1'000'003);
  EXPECT_EQ(found.columns, 1'000'003U);
  ASSERT_EQ(found.begins, (std::vector<std::size_t>{0, 2, 3, 3}));
  EXPECT_LT(found.places[0], found.places[1]);
  const std::size_t of_two = found.values[0] == 3 ? 0 : 1;
  EXPECT_EQ(found.places[of_two], found.places[2]);
  EXPECT_EQ(found.values[1 - of_two], 2);
  EXPECT_EQ(found.values[2], 5);
}

TEST(HashedInputs, NamesThatShareAColumnAreAddedUp) {
  FeatureRows rows;
  add_row(rows, {{1, 2}, {2, 3}, {3, -1}}, 1);
  const SparseInputs found = hashed_inputs(rows, 1);
  EXPECT_EQ(found.values, std::vector<double>{4});
  EXPECT_EQ(found.places, std::vector<std::uint32_t>{0});
}

TEST(HashedInputs, ColumnsAreUsedAlike) {
  FeatureRows rows;
  for (std::uint64_t index = 0; index < 8000; ++index) add_row(rows, {{index, 1}}, 1);
  std::map<std::uint32_t, int> counts;
  for (const std::uint32_t column : hashed_inputs(rows, 8).places) ++counts[column];
  for (const auto& [column, count] : counts) EXPECT_NEAR(count, 1000, 150) << column;
  EXPECT_EQ(counts.size(), 8U);
}

TEST(HashedInputs, TellsMistakes) {
  EXPECT_EQ(complaint([] { hashed_inputs({}, 0); }),
            "columns = 0: must be within 1 and 4294967295");
}

}  // namespace
}  // namespace postrider::sparse

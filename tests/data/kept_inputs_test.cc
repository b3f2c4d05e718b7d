#include "data/kept_inputs.h"

#include <gtest/gtest.h>

#include "complaint.h"

namespace postrider {
using namespace internal;
namespace {

// Rows 0 5 0, 0 0 0, 1 0 2 and 0 0 3, in both forms.
const std::vector<double> kWhole{0, 5, 0, 0, 0, 0, 1, 0, 2, 0, 0, 3};
const SparseInputs kSparse{3, {0, 1, 1, 3, 4}, {1, 0, 2, 2}, {5, 1, 2, 3}};

TEST(KeptInputs, SomeRowsInTheirForm) {
  const std::vector<std::size_t> rows{3, 0, 0};
  const std::vector<double> expected{0, 0, 3, 0, 5, 0, 0, 5, 0};
  const KeptInputs whole(kWhole, 3, rows), sparse(kSparse, 3, rows);
  EXPECT_FALSE(Inputs(whole).is_sparse());
  EXPECT_TRUE(Inputs(sparse).is_sparse());
  EXPECT_TRUE(Inputs(sparse).keeps_zeros());
  EXPECT_EQ(Inputs(sparse).values().size(), 3U);
  EXPECT_EQ(all_numbers(whole, 3), expected);
  EXPECT_EQ(all_numbers(sparse, 3), expected);
}

TEST(KeptInputs, PartsOfRows) {
  const std::vector<double> expected{0, 0, 0, 1, 0, 2};
  EXPECT_EQ(all_numbers(Inputs(kWhole).part(1, 2, 3), 3), expected);
  EXPECT_EQ(all_numbers(Inputs(kSparse).part(1, 2, 3), 3), expected);
  EXPECT_EQ(Inputs(kSparse).rows(3), 4U);
  EXPECT_EQ(Inputs(kWhole).rows(3), 4U);
  EXPECT_EQ(Inputs(kSparse).columns(4), 3U);
  EXPECT_EQ(Inputs(kWhole).columns(4), 3U);
}

TEST(KeptInputs, SparseRowsThatMakeNoSenseAreRefused) {
  EXPECT_NO_THROW(expect_sound(kWhole));
  EXPECT_NO_THROW(expect_sound(kSparse));
  EXPECT_NO_THROW(expect_sound(Inputs(kSparse).part(2, 2, 3)));
  const auto refused = [](const SparseInputs& rows) {
    return complaint([&] { expect_sound(rows); });
  };
  EXPECT_NE(refused({3, {0, 1}, {3}, {1}}).find("below the number of columns"), std::string::npos);
  EXPECT_NE(refused({3, {0, 2}, {1, 1}, {1, 2}}).find("must rise"), std::string::npos);
  EXPECT_NE(refused({3, {0, 2, 1}, {0, 1}, {1, 2}}).find("begins"), std::string::npos);
  EXPECT_NE(refused({3, {0, 3}, {0, 1}, {1, 2}}).find("begins"), std::string::npos);
  EXPECT_NE(refused({3, {}, {}, {}}).find("begins"), std::string::npos);
  EXPECT_NE(refused({3, {0, 1}, {0, 1}, {1}}).find("places"), std::string::npos);
}

}  // namespace
}  // namespace postrider

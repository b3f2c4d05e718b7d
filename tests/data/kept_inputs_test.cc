#include "data/kept_inputs.h"

#include <gtest/gtest.h>

#include "complaint.h"

namespace postrider {
using namespace internal;
namespace {

// Rows 0 5 0, 0 0 0, 1 0 2 and 0 0 3, in both forms.
const std::vector<double> kWhole{0, 5, 0, 0, 0, 0, 1, 0, 2, 0, 0, 3};
const SparseInputs kSparse{3, {0, 1, 1, 3, 4}, {1, 0, 2, 2}, {5, 1, 2, 3}};

TEST(OwnedInputs, SomeRowsInTheirForm) {
  const std::vector<std::size_t> rows{3, 0, 0};
  const std::vector<double> expected{0, 0, 3, 0, 5, 0, 0, 5, 0};
  const OwnedInputs whole(Inputs(kWhole, 4, 3), rows), sparse(kSparse, rows);
  EXPECT_FALSE(Inputs(whole).is_sparse());
  EXPECT_TRUE(Inputs(sparse).is_sparse());
  EXPECT_TRUE(Inputs(sparse).keeps_zeros());
  EXPECT_EQ(Inputs(sparse).values().size(), 3U);
  EXPECT_EQ(all_numbers(whole), expected);
  EXPECT_EQ(all_numbers(sparse), expected);
}

TEST(Inputs, PartsOfRows) {
  const std::vector<double> expected{0, 0, 0, 1, 0, 2};
  EXPECT_EQ(all_numbers(Inputs(kWhole, 4, 3).part(1, 2)), expected);
  EXPECT_EQ(all_numbers(Inputs(kSparse).part(1, 2)), expected);
}

TEST(Inputs, ShapesAreGivenOrFollow) {
  EXPECT_TRUE(Inputs(kSparse).has_shape());
  EXPECT_FALSE(Inputs(kWhole).has_shape());
  for (const Inputs& rows : {Inputs(kSparse), Inputs(kWhole, 4, 3), Inputs(kWhole).of_rows(4),
                             Inputs(kWhole).of_columns(3), Inputs(kWhole, 4, 3).of_rows(2)}) {
    EXPECT_EQ(rows.rows(), 4U);
    EXPECT_EQ(rows.columns(), 3U);
    EXPECT_TRUE(rows.has_whole_rows());
  }
  EXPECT_FALSE(Inputs(kWhole).of_rows(5).has_whole_rows());
  EXPECT_EQ(complaint([] { Inputs(kWhole, 5, 3); }),
            "inputs = 12: must be as many numbers as rows times columns");
}

TEST(Inputs, PartsHaveTheirVariances) {
  const std::vector<double> of_whole{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Inputs part = Inputs(kWhole, 4, 3).with_variances(of_whole).part(2, 1);
  EXPECT_EQ(std::vector(part.variances().begin(), part.variances().end()),
            (std::vector<double>{7, 8, 9}));
  EXPECT_NE(complaint([&] { expect_sound(part); }).find("they are for networks"),
            std::string::npos);
}

template <class... Parts>
constexpr bool kCanBeExamples = requires(Parts&&... parts) {
  Examples{static_cast<Parts&&>(parts)...};
};

// Views of what nobody holds any more.
TEST(Examples, ContainersThatEndWithTheCallAreRefused) {
  using Numbers = std::vector<double>;
  EXPECT_TRUE((kCanBeExamples<const Numbers&, const Numbers&>));
  EXPECT_TRUE((kCanBeExamples<Inputs, std::span<const double>>));
  EXPECT_TRUE((kCanBeExamples<const SparseInputs&, const Numbers&, const Numbers&>));
  EXPECT_FALSE((kCanBeExamples<Numbers, const Numbers&>));
  EXPECT_FALSE((kCanBeExamples<const Numbers&, Numbers>));
  EXPECT_FALSE((kCanBeExamples<SparseInputs, const Numbers&>));
  EXPECT_FALSE((kCanBeExamples<const Numbers&, const Numbers&, Numbers>));
}

TEST(Inputs, SparseRowsThatMakeNoSenseAreRefused) {
  EXPECT_NO_THROW(expect_sound(kWhole));
  EXPECT_NO_THROW(expect_sound(kSparse));
  EXPECT_NO_THROW(expect_sound(Inputs(kSparse).part(2, 2)));
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

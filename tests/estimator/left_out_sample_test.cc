#include "estimator/left_out_sample.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "estimator/member_folds.h"

namespace postrider::internal {
namespace {

struct Rows {
  std::vector<double> inputs, targets;

  explicit Rows(std::size_t count, std::size_t columns = 2) {
    for (std::size_t row = 0; row < count; ++row) {
      targets.push_back(-1.0 * static_cast<double>(row));
      for (std::size_t c = 0; c < columns; ++c)
        inputs.push_back(static_cast<double>(row) + 0.1 * static_cast<double>(c));
    }
  }
  Examples examples() const { return {inputs, targets}; }
};

// Two outputs, which say the row and the member.
std::vector<network::Network::OutputMoments> said(const MemberFolds& folds,
                                                  const std::vector<std::size_t>& numbers) {
  std::vector<network::Network::OutputMoments> out;
  for (const std::size_t m : numbers) {
    auto& one = out.emplace_back();
    for (const std::uint32_t row : folds.left_out_by(m)) {
      one.mean.insert(one.mean.end(), {1.0 * row, 1.0 * static_cast<double>(m)});
      one.variance.insert(one.variance.end(), {1.0, 2.0 + row});
    }
  }
  return out;
}

// Inputs say which row it was.
std::size_t row_of(const LeftOutSample& sample, std::size_t place) {
  return static_cast<std::size_t>(sample.inputs[place * sample.columns]);
}

TEST(LeftOutSample, SaysWhichMembersHaveNotLearnedARow) {
  const Rows rows(100);
  const MemberFolds folds(rows.examples(), ModelKind::regressor, 16, 1);
  const std::vector<std::size_t> numbers{0, 3, 9, 15};  // others were dropped
  const auto found = left_out_sample(rows.examples(), {folds, numbers, said(folds, numbers)}, 2);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->of_members.size(), 4u);
  EXPECT_EQ(found->columns, 2u);
  EXPECT_EQ(found->targets_of_row, 1u);
  std::vector<bool> is_there(100);
  for (std::size_t place = 0; place < found->rows(); ++place) {
    const std::size_t row = row_of(*found, place);
    is_there[row] = true;
    EXPECT_EQ(found->inputs[2 * place + 1], rows.inputs[2 * row + 1]);
    EXPECT_EQ(found->targets[place], rows.targets[row]);
    for (std::size_t m = 0; m < numbers.size(); ++m) {
      const auto fold = folds.left_out_by(numbers[m]);
      const LeftOutSample::OfMember& of = found->of_members[m];
      const auto at = std::ranges::find(of.rows, place);
      EXPECT_EQ(at != of.rows.end(),
                std::ranges::count(fold, static_cast<std::uint32_t>(row)) == 1);
      if (at == of.rows.end()) continue;
      const auto k = static_cast<std::size_t>(at - of.rows.begin());
      EXPECT_EQ(of.outputs.mean[2 * k], static_cast<double>(row));
      EXPECT_EQ(of.outputs.mean[2 * k + 1], static_cast<double>(numbers[m]));
      EXPECT_EQ(of.outputs.variance[2 * k + 1], 2.0 + static_cast<double>(row));
    }
  }
  for (std::size_t row = 0; row < 100; ++row) {
    const bool is_left_out = std::ranges::any_of(numbers, [&](std::size_t m) {
      return std::ranges::count(folds.left_out_by(m), static_cast<std::uint32_t>(row)) > 0;
    });
    EXPECT_EQ(is_there[row], is_left_out);
  }
}

TEST(LeftOutSample, OfManyRowsSomeAreTakenEvenly) {
  const Rows rows(5000);
  const MemberFolds folds(rows.examples(), ModelKind::regressor, 8, 1);
  const std::vector<std::size_t> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const auto found = left_out_sample(rows.examples(), {folds, numbers, said(folds, numbers)}, 2);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows(), 512u);
  EXPECT_EQ(row_of(*found, 0), 0u);
  EXPECT_EQ(row_of(*found, 256), 2500u);
}

TEST(LeftOutSample, IsNotKeptOfRowsThatAreTooWideOrThatAllHaveLearned) {
  const Rows wide(70, 20'000), few(70);
  const std::vector<std::size_t> numbers{0, 1};
  const MemberFolds folds(wide.examples(), ModelKind::regressor, 2, 1);
  EXPECT_FALSE(left_out_sample(wide.examples(), {folds, numbers, said(folds, numbers)}, 2));
  const std::vector<network::Network::OutputMoments> nothing(2);
  EXPECT_FALSE(left_out_sample(few.examples(), {folds, numbers, nothing}, 2));
}

}  // namespace
}  // namespace postrider::internal

#include "train/pack_rows.h"

#include <gtest/gtest.h>

namespace postrider::network {
using namespace internal;
namespace {

using Rows = PackSteps<float>;

std::vector<float> powers_of(std::size_t rows, float scale) {
  std::vector<float> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(scale * static_cast<float>(i + 1));
  return out;
}

// Three networks with 5, 3 and 4 rows in groups of two, in orders of their own.
class PackStepsTest : public testing::Test {
 protected:
  const Groups first{{4, 0, 3, 1, 2}, 2, TrainerOptions::Shuffle::none, 1};
  const Groups second{{2, 0, 1}, 2, TrainerOptions::Shuffle::none, 1};
  const Groups third{{7, 5, 6, 4}, 2, TrainerOptions::Shuffle::none, 1};
  const Rows rows{
      {{first, powers_of(5, 1)}, {second, powers_of(3, 10)}, {third, powers_of(8, 100)}}, true};

  struct Step {
    std::uint32_t a, b, c;
  };
  void expect_group(std::size_t number, const std::vector<Step>& steps) const {
    const PackGroup<float> group = rows.group(number);
    ASSERT_EQ(group.steps(), steps.size());
    ASSERT_EQ(group.powers.size(), steps.size() * kPack);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::vector<std::uint32_t> expected{steps[s].a, steps[s].b, steps[s].c};
      for (std::size_t lane = 0; lane < kPack; ++lane) {
        const std::uint32_t row = lane < 3 ? expected[lane] : kNoRow;
        EXPECT_EQ(group.rows_at(s)[lane], row) << "step " << s << ", network " << lane;
        if (row == kNoRow) continue;
        const float scale = lane == 0 ? 1 : lane == 1 ? 10 : 100;
        EXPECT_EQ(group.powers[s * kPack + lane], scale * static_cast<float>(row + 1));
      }
    }
  }
};

TEST_F(PackStepsTest, EachNetworkHasItsOwnRowsAndPowers) {
  EXPECT_EQ(rows.groups(), 3U);
  EXPECT_EQ(rows.steps(), 5U);
  expect_group(0, {{4, 2, 7}, {0, 0, 5}});
  expect_group(1, {{3, 1, 6}, {1, kNoRow, 4}});
  expect_group(2, {{2, kNoRow, kNoRow}});
}

// Read once for all only if all have the same row of the same inputs at every step.
TEST_F(PackStepsTest, RowsAreSharedIfAllHaveTheSame) {
  const auto shared = [](const std::vector<Rows::Lane>& lanes, bool same_inputs) {
    const Rows of(lanes, same_inputs);
    const bool out = of.group(0).rows_are_shared;
    for (std::size_t g = 0; g < of.groups(); ++g) EXPECT_EQ(of.group(g).rows_are_shared, out);
    return out;
  };
  const std::vector<float> ones = powers_of(5, 1), tens = powers_of(5, 10);
  EXPECT_TRUE(shared({{first, ones}, {first, tens}}, true)) << "powers may differ";
  EXPECT_TRUE(shared({{first, ones}}, true));
  EXPECT_FALSE(shared({{first, ones}, {first, ones}}, false));
  const Groups last_differs{{4, 0, 3, 1, 0}, 2, TrainerOptions::Shuffle::none, 1};
  EXPECT_FALSE(shared({{first, ones}, {last_differs, ones}}, true));
  const Groups shorter{{4, 0, 3, 1}, 2, TrainerOptions::Shuffle::none, 1};
  EXPECT_FALSE(shared({{first, ones}, {shorter, ones}}, true));
  EXPECT_FALSE(shared({{shorter, ones}, {first, ones}}, true));
  EXPECT_FALSE(rows.group(0).rows_are_shared);
}

// Five rows with an input each, row r with input r, and a sixth row with none.
TEST_F(PackStepsTest, MessagesAreAboutTheInputsOfAllNetworks) {
  StoredInputs<float> inputs;
  for (std::size_t row = 0; row < 8; ++row) {
    if (row != 5) inputs.add(row, 1, 0);
    inputs.end_row();
  }
  PackData<float> data;
  for (std::size_t lane = 0; lane < 3; ++lane) data.examples[lane].inputs = inputs.view();
  const auto lists = [&](const Rows& of, bool bias) {
    std::vector<std::vector<std::uint32_t>> out;
    const InputLists found = of.input_lists(data, {8, 3, bias});
    for (std::size_t g = 0; g < found.groups(); ++g)
      out.emplace_back(found[g].begin(), found[g].end());
    return out;
  };
  using Lists = std::vector<std::vector<std::uint32_t>>;
  EXPECT_EQ(lists(rows, true), (Lists{{0, 2, 4, 7, 8}, {1, 3, 4, 6, 8}, {2, 8}}));
  EXPECT_EQ(lists(rows, false), (Lists{{0, 2, 4, 7}, {1, 3, 4, 6}, {2}}));
  const Rows shared({{first, powers_of(5, 1)}, {first, powers_of(5, 1)}}, true);
  EXPECT_EQ(lists(shared, true), (Lists{{0, 4, 8}, {1, 3, 8}, {2, 8}}));
}

// Two rows with one input of nine each, 2 numbers of 4 bytes for 16 networks: of 3 units, 8 inputs and bias, then 4 weights.
TEST(BytesOfPacks, OnlyWhatAllTouchCounts) {
  NetworkOptions options = NetworkOptions::dense(8, {3}, 1);
  Network network(options);
  const std::vector<double> values{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};
  const TrainingRows rows({values}, 8, Precision::float32), others({values}, 8, Precision::float32);
  const std::vector<double> y{1, 2};
  const std::vector<std::uint32_t> some{1};
  const TrainingJob job{network, {rows, y}, {}};
  constexpr double kWeight = 2 * 16 * 4;
  EXPECT_EQ(bytes_of_pack<float>(job, true).of_group(1), kWeight * (3 * 2 + 4));
  EXPECT_EQ(bytes_of_pack<float>(job, false).of_group(1), kWeight * (3 * 9 + 4));
  EXPECT_TRUE(learn_the_same(job, job));
  EXPECT_FALSE(learn_the_same(job, {network, {others, y}, {}}));
  EXPECT_FALSE(learn_the_same(job, {network, {rows, y, {}, some}, {}}));
  EXPECT_FALSE(learn_the_same(job, {network, {rows, y}, {}, 2}));
}

}  // namespace
}  // namespace postrider::network

#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "data/arrow_arrays.h"

namespace postrider {
namespace {

MadeBatch batch_of(std::int64_t first, std::size_t rows, std::size_t columns) {
  MadeBatch out;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<std::int64_t> values;
    for (std::size_t row = 0; row < rows; ++row)
      values.push_back(1000 * (first + static_cast<std::int64_t>(row)) +
                       static_cast<std::int64_t>(c));
    out.columns.push_back(made_numbers(std::string("c").append(std::to_string(c)), "l", values));
  }
  return out;
}

TEST(ArrowBlocks, ColumnsBecomeRowsAcrossBatchesAndPieces) {
  // More rows than a piece has, and batches that end in the middle of blocks.
  ArrowArrayStream stream =
      MadeStream({batch_of(0, 700, 11), batch_of(700, 1, 11), batch_of(701, 299, 11)}).stream();
  ArrowBlockReader reader(stream, {.inputs = {"c3", "c0", "c10"}, .target = "c7", .rows = 400});
  EXPECT_EQ(reader.inputs(), (std::vector<std::string>{"c3", "c0", "c10"}));
  EXPECT_TRUE(reader.target_is_whole());
  EXPECT_FALSE(reader.target_is_text());
  std::vector<std::size_t> sizes;
  double row = 0;
  for (ArrowBlockReader::Block block; reader.next(block);) {
    sizes.push_back(block.rows);
    ASSERT_EQ(block.inputs.size(), 3 * block.rows);
    ASSERT_EQ(block.targets.size(), block.rows);
    for (std::size_t r = 0; r < block.rows; ++r, ++row) {
      EXPECT_EQ(block.inputs[3 * r], 1000 * row + 3);
      EXPECT_EQ(block.inputs[3 * r + 1], 1000 * row);
      EXPECT_EQ(block.inputs[3 * r + 2], 1000 * row + 10);
      EXPECT_EQ(block.targets[r], 1000 * row + 7);
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{400, 400, 200}));
}

TEST(ArrowBlocks, TextsOfTheTargetAreNumberedAsTheyCome) {
  const auto batch = [](const std::vector<std::string>& labels) {
    return MadeBatch{{made_booleans("x", {true, false}), made_texts("y", labels, {true, true})}};
  };
  ArrowArrayStream stream = MadeStream({batch({"no", "yes"}), batch({"yes", "maybe"})}).stream();
  ArrowBlockReader reader(stream, {.target = "y", .rows = 3});
  EXPECT_TRUE(reader.target_is_text());
  ArrowBlockReader::Block block;
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.inputs, (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(block.labels, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(reader.classes(), (std::vector<std::string>{"no", "yes"}));
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.labels, (std::vector<std::uint32_t>{2}));
  EXPECT_FALSE(reader.next(block));
  EXPECT_EQ(block.rows, 0u);
}

TEST(ArrowBlocks, MistakesAreNamed) {
  const auto said = [](const ArrowBlockReader::Options& options) {
    return complaint([&] {
      ArrowArrayStream stream =
          MadeStream({{{made_numbers<double>("x", "g", {1}), made_texts("k", {"a"})}}}).stream();
      ArrowBlockReader reader(stream, options);
    });
  };
  EXPECT_EQ(said({.target = "z"}), "target = \"z\": must be one of the columns: \"x\", \"k\"");
  EXPECT_EQ(said({.inputs = {"z"}}), "inputs = \"z\": must be one of the columns: \"x\", \"k\"");
  EXPECT_EQ(said({.inputs = {"x"}, .target = "x"}), "inputs = \"x\": is the target");
  EXPECT_EQ(said({.rows = 0}), "rows = 0: must be at least 1");
  EXPECT_EQ(complaint([] {
              ArrowArrayStream stream = MadeStream({{{made_numbers<std::int32_t>("t", "tdD", {1}),
                                                      made_numbers<double>("x", "g", {1})}}})
                                            .stream();
              ArrowBlockReader reader(stream, {.target = "t"});
            }),
            "column \"t\" is a date: a target must be numbers or classes");
  EXPECT_EQ(said({.target = "x"}).find("column \"k\" is a text: an input must be a number or a"),
            0u);
}

}  // namespace
}  // namespace postrider

#include "sparse/vw_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/byte_source.h"
#include "postrider/error.h"

namespace postrider::internal::hashed {
namespace {

sparse::FeatureRows read(const std::string& text) {
  sparse::FeatureRows out;
  VwReader reader(TextWindow(memory_bytes(text, "rows.vw", 7), "rows.vw", 1000));
  while (reader.read(out)) {
  }
  return out;
}

// What is said of a text that is damaged.
std::string damage(const std::function<void()>& reading) {
  try {
    reading();
  } catch (const CorruptFile& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(VwText, ReadsLabelsWeightsTagsAndFields) {
  const sparse::FeatureRows rows = read(
      "1 2.5 'first|user ann age:0.5 |item:2 book:1.5 pen\n"
      "\n"
      "-1 second| 17 a:b:3\r\n"
      "| x\n"
      "0.25 1 0 |f:0.5 y");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.ends, (std::vector<std::size_t>{4, 6, 7, 8}));
  EXPECT_EQ(rows.keys, (std::vector<std::uint64_t>{
                           sparse::feature_key("user", "ann"), sparse::feature_key("user", "age"),
                           sparse::feature_key("item", "book"), sparse::feature_key("item", "pen"),
                           sparse::feature_key(17), sparse::feature_key("", "a:b"),
                           sparse::feature_key("", "x"), sparse::feature_key("f", "y")}));
  EXPECT_EQ(rows.values, (std::vector<float>{1, 0.5, 3, 2, 1, 3, 1, 0.5}));
  EXPECT_EQ(rows.fields[1], sparse::field_number("user"));
  EXPECT_EQ(rows.fields[2], sparse::field_number("item"));
  EXPECT_EQ(rows.fields[4], 0U);
  EXPECT_EQ(rows.targets[0], 1);
  EXPECT_EQ(rows.targets[1], -1);
  EXPECT_TRUE(std::isnan(rows.targets[2]));
  EXPECT_EQ(rows.targets[3], 0.25);
  EXPECT_EQ(rows.weights, (std::vector<double>{2.5, 1, 1, 1}));
}

TEST(VwText, NamesTheLineThatIsDamaged) {
  EXPECT_EQ(damage([] { read("1 | a\n1 a b\n"); }),
            "rows.vw, line 2: has no |, behind which the inputs stand");
  EXPECT_EQ(damage([] { read("1 | a:x\n"); }),
            "rows.vw, line 1: the value of \"a:x\" must be a finite number");
  EXPECT_EQ(damage([] { read("yes 1 | a\n"); }),
            "rows.vw, line 1: \"yes\" is not a label, a weight, a base or a tag before the |");
  EXPECT_EQ(damage([] { read("1 1 0.5 | a\n"); }),
            "rows.vw, line 1: a base other than 0 cannot be used");
  EXPECT_EQ(damage([] { read("1 -1 | a\n"); }), "rows.vw, line 1: the weight must be at least 0");
  EXPECT_EQ(damage([] { read("1 |f:x a\n"); }),
            "rows.vw, line 1: the value of \"f:x\" must be a finite number");
}

TEST(VwText, IsToldByItsFirstLine) {
  EXPECT_TRUE(looks_like_vw("\n 1 |a b\n"));
  EXPECT_FALSE(looks_like_vw("1 3:1\n1 | a\n"));
  EXPECT_FALSE(looks_like_vw(""));
}

}  // namespace
}  // namespace postrider::internal::hashed

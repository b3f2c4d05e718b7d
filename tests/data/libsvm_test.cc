#include "data/libsvm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kMostIndex = 1000, kMostBytes = 1 << 20;

LibsvmText parse(const std::string& text, std::size_t piece = SIZE_MAX) {
  LibsvmReader reader(memory_bytes(text, "t.svm", piece), "t.svm", kMostIndex, kMostBytes);
  LibsvmText out;
  while (reader.read(out)) {
  }
  return out;
}
std::string trouble_of(const std::string& text) {
  return trouble([&] { parse(text); });
}

TEST(Libsvm, LabelsPairsAndComments) {
  const std::string text = "# a comment\n+1 1:0.5 3:-2e1 # behind\r\n\n-1\tqid:7  2:?\n  3:4\n0.5";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const LibsvmText found = parse(text, piece);
    ASSERT_EQ(found.rows(), 4u);
    EXPECT_EQ(found.labels[0], "+1");
    EXPECT_EQ(found.labels[1], "-1");
    EXPECT_EQ(found.labels[2], "");
    EXPECT_EQ(found.labels[3], "0.5");
    EXPECT_EQ(found.indices, (std::vector<std::uint32_t>{1, 3, 2, 3}));
    EXPECT_EQ(found.values[0], 0.5);
    EXPECT_EQ(found.values[1], -20);
    EXPECT_TRUE(std::isnan(found.values[2]));
    EXPECT_EQ(found.values[3], 4);
    EXPECT_EQ(found.ends, (std::vector<std::size_t>{2, 3, 4, 4}));
    EXPECT_EQ(found.lines, (std::vector<std::size_t>{2, 4, 5, 6}));
  }
}

TEST(Libsvm, MistakesNameTheLine) {
  EXPECT_EQ(trouble_of("1 1:2\n1 x\n"), "t.svm, line 2: \"x\" must be a pair index:value");
  for (const char* const index : {"0", "-1", "1.5", "x", "", "99999999999"})
    EXPECT_EQ(trouble_of("1 " + std::string(index) + ":2\n"),
              "t.svm, line 1: the index of \"" + std::string(index) +
                  ":2\" must be a whole number from 1");
  EXPECT_EQ(
      trouble_of("1 1001:2\n"),
      "t.svm, line 1: the index of \"1001:2\" must be at most 1000, the most columns that are "
      "read");
  for (const char* const pair : {"3:1", "2:1"})
    EXPECT_EQ(trouble_of("1 3:0 " + std::string(pair)),
              "t.svm, line 1: the index of \"" + std::string(pair) +
                  "\" must be above the one before it, 3");
  for (const char* const value : {"x", "inf", "1e999", "1:2"})
    EXPECT_EQ(
        trouble_of("1 1:" + std::string(value)),
        "t.svm, line 1: the value of \"1:" + std::string(value) + "\" must be a finite number");
  EXPECT_EQ(
      trouble_of("1 1:2\n" + std::string(8 * kMostBytes, ' ')).find("t.svm, line 2: is longer"),
      0u);
}

TEST(Libsvm, WhatWasWrittenIsReadBack) {
  RandomStream random(6, 0);
  constexpr std::size_t kRows = 300;
  std::string text;
  LibsvmText expected;
  for (std::size_t row = 0; row < kRows; ++row) {
    text += std::to_string(row);
    for (std::uint32_t index = 1; index <= 20; ++index) {
      if (random.below(3) > 0) continue;
      expected.indices.push_back(index);
      expected.values.push_back(static_cast<double>(random.below(1000)) / 8);
      text += ' ' + std::to_string(index) + ':' + std::to_string(expected.values.back());
    }
    text += '\n';
    expected.ends.push_back(expected.indices.size());
  }
  for (const std::size_t piece : {1, 13, 100'000}) {
    const LibsvmText found = parse(text, piece);
    EXPECT_EQ(found.indices, expected.indices);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(found.ends, expected.ends);
  }
}

TEST(Libsvm, IsToldFromCsv) {
  for (const char* const text : {"1 1:2", "-1 3:0.5 4:1\n", "# c\n\n+1 qid:3 1:2", "1:2 3:4"})
    EXPECT_TRUE(looks_like_libsvm(text)) << text;
  for (const char* const text :
       {"", "a,b\n1,2", "1,2\n", "time\n12:30", "a 1:2", "1 2 3", "\n", "1"})
    EXPECT_FALSE(looks_like_libsvm(text)) << text;
}

}  // namespace
}  // namespace postrider

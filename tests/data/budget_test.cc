#include "postrider/budget.h"

#include <gtest/gtest.h>

#include "complaint.h"

namespace postrider {
namespace {

constexpr std::size_t kMebi = 1024 * 1024;

TEST(Budget, TimesHaveUnits) {
  EXPECT_EQ(seconds_of("t", "90"), 90);
  EXPECT_EQ(seconds_of("t", "90s"), 90);
  EXPECT_EQ(seconds_of("t", "1.5 H"), 5400);
  EXPECT_EQ(seconds_of("t", "10m"), 600);
  EXPECT_EQ(seconds_of("t", "2d"), 172800);
  for (const char* text : {"", "soon", "-5m", "0", "5y", "nan"})
    EXPECT_EQ(
        complaint([&] { seconds_of("--time", text); }),
        "--time = \"" + std::string(text) + "\": must be a time above 0, such as 90s, 10m or 1.5h");
}

TEST(Budget, SizesHaveUnits) {
  EXPECT_EQ(bytes_of("m", "123"), 123U);
  EXPECT_EQ(bytes_of("m", "2k"), 2048U);
  EXPECT_EQ(bytes_of("m", "512M"), 512 * kMebi);
  EXPECT_EQ(bytes_of("m", "1.5GiB"), 1536 * kMebi);
  EXPECT_EQ(bytes_of("m", "1T"), kMebi * kMebi);
  for (const char* text : {"", "much", "0.1", "1e30", "-1G"})
    EXPECT_EQ(complaint([&] { bytes_of("--memory", text); }),
              "--memory = \"" + std::string(text) +
                  "\": must be a size of at least 1 byte, such as 512M or 2G");
}

TEST(Budget, CellsAreCountedAsTheyAreHeld) {
  const Schema schema{{{.name = "x"},
                       {.name = "c", .kind = ColumnSchema::Kind::categorical, .categories = {"a"}},
                       {.name = "i", .kind = ColumnSchema::Kind::ignored}}};
  EXPECT_EQ(cell_bytes(Table(schema, {{.numbers = {1, 2, 3}}, {.codes = {0, 0, 0}}, {}})),
            3 * 8U + 3 * 4U);
}

TEST(Budget, WhatTheDataLeaveIsForMessages) {
  EXPECT_EQ(store_bytes("m", "1G", 0, ""), (1024 - 64) * kMebi);
  EXPECT_EQ(store_bytes("m", "1G", 100 * kMebi, ""), (1024 - 64 - 3 * 100) * kMebi);
  EXPECT_EQ(store_bytes("m", "72M", 0, ""), 8 * kMebi);
  EXPECT_EQ(complaint([] { store_bytes("m", "71M", 0, "ask for less"); }),
            "m = \"71M\": must be at least 72M for a table of this size; ask for less");
}

}  // namespace
}  // namespace postrider

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "complaint.h"
#include "postrider/table.h"

namespace postrider {
namespace {

std::vector<double> read(const std::vector<std::string>& cells) { return times_of("when", cells); }

TEST(Times, NumbersAreTheirOwn) {
  EXPECT_EQ(read({"3", "1.5", "20"}), (std::vector<double>{3, 1.5, 20}));
}

TEST(Times, DatesAreSecondsSince1970) {
  EXPECT_EQ(read({"1970-01-02", "1970-01-01 00:00:30"}), (std::vector<double>{86400, 30}));
  // 13 tells that days are first.
  EXPECT_EQ(read({"13/01/1970", "02/01/1970"}), (std::vector<double>{12 * 86400, 86400}));
}

TEST(Times, WhatIsNeitherIsNamed) {
  for (const auto& [cells, part] :
       {std::pair{std::vector<std::string>{"2020-01-01", "soon"}, "must hold dates or numbers"},
        std::pair{std::vector<std::string>{"1", ""}, "missing in row 2"},
        std::pair{std::vector<std::string>{"a", "b"}, "must hold dates or numbers"}}) {
    const std::string said = complaint([&, &texts = cells] { read(texts); });
    EXPECT_NE(said.find("time = \"when\""), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace postrider

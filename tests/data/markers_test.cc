#include <gtest/gtest.h>

#include "data/cell_columns.h"

namespace postrider {
using namespace internal;
namespace {

TEST(Markers, WordsInAnyCaseAndNumbersByTheirValue) {
  const std::vector<std::string> words{"unknown", " -999 ", "k.A."};
  const Markers markers(words);
  EXPECT_TRUE(markers.has_text("Unknown"));
  EXPECT_TRUE(markers.has_text("-999"));
  EXPECT_TRUE(markers.has_text("K.A."));
  EXPECT_FALSE(markers.has_text("unknow"));
  EXPECT_FALSE(markers.has_text(""));
  EXPECT_TRUE(markers.has_number(-999));
  EXPECT_FALSE(markers.has_number(999));
  EXPECT_TRUE(markers.has_numbers());
}

TEST(Markers, MoreCanBeAdded) {
  Markers markers;
  EXPECT_FALSE(markers.has_text("x"));
  EXPECT_FALSE(markers.has_numbers());
  const std::vector<std::string> words{"x"};
  markers.add(words);
  EXPECT_TRUE(markers.has_text("X"));
  EXPECT_FALSE(markers.has_numbers());
}

}  // namespace
}  // namespace postrider

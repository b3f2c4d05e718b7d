#include "factor/parameters.h"

#include <gtest/gtest.h>

#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;
namespace {

TEST(Parameters, GivenOrOtherwise) {
  ParameterReader reader("f", {{"slope", {0.5}}, {"weights", {1, 2}}});
  EXPECT_EQ(reader.number("slope", 0.1), 0.5);
  EXPECT_EQ(reader.number("scale", 3), 3);
  EXPECT_EQ(reader.numbers("weights", {}), (std::vector<double>{1, 2}));
  EXPECT_EQ(reader.numbers("others", {7}), std::vector<double>{7});
  EXPECT_EQ(reader.field("slope"), "f.slope");
  EXPECT_NO_THROW(reader.finish());
}

TEST(Parameters, OneNumberIsNotSeveral) {
  for (const std::vector<double>& values : {std::vector<double>{}, std::vector<double>{1, 2}}) {
    ParameterReader reader("f", {{"slope", values}});
    EXPECT_THROW(reader.number("slope", 0.1), InvalidArgument);
  }
}

TEST(Parameters, UnknownOneListsThoseThatExist) {
  try {
    make_factor("probit", {{"slope", {1}}});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "probit: no parameter 'slope'; there are: sign, scale");
  }
  try {
    make_factor("product", {{"slope", {1}}});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "product: no parameter 'slope'; this factor takes none");
  }
}

}  // namespace
}  // namespace postrider::graph

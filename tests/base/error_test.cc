#include "postrider/error.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace postrider {
namespace {

template <typename Value>
std::string message_for(const Value& value) {
  try {
    reject("field", value, "must be better");
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(Reject, NamesFieldValueAndConstraint) {
  try {
    reject("slope", -0.5, "must be at least 0");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "slope = -0.5: must be at least 0");
  }
}

TEST(Reject, PrintsDoublesSoThatTheyReadBack) {
  const double tenth_above = std::stod("0.1000000000000000055") + 0x1p-56;
  const std::string message = message_for(tenth_above);
  EXPECT_EQ(std::stod(message.substr(std::string("field = ").size())), tenth_above);
  EXPECT_EQ(message_for(0.1), "field = 0.1: must be better");
  EXPECT_EQ(message_for(std::numeric_limits<double>::quiet_NaN()), "field = nan: must be better");
  EXPECT_EQ(message_for(-std::numeric_limits<double>::infinity()), "field = -inf: must be better");
}

TEST(Reject, PrintsIntegersInFull) {
  EXPECT_EQ(message_for(0), "field = 0: must be better");
  EXPECT_EQ(message_for(-7L), "field = -7: must be better");
  EXPECT_EQ(message_for(std::numeric_limits<std::uint64_t>::max()),
            "field = 18446744073709551615: must be better");
}

TEST(Reject, QuotesText) {
  EXPECT_EQ(message_for(std::string("rleu ")), "field = \"rleu \": must be better");
  EXPECT_EQ(message_for(""), "field = \"\": must be better");
}

}  // namespace
}  // namespace postrider

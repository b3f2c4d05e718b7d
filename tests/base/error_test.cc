#include "postrider/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

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

TEST(Reject, FieldAndValueAreDataWhateverTheSentenceSays) {
  try {
    reject("ignored", std::string_view("id"), "must be = reworded: at will");
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), "ignored");
    EXPECT_EQ(error.value(), "\"id\"");
    EXPECT_EQ(error.accepted(), "must be = reworded: at will");
    const InvalidArgument other = error.about("--ignore");
    EXPECT_STREQ(other.what(), "--ignore = \"id\": must be = reworded: at will");
    EXPECT_EQ(other.field(), "--ignore");
  }
  EXPECT_EQ(InvalidArgument("ignored = \"id\": a sentence of its own").field(), "");
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

TEST(FileErrors, KeepPathAndReason) {
  const FileError error("cannot open a.csv: No such file or directory", "a.csv", ENOENT);
  EXPECT_STREQ(error.what(), "cannot open a.csv: No such file or directory");
  EXPECT_EQ(error.path(), "a.csv");
  EXPECT_EQ(error.code(), ENOENT);
  EXPECT_EQ(FileError("full", "b").code(), 0);
}

// Callers tell them apart by type: none may be caught as another.
TEST(Errors, AreOneFamilyOfSeparateKinds) {
  static_assert(std::is_base_of_v<Error, FileError> && std::is_base_of_v<Error, CorruptFile> &&
                std::is_base_of_v<Error, NotFitted> && std::is_base_of_v<Error, Interrupted>);
  static_assert(!std::is_base_of_v<InvalidArgument, CorruptFile> &&
                !std::is_base_of_v<FileError, CorruptFile>);
  try {
    throw CorruptFile("its header is damaged");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "its header is damaged");
  }
}

}  // namespace
}  // namespace postrider

#include "data/safetensors_header.h"

#include <gtest/gtest.h>

namespace postrider {
using namespace internal;
namespace {

std::string trouble_with(const std::string& text, std::uint64_t bytes) {
  try {
    read_header(text, bytes);
  } catch (const MalformedHeader& malformed) {
    return malformed.reason;
  }
  return "no trouble";
}

TEST(SafetensorsHeader, IsReadAsItIsWritten) {
  const std::string text = write_header(
      {{"k", "v\n"}},
      {{"b", {ElementType::float64, {2, 1}, 0, 16}}, {"a", {ElementType::uint32, {}, 16, 20}}});
  EXPECT_EQ(text.size() % 8, 0U);
  const SafetensorsHeader header = read_header(text, 20);
  EXPECT_EQ(header.metadata.at("k"), "v\n");
  EXPECT_EQ(header.entries.at("b").shape, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(header.entries.at("b").type, ElementType::float64);
  EXPECT_EQ(header.entries.at("a").begin, 16U);
  EXPECT_EQ(header.entries.at("a").end, 20U);
  EXPECT_EQ(trouble_with(text, 21), "it has bytes after its arrays that belong to none");
}

TEST(SafetensorsHeader, WritesNothingThatIsNotUtf8) {
  EXPECT_EQ(read_header(write_header({{"k", "a\xff"}}, {}), 0).metadata.at("k"), "a\xef\xbf\xbd");
}

TEST(SafetensorsHeader, AnArrayOfAnotherTypeHasAPlace) {
  const std::string half = R"({"h":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})";
  EXPECT_EQ(read_header(half, 2).entries.at("h").type, ElementType::other);
  EXPECT_NE(trouble_with(half, 3), "no trouble");
}

TEST(SafetensorsHeader, BeginsWithABrace) {
  EXPECT_EQ(trouble_with(" {}", 0), "its header is not a JSON object");
  EXPECT_EQ(trouble_with("{} ", 0), "no trouble");
  EXPECT_EQ(trouble_with("\"{}\"", 0), "its header is not a JSON object");
}

}  // namespace
}  // namespace postrider

#include <gtest/gtest.h>

#include <string_view>

#include "data/safetensors.h"

namespace postrider {
using namespace internal;
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The check values that the catalogue of CRCs gives for CRC-32.
TEST(Checksum, IsCrc32) {
  EXPECT_EQ(checksum_of(bytes_of("123456789")), 0xcbf43926U);
  EXPECT_EQ(checksum_of(bytes_of("")), 0U);
  EXPECT_EQ(checksum_of(bytes_of("a")), 0xe8b7be43U);
}

TEST(Checksum, GoesOnFromWhatWasBefore) {
  EXPECT_EQ(checksum_of(bytes_of("6789"), checksum_of(bytes_of("12345"))), 0xcbf43926U);
  EXPECT_EQ(checksum_of({}, 0xcbf43926U), 0xcbf43926U);
}

TEST(Checksum, IsReadAsItIsWritten) {
  EXPECT_EQ(checksum_text(0x00c0ffeeU), "00c0ffee");
  EXPECT_EQ(read_checksum("00c0ffee"), 0x00c0ffeeU);
  for (const char* wrong : {"", "c0ffee", "00C0FFEE", "000c0ffee", "00c0ffeg", " 0c0ffee"})
    EXPECT_FALSE(read_checksum(wrong)) << wrong;
}

}  // namespace
}  // namespace postrider

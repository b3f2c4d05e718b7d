// Memory that reads as zero, on every system.
#include "base/zero_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <span>

#include "files.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kBytes = (std::size_t{1} << 20U) + 3;

void expect_zeros_that_can_be_written(const ZeroPages& pages) {
  const std::span bytes(static_cast<unsigned char*>(pages.address()), kBytes);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0; }));
  bytes.front() = 7;
  bytes.back() = 9;
  EXPECT_EQ(bytes.front() + bytes.back(), 16);
}

TEST(ZeroPages, OfTheSystem) { expect_zeros_that_can_be_written(ZeroPages(kBytes)); }

TEST(ZeroPages, OfAFileThatIsGoneAfterwards) {
  const TemporaryFolder folder;
  expect_zeros_that_can_be_written(ZeroPages(kBytes, folder.file("pages"), "make"));
  EXPECT_EQ(folder.files(), 0U);
}

TEST(ZeroPages, NoFileThatIsThereIsTaken) {
  const TemporaryFolder folder;
  const std::string path = folder.file("mine");
  write_bytes(path, "kept");
  EXPECT_EQ(trouble([&] { ZeroPages(kBytes, path, "make the store"); }),
            "cannot make the store " + path + ": something of this name is there already");
  EXPECT_EQ(bytes_of(path), "kept");
  EXPECT_NE(trouble([&] { ZeroPages(kBytes, folder.file("none/at/all"), "make"); }), "no trouble");
}

TEST(ZeroPages, MoreThanThereIs) { EXPECT_THROW(ZeroPages(std::size_t{1} << 62U), std::bad_alloc); }

}  // namespace
}  // namespace postrider

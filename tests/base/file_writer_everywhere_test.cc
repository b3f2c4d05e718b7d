// What postrider/file.h promises on every system: nothing here asks for more than the standard library has.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/descriptor.h"
#include "base/system_files.h"
#include "files.h"
#include "postrider/file.h"

namespace postrider {
using namespace internal;
namespace {

class FileEverywhere : public testing::Test {
 protected:
  TemporaryFolder folder;
  const std::string path = folder.file("target \u00e4\u00df");  // names are UTF-8
};

TEST_F(FileEverywhere, AppearsOnceItIsWhole) {
  write_file(path, "before");
  {
    FileWriter writer(path);
    writer.stream() << "after\n" << std::string(100'000, 'x');
    EXPECT_EQ(folder.files(), 2U);
    EXPECT_EQ(file_kind(Descriptor(open_to_read(path)).get())->size, 6U);  // as it was
    writer.finish();
  }
  EXPECT_EQ(folder.files(), 1U);
  const Descriptor file(open_to_read(path));
  ASSERT_TRUE(file);
  EXPECT_EQ(file_kind(file.get())->size, 100'006U);  // a line's end is one byte
  std::vector<char> bytes(200'000);
  std::size_t read = 0;
  while (const std::ptrdiff_t got = read_some(file.get(), std::span(bytes).subspan(read)))
    read += static_cast<std::size_t>(got);
  EXPECT_EQ(read, 100'006U);
  EXPECT_EQ(std::string(bytes.data(), 7), "after\nx");
}

TEST_F(FileEverywhere, WhatIsNotFinishedIsRemoved) {
  { FileWriter(path).stream() << "half"; }
  EXPECT_EQ(folder.files(), 0U);
}

TEST_F(FileEverywhere, FoldersAreRefused) {
  std::filesystem::create_directory(folder.file("inside"));
  EXPECT_NE(trouble([&] { FileWriter(folder.file("inside")); }).find("it is a folder"),
            std::string::npos);
  EXPECT_NE(
      trouble([&] { FileWriter(folder.file("none/target")); }).find("its folder does not exist"),
      std::string::npos);
  EXPECT_NE(trouble([&] { FileWriter::Version(folder.file("none")); }), "no trouble");
  EXPECT_EQ(folder.files(), 1U);
}

TEST_F(FileEverywhere, AVersionIsReplacedIfItIsStillThere) {
  write_file(path, "first");
  const FileWriter::Version first(path);
  EXPECT_TRUE(first.is_current());
  {
    FileWriter writer(first);
    writer.stream() << "second";
    writer.finish();
  }
  EXPECT_FALSE(first.is_current());
  FileWriter late(first);
  late.stream() << "third";
  EXPECT_NE(trouble([&] { late.finish(); }).find("another program has written it"),
            std::string::npos);
  const Descriptor file(open_to_read(path));
  std::vector<char> bytes(100);
  ASSERT_EQ(read_some(file.get(), bytes), 6);
  EXPECT_EQ(std::string(bytes.data(), 6), "second");
}

TEST_F(FileEverywhere, TheSameFileUnderOtherNames) {
  write_file(path, "");
  const std::string other = folder.file("other");
  write_file(other, "");
  EXPECT_TRUE(is_same_file(path, folder.file("./target \u00e4\u00df")));
  EXPECT_FALSE(is_same_file(path, other));
  EXPECT_FALSE(is_same_file(path, folder.file("none")));
}

TEST(SystemFiles, FailuresSayWhy) {
  const TemporaryFolder folder;
  EXPECT_LT(open_to_read(folder.file("none")), 0);
  EXPECT_EQ(errno, ENOENT);
  std::vector<char> bytes(1);
  EXPECT_LT(read_some(-1, bytes), 0);
  EXPECT_EQ(errno, EBADF);
  EXPECT_GT(process_number(), 0);
}

}  // namespace
}  // namespace postrider

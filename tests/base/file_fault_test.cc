#include "base/file_fault.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

TEST(FileFault, SaysWhatAUserCanAct) {
  EXPECT_EQ(fault_reason(ENOSPC), "the disk is full");
  EXPECT_EQ(fault_reason(EDQUOT), "the disk quota is used up");
  EXPECT_EQ(fault_reason(ENOENT), "No such file or directory");
}

TEST(FileFault, NamesPathAndReason) {
  try {
    fail_file("write", "a/b", ENOSPC);
    FAIL() << "must throw";
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "cannot write a/b: the disk is full");
    EXPECT_EQ(error.path(), "a/b");
    EXPECT_EQ(error.code(), ENOSPC);
  }
}

}  // namespace
}  // namespace postrider

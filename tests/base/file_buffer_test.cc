#include "base/file_buffer.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <ostream>
#include <string>

#include "base/descriptor.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

TEST(FileBuffer, WritesPiecesOfAnySizeInOrder) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  std::string expected;
  {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file);
    FileBuffer buffer(file.get(), [](int) { FAIL(); });
    std::ostream stream(&buffer);
    // Below, at and above what the buffer holds, and single characters at its end.
    for (const std::size_t size : {1U, 1000U, 65535U, 65536U, 65537U, 300000U, 3U}) {
      const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
      stream << piece << 'x';
      expected += piece + 'x';
    }
    for (int byte = 0; byte < 70000; ++byte) {
      stream.put(static_cast<char>('0' + byte % 10));
      expected += static_cast<char>('0' + byte % 10);
    }
    stream.flush();
  }
  EXPECT_EQ(bytes_of(path), expected);
}

TEST(FileBuffer, ToldOfAFullDevice) {
  const Descriptor file(open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (!file) GTEST_SKIP() << "no device that is always full";
  struct Full {
    int code;
  };
  FileBuffer buffer(file.get(), [](int code) { throw Full{code}; });
  std::ostream stream(&buffer);
  stream.exceptions(std::ios::badbit);
  stream << "a few bytes wait in memory";
  try {
    stream.flush();
    FAIL() << "must throw";
  } catch (const Full& full) {
    EXPECT_EQ(full.code, ENOSPC);
  }
  stream.clear();
  EXPECT_NO_THROW(stream.flush()) << "what failed is not tried again";
}

}  // namespace
}  // namespace postrider

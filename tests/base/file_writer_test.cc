// The writer of postrider/file.h on POSIX systems: permissions, links, locks, signals. What holds on every system has a file of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "files.h"
#include "postrider/file.h"

namespace postrider {
using namespace internal;
namespace {

class FileWriterTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  const std::string path = folder.file("target");

  int code_of(const std::function<void()>& attempt) {
    try {
      attempt();
    } catch (const FileError& error) {
      return error.code();
    }
    return -1;
  }
};

mode_t permissions(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

TEST_F(FileWriterTest, TwoWritersDoNotShareAFile) {
  FileWriter first(path), second(path);
  first.stream() << std::string(200000, 'a');
  second.stream() << std::string(100000, 'b');
  first.finish();
  EXPECT_EQ(bytes_of(path), std::string(200000, 'a'));
  second.finish();
  EXPECT_EQ(bytes_of(path), std::string(100000, 'b'));
}

// What a writer leaves that is killed has no name that anybody asked for.
TEST_F(FileWriterTest, RemovesWhatKilledWritersLeft) {
  const std::string old = folder.file(".postrider-00112233445566aa.part");
  const std::string fresh = folder.file(".postrider-00112233445566bb.part");
  const std::string held = folder.file(".postrider-00112233445566cc.part");
  const std::string other = folder.file("postrider-00112233445566dd.part");
  for (const std::string& each : {old, fresh, held, other}) write_bytes(each, "half");
  const std::array<timespec, 2> hours_ago{timespec{1'000'000, 0}, timespec{1'000'000, 0}};
  for (const std::string& each : {old, held, other})
    ASSERT_EQ(utimensat(AT_FDCWD, each.c_str(), hours_ago.data(), 0), 0);
  const Descriptor lock(open(held.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  write_file(path, "whole");
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh)) << "somebody may be writing it, on another machine";
  EXPECT_TRUE(std::filesystem::exists(held)) << "somebody writes it";
  EXPECT_TRUE(std::filesystem::exists(other)) << "it is of another name";
  EXPECT_EQ(bytes_of(path), "whole");
}

TEST_F(FileWriterTest, IsNotRemovedWhileItIsWritten) {
  FileWriter slow(path);
  slow.stream() << "slow" << std::flush;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("")))
    std::filesystem::last_write_time(
        entry.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(5));
  write_file(folder.file("other"), "quick");
  slow.finish();
  EXPECT_EQ(bytes_of(path), "slow");
}

TEST_F(FileWriterTest, KeepsPermissions) {
  write_bytes(path, "before");
  for (const mode_t mode : {0600U, 0640U, 0666U, 0444U}) {
    chmod(path.c_str(), mode);
    write_file(path, "after");
    EXPECT_EQ(permissions(path), mode);
  }
  const mode_t mask = umask(0027);
  write_file(folder.file("new"), "new");
  umask(mask);
  EXPECT_EQ(permissions(folder.file("new")), 0640U);
}

TEST_F(FileWriterTest, RefusesWhatIsNotAPlainFile) {
  std::filesystem::create_directory(folder.file("folder"));
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  write_bytes(path, "secret");
  std::filesystem::create_symlink(path, folder.file("link"));
  std::filesystem::create_symlink(folder.file("nowhere"), folder.file("dangling"));
  for (const auto& [name, why] : {std::pair{"folder", "a folder"},
                                  {"folder/", "a folder"},
                                  {"pipe", "a pipe"},
                                  {"link", "a symbolic link"},
                                  {"dangling", "a symbolic link"}}) {
    const std::string what = trouble([&, name = name] { write_file(folder.file(name), "x"); });
    EXPECT_NE(what.find(folder.file(name)), std::string::npos) << what;
    EXPECT_NE(what.find(why), std::string::npos) << what;
  }
  EXPECT_NE(trouble([&] { write_file("/dev/null", "x"); }).find("a device"), std::string::npos);
  EXPECT_EQ(bytes_of(path), "secret");
  EXPECT_TRUE(std::filesystem::is_fifo(folder.file("pipe")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("nowhere")));
  EXPECT_EQ(folder.files(), 5U);
}

TEST_F(FileWriterTest, ALinkThatComesLaterIsNotFollowed) {
  const std::string victim = folder.file("victim");
  write_bytes(victim, "precious");
  FileWriter writer(path);
  writer.stream() << "x";
  std::filesystem::create_symlink(victim, path);
  EXPECT_NE(trouble([&] { writer.finish(); }).find("symbolic link"), std::string::npos);
  EXPECT_EQ(bytes_of(victim), "precious");
}

TEST_F(FileWriterTest, SaysWhyAFolderCannotBeUsed) {
  EXPECT_NE(trouble([&] { write_file(folder.file("none/x"), ""); }).find("its folder does not"),
            std::string::npos);
  EXPECT_EQ(code_of([&] { write_file(folder.file("none/x"), ""); }), ENOENT);
  write_bytes(path, "a file");
  EXPECT_EQ(code_of([&] { write_file(path + "/x", ""); }), ENOTDIR);
}

// A limit on the size of files stops a write as a full disk does, and needs no disk of its own.
TEST_F(FileWriterTest, AWriteThatFailsLeavesTheFileBefore) {
  write_bytes(path, "before");
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 100000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const int code = code_of([&] { write_file(path, std::string(200000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, EFBIG);
  EXPECT_EQ(bytes_of(path), "before");
  EXPECT_EQ(folder.files(), 1U);
}

TEST_F(FileWriterTest, KilledWhileWritingLeavesTheFileBefore) {
  write_bytes(path, "before");
  const pid_t child = fork();
  if (child == 0) {
    FileWriter writer(path);
    writer.stream() << std::string(1000000, 'x') << std::flush;
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(bytes_of(path), "before");
}

TEST_F(FileWriterTest, ReplacesTheVersionThatWasRead) {
  write_bytes(path, "before");
  const FileWriter::Version version(path);
  EXPECT_TRUE(version.is_current());
  FileWriter writer(version);
  writer.stream() << "after";
  writer.finish();
  EXPECT_EQ(bytes_of(path), "after");
  EXPECT_FALSE(version.is_current());
}

TEST_F(FileWriterTest, RefusesIfAnotherCameBetween) {
  write_bytes(path, "before");
  const FileWriter::Version version(path);
  write_file(path, "beside");  // of the same size
  FileWriter writer(version);
  writer.stream() << "after!";
  EXPECT_NE(trouble([&] { writer.finish(); }).find("another program has written it"),
            std::string::npos);
  EXPECT_EQ(bytes_of(path), "beside");

  const FileWriter::Version written_into(path);
  std::ofstream(path, std::ios::app) << "more";
  FileWriter second(written_into);
  EXPECT_THROW(second.finish(), FileError);
  EXPECT_EQ(bytes_of(path), "besidemore");

  const FileWriter::Version removed(path);
  std::filesystem::remove(path);
  FileWriter third(removed);
  EXPECT_THROW(third.finish(), FileError);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(code_of([&] { FileWriter::Version nothing(path); }), ENOENT);
}

// Each adds one to a number in the file. What is refused is not counted: no addition may be lost.
TEST_F(FileWriterTest, ManyUpdatesInPlaceLoseNothing) {
  write_bytes(path, "0");
  constexpr int kWriters = 8, kTimes = 20;
  std::atomic<int> done{0}, refused{0};
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w)
    writers.emplace_back([&] {
      for (int k = 0; k < kTimes; ++k) {
        const FileWriter::Version version(path);
        const int number = std::stoi(bytes_of(path));
        try {
          FileWriter writer(version);
          writer.stream() << number + 1;
          writer.finish();
          ++done;
        } catch (const FileError&) {
          ++refused;
        }
      }
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(done + refused, kWriters * kTimes);
  EXPECT_GT(done, 0);
  EXPECT_EQ(std::stoi(bytes_of(path)), done);
  EXPECT_EQ(folder.files(), 1U);
}

TEST_F(FileWriterTest, WaitsForALock) {
  write_bytes(path, "before");
  Descriptor held(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
  std::atomic<bool> written{false};
  std::thread writer([&] {
    write_file(path, "after");
    written = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(written);
  held = Descriptor();
  writer.join();
  EXPECT_EQ(bytes_of(path), "after");
}

TEST_F(FileWriterTest, KnowsAFileUnderOtherNames) {
  write_bytes(path, "x");
  write_bytes(folder.file("other"), "x");
  std::filesystem::create_symlink(path, folder.file("link"));
  std::filesystem::create_hard_link(path, folder.file("hard"));
  EXPECT_TRUE(is_same_file(path, folder.file("./target")));
  EXPECT_TRUE(is_same_file(path, folder.file("link")));
  EXPECT_TRUE(is_same_file(path, folder.file("hard")));
  EXPECT_FALSE(is_same_file(path, folder.file("other")));
  EXPECT_FALSE(is_same_file(path, folder.file("none")));
  EXPECT_FALSE(is_same_file(folder.file("none"), folder.file("none")));
}

}  // namespace
}  // namespace postrider

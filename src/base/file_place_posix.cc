#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>

#include "base/descriptor.h"
#include "base/file_fault.h"
#include "base/file_place.h"

namespace postrider {
using namespace internal;
namespace {

constexpr int kNamesTried = 100;
constexpr std::string_view kPartBegin = ".postrider-", kPartEnd = ".part";
// So many entries of a folder are looked at, so that a save does not take long in a large one.
constexpr int kMostListed = 10'000;
// Locks need not reach other machines.
constexpr std::time_t kSecondsUntouched = 60;
constexpr mode_t kPermissions = 0777;
constexpr std::chrono::milliseconds kLongestWait{10000};  // for another writer to finish
constexpr std::chrono::milliseconds kAskAgain{1};

bool is_one_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_unwritten(const struct stat& a, const struct stat& b) {
  return is_one_file(a, b) && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

const char* name_of_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISLNK(mode)) return "it is a symbolic link; name the file that it leads to";
  if (S_ISFIFO(mode)) return "it is a pipe, which would be replaced by a file";
  if (S_ISSOCK(mode)) return "it is a socket, which would be replaced by a file";
  return "it is a device, which would be replaced by a file";
}

std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  // Without randomness the name is merely one that exists already, and another is tried.
  if (getrandom(bytes.data(), bytes.size(), 0) < 0) bytes = {};
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(kPartBegin);
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out + std::string(kPartEnd);
}

}  // namespace

// --- FileWriter::Version -------------------------------------------------------------------------------------

struct FileWriter::Version::Held {
  std::string path;
  Descriptor file;
  struct stat then {};
};

FileWriter::Version::Version(const std::string& path) {
  auto held = std::make_shared<Held>();
  held->path = path;
  held->file = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!held->file || fstat(held->file.get(), &held->then) != 0) fail_file("open", path, errno);
  held_ = std::move(held);
}

const std::string& FileWriter::Version::path() const { return held_->path; }

bool FileWriter::Version::is_current() const {
  struct stat now {};
  return stat(held_->path.c_str(), &now) == 0 && is_unwritten(held_->then, now);
}

namespace internal {

// --- FilePlace ---------------------------------------------------------------------------------------

struct FilePlace::Inside {
  explicit Inside(const std::string& target) : path(target) {
    const std::filesystem::path whole(target);
    name = whole.filename().string();
    const std::string parent = whole.parent_path().string();
    folder = open_folder(parent.empty() ? "." : parent);
    if (name.empty()) fail(EISDIR, "it is a folder");
    const std::optional<struct stat> before = examine();
    make_file(before ? before->st_mode & kPermissions : 0666);
    remove_leftovers();
  }
  ~Inside() {
    if (!beside.empty()) unlinkat(folder.get(), beside.c_str(), 0);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  [[noreturn]] void fail(int code) const { fail_file("write", path, code); }
  [[noreturn]] void fail(int code, const std::string& reason) const {
    fail_file("write", path, code, reason);
  }

  Descriptor open_folder(const std::string& of) const {
    Descriptor out(open(of.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A folder that may be written to and not listed.
    if (!out && errno == EACCES)
      out = Descriptor(open(of.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!out && (errno == ENOENT || errno == ENOTDIR)) fail(errno, "its folder does not exist");
    if (!out) fail(errno);
    return out;
  }

  // What is there now under the name; refuses what is not a plain file.
  std::optional<struct stat> examine() const {
    struct stat status {};
    if (fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) fail(errno);
      return {};
    }
    if (!S_ISREG(status.st_mode)) fail(EEXIST, name_of_kind(status.st_mode));
    return status;
  }

  void make_file(mode_t mode) {
    for (int tried = 0; tried < kNamesTried; ++tried) {
      std::string candidate = random_name();
      file = Descriptor(openat(folder.get(), candidate.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
      if (!file && errno != EEXIST) fail(errno);
      if (!file) continue;
      beside = std::move(candidate);
      // Locked as long as it is written, so that nobody takes it for a leftover; one that was taken for one has no name any more.
      struct stat own {};
      static_cast<void>(flock(file.get(), LOCK_EX | LOCK_NB));
      if (fstat(file.get(), &own) != 0 || own.st_nlink > 0) return;
    }
    fail(EEXIST, "no name beside it is free");
  }

  // What writers that were killed have left in the folder: files of such names that nobody holds or has touched for a while. Where they cannot be
  // listed or locked they stay.
  void remove_leftovers() const {
    const int listed = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = listed < 0 ? nullptr : fdopendir(listed);
    if (entries == nullptr) {
      if (listed >= 0) close(listed);
      return;
    }
    const dirent* entry = nullptr;
    for (int seen = 0; seen < kMostListed && (entry = readdir(entries)) != nullptr; ++seen) {
      const std::string_view found = entry->d_name;
      if (found.starts_with(kPartBegin) && found.ends_with(kPartEnd) && found != beside)
        remove_leftover(entry->d_name);
    }
    closedir(entries);
  }

  void remove_leftover(const char* part) const {
    const Descriptor held(
        openat(folder.get(), part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat then {};
    if (!held || fstat(held.get(), &then) != 0 || !S_ISREG(then.st_mode)) return;
    if (std::time(nullptr) - then.st_mtim.tv_sec < kSecondsUntouched) return;
    if (flock(held.get(), LOCK_EX | LOCK_NB) == 0) unlinkat(folder.get(), part, 0);
  }

  // Holds the file that is about to be replaced, so that no writer comes between a look and a rename.
  Descriptor locked_target() const {
    const auto until = std::chrono::steady_clock::now() + kLongestWait;
    for (;;) {
      Descriptor out(
          openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      if (!out) return out;  // none is there, or it may not be read, and then nobody locks it
      if (flock(out.get(), LOCK_EX | LOCK_NB) == 0) {
        struct stat held {};
        const std::optional<struct stat> now = examine();
        if (fstat(out.get(), &held) == 0 && now && is_one_file(held, *now)) return out;
        continue;  // it was replaced while we waited
      }
      if (errno != EWOULDBLOCK) return out;  // a file system without locks
      if (std::chrono::steady_clock::now() > until)
        fail(EWOULDBLOCK, "another program holds it locked");
      std::this_thread::sleep_for(kAskAgain);
    }
  }

  void keep_permissions(const struct stat& before) const {
    struct stat own {};
    if (fstat(file.get(), &own) != 0) fail(errno);
    // Only the superuser may give files away; for others the new file is their own.
    if (own.st_uid != before.st_uid || own.st_gid != before.st_gid)
      static_cast<void>(fchown(file.get(), before.st_uid, before.st_gid) == 0);
    if (fchmod(file.get(), before.st_mode & kPermissions) != 0) fail(errno);
  }

  void take_name(const FileWriter::Version* replaced) {
    const Descriptor lock = locked_target();
    const std::optional<struct stat> before = examine();
    if (replaced != nullptr && !replaced->is_current())
      fail(0, "another program has written it since it was read; nothing was changed");
    if (before) keep_permissions(*before);
    // Pipes and some file systems cannot; what they hold is as safe as it gets.
    if (fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
    if (!file.close()) fail(errno);
    if (renameat(folder.get(), beside.c_str(), folder.get(), name.c_str()) != 0) fail(errno);
    beside.clear();
    if (fsync(folder.get()) != 0 && errno == EIO)
      fail(EIO, "it is written, but may be lost if the machine stops now");
  }

  std::string path, name;
  std::string beside;  // empty once it is renamed
  Descriptor folder, file;
};

FilePlace::FilePlace(const std::string& path) : inside_(std::make_unique<Inside>(path)) {}
FilePlace::~FilePlace() = default;
int FilePlace::file() const { return inside_->file.get(); }
void FilePlace::take_name(const FileWriter::Version* replaced) { inside_->take_name(replaced); }
void FilePlace::fail(int code) const { inside_->fail(code); }

}  // namespace internal

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         is_one_file(first, second);
}

}  // namespace postrider

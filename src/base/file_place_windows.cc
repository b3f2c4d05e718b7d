#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <random>

#include "base/descriptor.h"
#include "base/file_fault.h"
#include "base/file_place.h"
#include "base/windows.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

constexpr int kNamesTried = 100;

// Which file it is, and when it was written.
struct Identity {
  DWORD volume = 0, high = 0, low = 0;
  std::uint64_t size = 0, written = 0;

  bool is_one_file(const Identity& other) const {
    return volume == other.volume && high == other.high && low == other.low;
  }
  bool is_unwritten(const Identity& other) const {
    return is_one_file(other) && size == other.size && written == other.written;
  }
};

std::uint64_t whole(DWORD high, DWORD low) { return (std::uint64_t{high} << 32U) | low; }

// Others may read, write and replace the file meanwhile.
Handle opened(const std::string& path) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return Handle(CreateFileW(wide_path(path).c_str(), GENERIC_READ, kShared, nullptr, OPEN_EXISTING,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
}

std::optional<Identity> identity_of(const Handle& file) {
  BY_HANDLE_FILE_INFORMATION found;
  if (!file || GetFileInformationByHandle(file.get(), &found) == 0) return {};
  return Identity{
      .volume = found.dwVolumeSerialNumber,
      .high = found.nFileIndexHigh,
      .low = found.nFileIndexLow,
      .size = whole(found.nFileSizeHigh, found.nFileSizeLow),
      .written = whole(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime)};
}

std::string random_name() {
  std::random_device random;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = ".postrider-";
  for (int digit = 0; digit < 16; ++digit) out += kDigits[random() & 15U];
  return out + ".part";
}

}  // namespace

}  // namespace internal

// --- FileWriter::Version -------------------------------------------------------------------------------------

// The file is not held open, as it is on other systems: it could not be replaced then. A file of the same number, size and
// time that was made since is taken for it.
struct FileWriter::Version::Held {
  std::string path;
  Identity then;
};

FileWriter::Version::Version(const std::string& path) {
  auto held = std::make_shared<Held>();
  held->path = path;
  const std::optional<Identity> found = identity_of(opened(path));
  if (!found) fail_file("open", path, last_fault());
  held->then = *found;
  held_ = std::move(held);
}

const std::string& FileWriter::Version::path() const { return held_->path; }

bool FileWriter::Version::is_current() const {
  const std::optional<Identity> now = identity_of(opened(held_->path));
  return now && held_->then.is_unwritten(*now);
}

namespace internal {

// --- FilePlace ---------------------------------------------------------------------------------------

struct FilePlace::Inside {
  explicit Inside(const std::string& target) : path(target), name(wide_path(target)) {
    if (name.filename().empty()) fail(EISDIR, "it is a folder");
    if (name.has_parent_path() && !std::filesystem::is_directory(name.parent_path()))
      fail(ENOENT, "its folder does not exist");
    examine();
    make_file();
  }
  ~Inside() {
    if (beside.empty()) return;
    file = Descriptor();  // an open file cannot be removed
    DeleteFileW(beside.c_str());
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  [[noreturn]] void fail(int code) const { fail_file("write", path, code); }
  [[noreturn]] void fail(int code, const std::string& reason) const {
    fail_file("write", path, code, reason);
  }

  // Refuses what is not a plain file.
  void examine() const {
    std::error_code none;
    const std::filesystem::file_status status = std::filesystem::symlink_status(name, none);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
    if (std::filesystem::is_directory(status)) fail(EEXIST, "it is a folder");
    if (std::filesystem::is_symlink(status))
      fail(EEXIST, "it is a symbolic link; name the file that it leads to");
    fail(EEXIST, "it is a device, which would be replaced by a file");
  }

  void make_file() {
    constexpr int kFlags = _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT;
    for (int tried = 0; tried < kNamesTried; ++tried) {
      const std::filesystem::path candidate = name.parent_path() / random_name();
      file = Descriptor(_wopen(candidate.c_str(), kFlags, _S_IREAD | _S_IWRITE));
      if (file) {
        beside = candidate;
        return;
      }
      if (errno != EEXIST) fail(errno);
    }
    fail(EEXIST, "no name beside it is free");
  }

  // Between the look and the renaming another program may come, which a lock prevents on other systems.
  void take_name(const FileWriter::Version* replaced) {
    examine();
    if (replaced != nullptr && !replaced->is_current())
      fail(0, "another program has written it since it was read; nothing was changed");
    if (_commit(file.get()) != 0 && errno != EINVAL) fail(errno);
    if (!file.close()) fail(errno);
    constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    if (MoveFileExW(beside.c_str(), name.c_str(), kHow) == 0) fail(last_fault());
    beside.clear();
  }

  std::string path;
  std::filesystem::path name;
  std::filesystem::path beside;  // empty once it is renamed
  Descriptor file;
};

FilePlace::FilePlace(const std::string& path) : inside_(std::make_unique<Inside>(path)) {}
FilePlace::~FilePlace() = default;
int FilePlace::file() const { return inside_->file.get(); }
void FilePlace::take_name(const FileWriter::Version* replaced) { inside_->take_name(replaced); }
void FilePlace::fail(int code) const { inside_->fail(code); }

}  // namespace internal

bool is_same_file(const std::string& a, const std::string& b) {
  const Handle first = opened(a), second = opened(b);
  const std::optional<Identity> one = identity_of(first), other = identity_of(second);
  return one && other && one->is_one_file(*other);
}

}  // namespace postrider

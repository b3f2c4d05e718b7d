#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_files.h"

namespace postrider::internal {

int open_to_read(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

std::ptrdiff_t read_some(int file, std::span<char> to) {
  ssize_t got = 0;
  do {
    got = read(file, to.data(), to.size());
  } while (got < 0 && errno == EINTR);
  return got;
}

std::ptrdiff_t write_some(int file, std::span<const char> bytes) {
  ssize_t written = 0;
  do {
    written = write(file, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  return written;
}

int close_file(int file) { return close(file); }

std::optional<FileKind> file_kind(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return {};
  FileKind out{.is_folder = S_ISDIR(status.st_mode), .size = {}};
  if (S_ISREG(status.st_mode)) out.size = static_cast<std::uint64_t>(status.st_size);
  return out;
}

std::int64_t process_number() { return getpid(); }

}  // namespace postrider::internal

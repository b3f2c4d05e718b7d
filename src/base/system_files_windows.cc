#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>

#include "base/system_files.h"
#include "base/windows.h"

namespace postrider::internal {
namespace {

// The calls take an int.
unsigned count_of(std::size_t bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, INT_MAX));
}

}  // namespace

int open_to_read(const std::string& path) {
  return _wopen(wide_path(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

std::ptrdiff_t read_some(int file, std::span<char> to) {
  return _read(file, to.data(), count_of(to.size()));
}

std::ptrdiff_t write_some(int file, std::span<const char> bytes) {
  return _write(file, bytes.data(), count_of(bytes.size()));
}

int close_file(int file) { return _close(file); }

// Folders cannot be opened here.
std::optional<FileKind> file_kind(int file) {
  struct _stat64 status {};
  if (_fstat64(file, &status) != 0) return {};
  FileKind out;
  if ((status.st_mode & _S_IFREG) != 0) out.size = static_cast<std::uint64_t>(status.st_size);
  return out;
}

std::int64_t process_number() { return _getpid(); }

}  // namespace postrider::internal

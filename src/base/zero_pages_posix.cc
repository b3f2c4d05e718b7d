#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "base/descriptor.h"
#include "base/file_fault.h"
#include "base/large_pages.h"
#include "base/zero_pages.h"

namespace postrider::internal {
namespace {

Descriptor made_file(const std::string& path, const std::string& verb, std::size_t bytes) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor out(open(path.c_str(), kFlags, 0600));
  if (!out && errno == EEXIST)
    fail_file(verb, path, EEXIST, "something of this name is there already");
  if (!out) fail_file(verb, path, errno);
  unlink(path.c_str());  // the file lives on without a name, as long as it is mapped
  int trouble = 0;
  do {
    trouble = posix_fallocate(out.get(), 0, static_cast<off_t>(bytes));
  } while (trouble == EINTR);
  if (trouble != 0)
    fail_file(verb, path, trouble,
              fault_reason(trouble) + "; it needs " + std::to_string(bytes) + " bytes");
  return out;
}

void* mapped(std::size_t bytes, int flags, int file) {
  void* out = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (out == MAP_FAILED) throw std::bad_alloc();
  return out;
}

}  // namespace

ZeroPages::ZeroPages(std::size_t bytes)
    : bytes_(bytes), address_(mapped(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1)) {
  prefer_large_pages(address_, bytes_);
}

ZeroPages::ZeroPages(std::size_t bytes, const std::string& path, const std::string& verb)
    : bytes_(bytes), address_(mapped(bytes, MAP_SHARED, made_file(path, verb, bytes).get())) {}

ZeroPages::~ZeroPages() { (void)munmap(address_, bytes_); }

}  // namespace postrider::internal

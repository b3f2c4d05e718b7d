// Memory that reads as zero. The system hands out its pages when they are first written, so that what is never reached
// costs nothing.
#pragma once

#include <cstddef>
#include <string>

namespace postrider::internal {

class ZeroPages {
 public:
  // At least one byte. Throws std::bad_alloc where the system has no more.
  explicit ZeroPages(std::size_t bytes);
  // In a file that is made anew, never one that is there or that a link leads to; it is gone when the program ends, however it
  // ends. Its space is taken at once: where the disk is full, it is said here, and not by a signal later. Throws FileError,
  // "cannot <verb> <path>: ...", too.
  ZeroPages(std::size_t bytes, const std::string& path, const std::string& verb);
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;

  void* address() const { return address_; }

 private:
  std::size_t bytes_;
  void* address_;
};

}  // namespace postrider::internal

// A stream's way to an open file.
#pragma once

#include <functional>
#include <streambuf>
#include <vector>

namespace postrider::internal {

// Writes to a descriptor that it does not own. A write that fails calls `fail(errno)`, which throws.
class FileBuffer final : public std::streambuf {
 public:
  FileBuffer(int file, std::function<void(int)> fail);

 protected:
  int_type overflow(int_type byte) override;
  int sync() override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  void write_out(const char* bytes, std::size_t count);
  void flush();

  int file_;
  std::function<void(int)> fail_;
  std::vector<char> buffer_;
};

}  // namespace postrider::internal

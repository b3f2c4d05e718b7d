#include "base/file_buffer.h"

#include <cerrno>
#include <utility>

#include "base/system_files.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 16;

}  // namespace

FileBuffer::FileBuffer(int file, std::function<void(int)> fail)
    : file_(file), fail_(std::move(fail)), buffer_(kBytes) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

void FileBuffer::write_out(const char* bytes, std::size_t count) {
  while (count > 0) {
    const std::ptrdiff_t written = write_some(file_, {bytes, count});
    if (written < 0) {
      const int code = errno;
      setp(buffer_.data(), buffer_.data() + buffer_.size());  // nothing is tried twice
      fail_(code);
      return;
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void FileBuffer::flush() {
  write_out(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

FileBuffer::int_type FileBuffer::overflow(int_type byte) {
  flush();
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  return sputc(traits_type::to_char_type(byte));
}

int FileBuffer::sync() {
  flush();
  return 0;
}

std::streamsize FileBuffer::xsputn(const char* bytes, std::streamsize count) {
  if (count < epptr() - pptr()) {
    traits_type::copy(pptr(), bytes, static_cast<std::size_t>(count));
    pbump(static_cast<int>(count));
    return count;
  }
  flush();
  write_out(bytes, static_cast<std::size_t>(count));
  return count;
}

}  // namespace postrider::internal

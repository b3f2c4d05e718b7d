#include "data/text_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/written_number.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Stays in the second cache, and a read of it costs little more than the copy.
constexpr std::size_t kFirstBytes = std::size_t{1} << 18;

}  // namespace

TextWindow::TextWindow(std::unique_ptr<ByteSource> source, std::string name, std::size_t most_bytes)
    : source_(std::move(source)),
      name_(std::move(name)),
      most_bytes_(most_bytes),
      room_(kFirstBytes),
      bytes_(std::make_unique_for_overwrite<char[]>(room_ + kBytesBehindNumber)),
      begin_(bytes_.get()),
      end_(bytes_.get()) {
  put_zeros();
}

void TextWindow::put_zeros() {
  std::fill_n(bytes_.get() + (end_ - bytes_.get()), kBytesBehindNumber, '\0');
}

bool TextWindow::grow(std::size_t line) {
  if (last_) return false;
  const auto left = static_cast<std::size_t>(end_ - begin_);
  if (left > most_bytes_)
    fail(line, "is longer than " + std::to_string(most_bytes_) +
                   " bytes; is a quote not closed, or is this no table?");
  if (left > room_ / 2) {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * room_ + kBytesBehindNumber);
    std::copy_n(begin_, left, larger.get());
    bytes_ = std::move(larger);
    room_ *= 2;
  } else {
    std::memmove(bytes_.get(), begin_, left);
  }
  const std::size_t got = source_->read({bytes_.get() + left, room_ - left});
  begin_ = bytes_.get();
  end_ = begin_ + left + got;
  put_zeros();
  decoded_ += got;
  last_ = got == 0;
  return got > 0;
}

std::string_view TextWindow::next_line(std::size_t line) {
  std::size_t searched = 0;
  for (;;) {
    const auto left = static_cast<std::size_t>(end() - begin());
    const void* const feed =
        left == searched ? nullptr : std::memchr(begin() + searched, '\n', left - searched);
    if (feed != nullptr || is_last()) {
      const char* const first = begin();
      const char* const behind = feed != nullptr ? static_cast<const char*>(feed) + 1 : end();
      use_until(behind);
      return {first, static_cast<std::size_t>(behind - first)};
    }
    searched = left;
    grow(line);
  }
}

void TextWindow::expect(std::size_t bytes) {
  while (static_cast<std::size_t>(end_ - begin_) < bytes && grow(1)) {
  }
}

void TextWindow::fail(std::size_t line, const std::string& what) const {
  throw Table::Unreadable(name_ + ", line " + std::to_string(line), what);
}

}  // namespace postrider::internal

#include "text/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace postrider::cli {
namespace {

// A character that a terminal obeys, at the beginning of some bytes: how many it takes, and its code; 0 bytes if there is none. It may take more
// bytes to tell.
struct Control {
  std::size_t bytes = 0;
  unsigned code = 0;
  bool is_open = false;
};

// Controls of C0 and C1, and those that turn the direction of a text, so that it reads as another one.
Control control_at(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x20 || first == 0x7f) return {1, first};
  const std::size_t needed = first == 0xc2 || first == 0xd8 ? 2 : first == 0xe2 ? 3 : 0;
  if (needed == 0) return {};
  if (text.size() < needed) return {0, 0, true};
  unsigned code = first & (needed == 2 ? 0x1fU : 0x0fU);
  for (std::size_t at = 1; at < needed; ++at) {
    if ((byte(at) & 0xc0U) != 0x80) return {};
    code = code << 6U | (byte(at) & 0x3fU);
  }
  const bool is_c1 = code >= 0x80 && code <= 0x9f;
  const bool is_direction = code == 0x61c || code == 0x200e || code == 0x200f ||
                            (code >= 0x202a && code <= 0x202e) ||
                            (code >= 0x2066 && code <= 0x2069);
  return is_c1 || is_direction ? Control{needed, code} : Control{};
}

std::string written_out(unsigned code) {
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Control control = control_at(text);
    if (control.bytes > 0)
      out += written_out(control.code);
    else
      out += text.front();
    text.remove_prefix(std::max<std::size_t>(1, control.bytes));
  }
  return out;
}

bool PrintableBuffer::pass_on(bool is_end) {
  while (!held_.empty()) {
    const Control control = control_at(held_);
    if (control.is_open && !is_end) return true;
    const bool stays = control.bytes == 0 || control.code == '\n' || control.code == '\t';
    const std::string text = stays ? held_.substr(0, 1) : written_out(control.code);
    held_.erase(0, std::max<std::size_t>(1, control.bytes));
    const auto size = static_cast<std::streamsize>(text.size());
    if (to_->sputn(text.data(), size) != size) return false;
  }
  return true;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  held_ += traits_type::to_char_type(byte);
  return pass_on(false) ? byte : traits_type::eof();
}

int PrintableBuffer::sync() { return to_->pubsync(); }

TerminalGuard::TerminalGuard(std::ostream& stream, int descriptor)
    : stream_(stream), before_(stream.rdbuf()), buffer_(before_) {
  if (isatty(descriptor) == 1) stream_.rdbuf(&buffer_);
}

TerminalGuard::~TerminalGuard() {
  const std::ios::iostate state = stream_.rdstate();
  buffer_.pass_on(true);
  stream_.rdbuf(before_);  // which forgets what went wrong
  stream_.setstate(state);
}

}  // namespace postrider::cli

#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

namespace postrider::cli {
namespace {

constexpr unsigned char kFirstOfC1 = 0xc2;  // U+0080 to U+009f in UTF-8: this, and 0x80 to 0x9f

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }
bool ends_c1(unsigned char byte) { return byte >= 0x80 && byte <= 0x9f; }

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte == kFirstOfC1 && i + 1 < text.size() &&
                       ends_c1(static_cast<unsigned char>(text[i + 1]));
    if (is_control(byte))
      out += fmt::format("\\x{:02x}", byte);
    else if (is_c1)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    else
      out += text[i];
  }
  return out;
}

bool PrintableBuffer::escape(unsigned char byte) {
  const std::string text = fmt::format("\\x{:02x}", byte);
  return to_->sputn(text.data(), static_cast<std::streamsize>(text.size())) == 4;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  const auto next = static_cast<unsigned char>(traits_type::to_char_type(byte));
  bool done = true;
  if (held_) {
    held_ = false;
    if (ends_c1(next)) return escape(next) ? byte : traits_type::eof();
    done = to_->sputc(static_cast<char>(kFirstOfC1)) != traits_type::eof();
  }
  if (next == kFirstOfC1)
    held_ = true;
  else if (is_control(next) && next != '\n' && next != '\t')
    done = escape(next) && done;
  else
    done = to_->sputc(static_cast<char>(next)) != traits_type::eof() && done;
  return done ? byte : traits_type::eof();
}

int PrintableBuffer::sync() { return to_->pubsync(); }

TerminalGuard::TerminalGuard(std::ostream& stream, int descriptor)
    : stream_(stream), before_(stream.rdbuf()), buffer_(before_) {
  if (isatty(descriptor) == 1) stream_.rdbuf(&buffer_);
}

TerminalGuard::~TerminalGuard() {
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(before_);  // which forgets what went wrong
  stream_.setstate(state);
}

}  // namespace postrider::cli

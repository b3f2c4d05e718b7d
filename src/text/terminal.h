// What a terminal may be sent.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace postrider::cli {

// With control characters written out, such as \x1b: names of columns, classes and files come from
// others, and a terminal obeys what it is sent. Line breaks are written out, too.
std::string printable(std::string_view text);

// Passes bytes on, with control characters but for line breaks and tabs written out, also those that turn the direction of a text (\u202e).
class PrintableBuffer final : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf* to) : to_(to) {}
  // Passes on what is held; all of it if no more follows. False if that failed.
  bool pass_on(bool is_end);

 protected:
  int_type overflow(int_type byte) override;
  int sync() override;

 private:
  std::streambuf* to_;
  std::string held_;  // the first bytes of what may be a control character
};

// While it lives, what a stream prints on a terminal is printable. All text of the program passes here.
class TerminalGuard {
 public:
  TerminalGuard(std::ostream& stream, int descriptor);
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* before_;
  PrintableBuffer buffer_;
};

}  // namespace postrider::cli

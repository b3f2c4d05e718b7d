#include "io/live_line.h"

#include <unistd.h>

#include <algorithm>

#include "text/terminal.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

// Past the stream, which lets no carriage return through. What a terminal does not take is no loss.
void send(const std::string& text) {
  static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
}

}  // namespace

LiveLine::LiveLine(bool quiet)
    : shown_(!quiet && isatty(STDERR_FILENO) == 1), logs_(!quiet && !shown_) {}

LiveLine::~LiveLine() { clear(); }

void LiveLine::show(const std::string& text) {
  const std::string safe = printable(text);
  if (logs_ && is_due()) send(safe + "\n");
  if (!shown_) return;
  const std::size_t width = shown_width(safe);
  send('\r' + safe + std::string(width < width_ ? width_ - width : 0, ' '));
  width_ = width;
}

bool LiveLine::is_due() {
  constexpr double kLeastSeconds = 10, kShare = 0.1;
  const auto since = [now = Clock::now()](Clock::time_point time) {
    return std::chrono::duration<double>(now - time).count();
  };
  if (since(last_) < std::max(kLeastSeconds, kShare * since(begin_))) return false;
  last_ = Clock::now();
  return true;
}

void LiveLine::clear() {
  if (width_ == 0) return;
  send('\r' + std::string(width_, ' ') + '\r');
  width_ = 0;
}

}  // namespace postrider::cli

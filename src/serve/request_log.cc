#include "serve/request_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "text/terminal.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kLongestPart = 300;   // bytes of a target or an answer in the log
constexpr std::size_t kLongestLine = 4096;  // that a pipe takes as a whole or not at all

// A pipe that nobody reads would block the thread that reads requests.
void write_unless_full(int descriptor, std::string line) {
  if (line.size() > kLongestLine) line.replace(kLongestLine - 5, std::string::npos, " ...\n");
  pollfd ready{descriptor, POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
  [[maybe_unused]] const ssize_t written = ::write(descriptor, line.data(), line.size());
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// A target may be any bytes.
std::string ascii(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestPart))
    out += static_cast<unsigned char>(c) < 0x80
               ? std::string(1, c)
               : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out.empty() ? "-" : printable(out) + (text.size() > kLongestPart ? "..." : "");
}

// An answer is UTF-8, of which no character is cut.
std::string shortened(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() <= kLongestPart) return printable(text);
  std::size_t end = kLongestPart;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return printable(text.substr(0, end)) + "...";
}

}  // namespace

void RequestLog::add(const HttpRequest& request, const HttpAnswer& answer) {
  if (answer.status < (quiet_ ? 500 : 400)) return;
  {
    const std::lock_guard lock(lock_);
    const auto now = std::chrono::steady_clock::now();
    if (now - second_ > std::chrono::seconds(1)) {
      second_ = now;
      in_second_ = 0;
    }
    if (++in_second_ > kMostPerSecond) {
      ++left_out_;
      return;
    }
  }
  write_unless_full(STDERR_FILENO, fmt::format("{} request {} {} {} {} {}\n", now_text(),
                                               request.id, answer.status, ascii(request.method),
                                               ascii(request.target), shortened(answer.body)));
}

void RequestLog::tell_left_out() {
  std::size_t count = 0;
  {
    const std::lock_guard lock(lock_);
    count = std::exchange(left_out_, 0);
  }
  if (count > 0)
    write_unless_full(STDERR_FILENO,
                      fmt::format("{} {} further requests failed\n", now_text(), count));
}

void RequestLog::tell(std::string_view line, bool is_failure) {
  if (quiet_ && !is_failure) return;
  write_unless_full(is_failure ? STDERR_FILENO : STDOUT_FILENO,
                    now_text() + " " + printable(line) + "\n");
}

}  // namespace postrider::cli

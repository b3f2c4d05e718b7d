#include "serve/request_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
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

namespace {

std::string counter(const char* name, const char* help, std::uint64_t value) {
  return fmt::format("# HELP postrider_{0} {1}\n# TYPE postrider_{0} counter\npostrider_{0} {2}\n",
                     name, help, value);
}

}  // namespace

void RequestMetrics::add(int status, std::size_t rows, double seconds) {
  ++(status < 400 ? answered_ : status < 500 ? refused_ : failed_);
  rows_ += rows;
  nanoseconds_ += static_cast<std::uint64_t>(1e9 * seconds);
  const auto place = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++counts_[static_cast<std::size_t>(place)];
}

std::string RequestMetrics::text() const {
  std::string out =
      "# HELP postrider_requests_total Requests for predictions, by how they ended.\n"
      "# TYPE postrider_requests_total counter\n";
  out += fmt::format("postrider_requests_total{{result=\"answered\"}} {}\n", answered_.load());
  out += fmt::format("postrider_requests_total{{result=\"refused\"}} {}\n", refused_.load());
  out += fmt::format("postrider_requests_total{{result=\"failed\"}} {}\n", failed_.load());
  out += counter("rows_total", "Rows that were predicted.", rows_);
  out += counter("reloads_total", "Times that a new version of the model was loaded.", reloads_);
  out += counter("failed_reloads_total", "Times that a new version could not be loaded.",
                 failed_reloads_);
  out +=
      "# HELP postrider_request_seconds From the whole request to the whole answer.\n"
      "# TYPE postrider_request_seconds histogram\n";
  std::uint64_t below = 0;
  for (std::size_t k = 0; k < kBounds.size(); ++k) {
    below += counts_[k];
    out += fmt::format("postrider_request_seconds_bucket{{le=\"{}\"}} {}\n", kBounds[k], below);
  }
  below += counts_.back();
  out += fmt::format("postrider_request_seconds_bucket{{le=\"+Inf\"}} {}\n", below);
  out += fmt::format("postrider_request_seconds_sum {:.9f}\n",
                     static_cast<double>(nanoseconds_.load()) / 1e9);
  out += fmt::format("postrider_request_seconds_count {}\n", below);
  return out;
}

}  // namespace postrider::cli

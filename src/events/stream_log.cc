#include "events/stream_log.h"

#include <unistd.h>

#include <ctime>
#include <iostream>

#include "text/json_text.h"
#include "text/terminal.h"

namespace postrider::cli {

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char out[32];
  std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return out;
}

StreamLog::StreamLog(bool is_json, bool quiet, std::ostream& talk)
    : is_json_(is_json), quiet_(quiet), talk_(talk), live_(quiet || is_json) {}

void StreamLog::write(std::string_view level, const std::string& text) {
  std::cerr << json_object({{"time", json_text(time_text())},
                            {"level", json_text(level)},
                            {"message", json_text(text)}})
            << std::endl;
}

void StreamLog::warn(const std::string& text) {
  if (is_json_) return write("warning", text);
  live_.clear();
  // Whoever sits before a terminal knows what time it is.
  if (isatty(STDERR_FILENO) != 1) std::cerr << time_text() << " ";
  std::cerr << "postrider: stream: warning: " << printable(text) << std::endl;
}

void StreamLog::show(const std::string& line) {
  if (live_.is_terminal()) live_.show(line);
}

void StreamLog::note(const std::string& line) {
  if (quiet_ || live_.is_terminal()) return;
  if (is_json_) return write("info", line);
  talk_ << time_text() << " " << line << std::endl;
}

void StreamLog::conclude(const std::string& text) {
  live_.clear();
  if (quiet_) return;
  if (is_json_) return write("info", text);
  talk_ << text << std::endl;
}

}  // namespace postrider::cli

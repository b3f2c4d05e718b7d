#include "events/stream_log.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
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

namespace {

constexpr std::size_t kMostText = 4000, kMostLine = 60'000;  // what a pipe takes at once

}  // namespace

// A column may have any name: without the fields the line still says what happened.
std::string ChangeHook::line_of(const StreamNotice& notice) const {
  JsonMembers members{{"time", json_text(time_text())},
                      {"model", json_text(model_)},
                      {"source", json_text(source_)},
                      {"change", json_text(notice.text.substr(0, kMostText))}};
  const std::string brief = json_object(members) + "\n";
  members.insert(members.end(), notice.fields.begin(), notice.fields.end());
  std::string whole = json_object(members) + "\n";
  return whole.size() <= kMostLine ? whole : brief;
}

void ChangeHook::tell(const StreamNotice& notice) const {
  if (command_.empty()) return;
  const std::string line = line_of(notice);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    // A grandchild, so that nobody has to wait for it.
    if (fork() != 0) _exit(0);
    dup2(ends[0], STDIN_FILENO);
    execl("/bin/sh", "sh", "-c", command_.c_str(), nullptr);
    _exit(127);
  }
  if (child > 0) {
    static_cast<void>(write(ends[1], line.data(), line.size()) < 0);
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);  // not before it is written: a pipe without a reader ends who writes
  close(ends[1]);
}

}  // namespace postrider::cli

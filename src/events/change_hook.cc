#include "events/change_hook.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "events/stream_log.h"
#include "text/json_text.h"

namespace postrider::cli {
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

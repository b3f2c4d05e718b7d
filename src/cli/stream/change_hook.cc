#include "cli/stream/change_hook.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "cli/stream/json_text.h"
#include "cli/stream/stream_log.h"

namespace postrider::cli {

void ChangeHook::tell(const std::string& text) const {
  if (command_.empty()) return;
  constexpr std::size_t kMostTold = 4000;  // what a pipe takes at once
  const std::string line = json_object({{"time", json_text(time_text())},
                                        {"change", json_text(text.substr(0, kMostTold))}}) +
                           "\n";
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

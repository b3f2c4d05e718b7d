#include "cli/hang_up.h"

#include <fcntl.h>
#include <unistd.h>

namespace postrider::cli {
namespace {

// A signal handler can reach nothing but variables of static storage.
volatile std::sig_atomic_t came = 0, is_new = 0;

void note_hang_up(int) {
  came = 1;
  is_new = 1;
}

bool has_terminal() {
  const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return false;
  close(terminal);
  return true;
}

}  // namespace

HangUpWatch::HangUpWatch() : had_terminal_(has_terminal()) {
  came = 0;
  is_new = 0;
  struct sigaction action {};
  action.sa_handler = note_hang_up;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

HangUpWatch::~HangUpWatch() { sigaction(SIGHUP, &before_, nullptr); }

bool HangUpWatch::is_asked_to_look() {
  if (is_new == 0) return false;
  is_new = 0;
  return true;
}

bool HangUpWatch::has_lost_terminal() const {
  return came != 0 && had_terminal_ && !has_terminal();
}

}  // namespace postrider::cli

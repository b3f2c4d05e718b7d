#include "cli/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

namespace postrider::cli {
namespace {

// A signal handler can reach nothing but variables of static storage.
volatile std::sig_atomic_t noted = 0, came = 0, is_new = 0;

void note(int signal) { noted = signal; }

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

InterruptWatch::InterruptWatch() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (std::size_t s = 0; s < kSignals.size(); ++s) {
    sigaction(kSignals[s], &action, &before_[s]);
    if (kSignals[s] == SIGHUP && before_[s].sa_handler == SIG_IGN)
      sigaction(kSignals[s], &before_[s], nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t s = 0; s < kSignals.size(); ++s) sigaction(kSignals[s], &before_[s], nullptr);
}

bool InterruptWatch::interrupted() const { return noted != 0; }

ExitCode InterruptWatch::exit_code() const {
  switch (noted) {
    case 0:
      return ExitCode::ok;
    case SIGTERM:
      return ExitCode::terminated;
    case SIGHUP:
      return ExitCode::hung_up;
    default:
      return ExitCode::interrupted;
  }
}

ExitCode InterruptWatch::exit_code_of_service() const {
  const ExitCode code = exit_code();
  return code == ExitCode::terminated ? ExitCode::ok : code;
}

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

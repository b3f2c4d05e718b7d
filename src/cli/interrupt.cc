#include "cli/interrupt.h"

namespace postrider::cli {
namespace {

// A signal handler can reach nothing but a variable of static storage.
volatile std::sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

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

}  // namespace postrider::cli

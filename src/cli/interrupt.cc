#include "cli/interrupt.h"

namespace postrider::cli {
namespace {

// A signal handler can reach nothing but a variable of static storage.
volatile std::sig_atomic_t noted = 0;

void note(int) { noted = 1; }

}  // namespace

InterruptWatch::InterruptWatch() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

InterruptWatch::~InterruptWatch() { sigaction(SIGINT, &before_, nullptr); }

bool InterruptWatch::interrupted() const { return noted != 0; }

}  // namespace postrider::cli

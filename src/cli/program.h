// The program: which commands and options there are, and how mistakes are told.
#pragma once

namespace postrider::cli {

int run_program(int count, char** arguments);  // returns the exit code

// --- What the program's exit codes mean. docs/command-line.md and the manual page list the same.

enum class ExitCode : int {
  ok = 0,
  check_failed = 1,  // the program did its work, and what it was asked to check does not hold
  usage = 2,         // a mistake in the call
  unreadable = 3,    // a file cannot be read, used or written
  internal = 4,      // a mistake of ours, or no memory
  // By a signal, 128 and its number, as shells have it; what was learned is saved.
  hung_up = 129,      // SIGHUP: the terminal is gone
  interrupted = 130,  // SIGINT: Ctrl-C
  terminated = 143,   // SIGTERM: kill, or a system that shuts down
};

}  // namespace postrider::cli

// The program: which commands and options there are, and how mistakes are told.
#pragma once

namespace postrider::cli {

int run_program(int count, char** arguments);  // returns the exit code

}  // namespace postrider::cli

// postrider: from a file to predictions one can trust.
#include "cli/program.h"

int main(int count, char** arguments) { return postrider::cli::run_program(count, arguments); }

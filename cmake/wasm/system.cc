// The few functions that sources call and no library for WebAssembly has: those that Highway keeps in its own, of which there is one instruction set
// here, so that nothing is looked up; and one of the system.
#include <sys/random.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "hwy/highway.h"

namespace hwy {

std::int64_t SupportedTargets() { return HWY_STATIC_TARGET; }

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

HWY_NORETURN void Abort(const char* file, int line, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::fprintf(stderr, "%s:%d: ", file, line);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::abort();
}

}  // namespace hwy

extern "C" ssize_t getrandom(void* to, size_t bytes, unsigned /*flags*/) {
  return getentropy(to, bytes) == 0 ? static_cast<ssize_t>(bytes) : -1;
}

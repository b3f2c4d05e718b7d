#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace postrider::internal {

void fail(const char* expected, std::initializer_list<Seen> seen, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this is a bug in postrider; expected: %s\n", file, line, expected);
  for (const Seen& each : seen) {
    std::fprintf(stderr, "  %s = %.17g\n", each.name, each.value);
  }
  std::abort();
}

}  // namespace postrider::internal

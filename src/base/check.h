#pragma once

#include <initializer_list>

namespace postrider::internal {

// A number to print when a check fails.
struct Seen {
  const char* name;
  double value;
};

// For mistakes of ours only: prints what was expected, where, and the numbers seen, then aborts.
// Stays on in every build type, so keep it out of inner loops. A mistake of the caller is an
// InvalidArgument instead.
//
//   check(variance > 0, "variance is positive", {{"variance", variance}, {"mean", mean}});
//
// File and line are two default arguments because clang 14 has no std::source_location.
[[noreturn]] void fail(const char* expected, std::initializer_list<Seen> seen, const char* file,
                       int line);

inline void check(bool holds, const char* expected, std::initializer_list<Seen> seen = {},
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]] {
    fail(expected, seen, file, line);
  }
}

}  // namespace postrider::internal

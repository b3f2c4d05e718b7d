#include <cstdio>
#include <string_view>

#include "postrider/error.h"
#include "postrider/version.h"

// Called with the version that the build says it installed. reject() makes the program link.
int main(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) != postrider::kVersion) return 1;
  try {
    postrider::reject("slope", -0.5, "must be at least 0");
  } catch (const postrider::InvalidArgument& error) {
    std::printf("postrider %s: %s\n", postrider::kVersion, error.what());
  }
  return 0;
}

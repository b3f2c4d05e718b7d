#include "math/simd_level.h"

#include <algorithm>
#include <cctype>

#include "hwy/highway.h"
#include "postrider/error.h"

namespace postrider::internal {

std::vector<SimdLevel> SimdLevel::available() {
  std::vector<SimdLevel> levels;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    levels.push_back(SimdLevel(target));
  return levels;
}

// Asking the processor takes a microsecond or, where it is a virtual one, thirty.
SimdLevel SimdLevel::best() {
  static const SimdLevel kBest = available().front();
  return kBest;
}

SimdLevel SimdLevel::named(std::string_view name) {
  std::string known;
  for (const SimdLevel level : available()) {
    if (level.name() == name) return level;
    known.append(known.empty() ? "" : ", ").append(level.name());
  }
  reject("simd level", name, std::string("must be one of ").append(known));
}

std::string SimdLevel::name() const {
  std::string name = hwy::TargetName(target_);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace postrider::internal

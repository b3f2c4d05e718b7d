// Which instruction set vector code runs on: a value that is passed in, never a global switch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::internal {

class SimdLevel {
 public:
  // The best level that this machine has.
  static SimdLevel best();
  // Every level that was compiled in and that this machine can run, best first.
  static std::vector<SimdLevel> available();
  // By name, such as "avx2". Throws InvalidArgument, listing what is available.
  static SimdLevel named(std::string_view name);

  std::string name() const;
  std::int64_t target() const { return target_; }

  friend bool operator==(SimdLevel, SimdLevel) = default;

 private:
  explicit SimdLevel(std::int64_t target) : target_(target) {}

  std::int64_t target_;  // Highway's bit of the target
};

}  // namespace postrider::internal

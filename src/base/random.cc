#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/philox.h"

namespace postrider::internal {
namespace {

constexpr std::uint32_t low_half(std::uint64_t bits) { return static_cast<std::uint32_t>(bits); }
constexpr std::uint32_t high_half(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits >> 32);
}
constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

std::uint64_t RandomStream::next_bits() {
  const std::uint64_t index = position_ / 2;
  if (index != block_index_) {
    const PhiloxCounter out =
        philox({low_half(index), high_half(index), low_half(stream_), high_half(stream_)},
               {low_half(seed_), high_half(seed_)});
    block_ = {join(out[0], out[1]), join(out[2], out[3])};
    block_index_ = index;
  }
  return block_[position_++ % 2];
}

double RandomStream::uniform() { return static_cast<double>(next_bits() >> 11) * 0x1p-53; }

double RandomStream::uniform(double low, double high) {
  check(low <= high && std::isfinite(high - low), "low <= high, a finite distance apart",
        {{"low", low}, {"high", high}});
  return low + (high - low) * uniform();
}

double RandomStream::log_uniform(double low, double high) {
  check(0 < low && low <= high && std::isfinite(high), "0 < low <= high, finite",
        {{"low", low}, {"high", high}});
  const double value = std::exp(uniform(std::log(low), std::log(high)));
  // exp(log(x)) can miss x by rounding, and callers pass the ends of a domain.
  return std::clamp(value, low, high);
}

double RandomStream::normal() {
  // In (0, 1], so that the logarithm is finite.
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

// The bits that remain after the largest multiple of bound are drawn again; without that the small
// results would be more likely.
std::uint64_t RandomStream::below(std::uint64_t bound) {
  check(bound > 0, "bound > 0");
  const std::uint64_t surplus = (0 - bound) % bound;  // 2^64 modulo bound
  std::uint64_t bits = next_bits();
  while (bits < surplus) {
    bits = next_bits();
  }
  return bits % bound;
}

}  // namespace postrider::internal

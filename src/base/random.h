#pragma once

#include <array>
#include <cstdint>

namespace postrider::internal {

// Random numbers as a function of (seed, stream, position) and of nothing else. Give every task,
// not every thread, its own stream, and the numbers are the same for any number of threads.
// Streams of one seed never overlap. Copying a stream copies its position.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  // The next 64 random bits: one draw. A stream has 2^64 draws before it repeats.
  std::uint64_t next_bits();

  // Goes forward by this many draws, in constant time.
  void skip(std::uint64_t draws) { position_ += draws; }

  // Multiples of 2^-53 in [0, 1). One draw.
  double uniform();

  // In [low, high]; high itself comes up only by rounding. Needs low <= high, and high - low
  // finite. One draw.
  double uniform(double low, double high);

  // The logarithm is uniform; in [low, high]. Needs 0 < low <= high, both finite. One draw.
  double log_uniform(double low, double high);

  // Standard normal; within +-8.6, which is where 53 bits end. Exactly two draws: the second
  // number of the Box-Muller pair is given up so that skip() can count.
  double normal();

  // 0 ... bound - 1, every one exactly as likely. Needs bound > 0. One draw, rarely more.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  // Draws 2 * block_index_ and 2 * block_index_ + 1. No block has the index ~0 (positions end at
  // half of that), so it stands for "none yet".
  std::uint64_t block_index_ = ~std::uint64_t{0};
  std::array<std::uint64_t, 2> block_{};
};

}  // namespace postrider::internal

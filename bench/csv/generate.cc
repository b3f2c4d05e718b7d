#include "bench/csv/generate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kColumns = 20;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr double kMissingShare = 0.01;
constexpr double kNoise = 0.3;
constexpr std::array<const char*, 4> kTowns{"north", "east", "south", "west"};

void add_row(RandomStream& random, std::string& to) {
  std::array<double, kColumns> x{};
  for (double& value : x) value = random.uniform(-2, 2);
  const std::uint64_t town = random.below(kTowns.size());
  for (const double value : x) {
    if (random.uniform() >= kMissingShare) fmt::format_to(std::back_inserter(to), "{:.6g}", value);
    to += ',';
  }
  const double target =
      x[0] + std::abs(x[1]) - 0.5 * x[2] * (town < 2 ? 1 : -1) + kNoise * random.normal();
  fmt::format_to(std::back_inserter(to), "{},{:.6g}\n", kTowns[town], target);
}

}  // namespace

std::uint64_t generate_csv(const std::string& path, std::uint64_t bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  RandomStream random(kSeed, 0);
  std::string block;
  for (std::size_t c = 0; c < kColumns; ++c) fmt::format_to(std::back_inserter(block), "x{},", c);
  block += std::string("town,") + kTarget + "\n";
  std::uint64_t written = 0;
  while (written + block.size() < bytes) {
    add_row(random, block);
    if (block.size() < kBlock) continue;
    file << block;
    written += block.size();
    block.clear();
  }
  file << block;
  file.close();
  if (!file) throw Error("cannot write " + path + ": does its folder exist, and is there space?");
  return written + block.size();
}

}  // namespace postrider::bench

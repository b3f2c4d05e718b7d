#include "distributed/round_request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "files.h"

namespace postrider::distributed {
using namespace internal;
namespace {

// Every group of every shard comes once an epoch, and about as many are in flight as are asked for.
TEST(Stretch, AllGroupsComeOnceWhateverTheRounds) {
  const std::vector<std::size_t> groups{7, 7, 1, 30, 7};
  const std::uint64_t all = 52;
  for (const std::uint64_t flight : {1, 3, 5, 52, 100}) {
    std::vector<std::size_t> done(groups.size());
    for (std::uint64_t t = 0; t < all; t += flight) {
      const Stretch stretch{t, std::min(all, t + flight), all};
      std::size_t in_flight = 0;
      for (std::size_t s = 0; s < groups.size(); ++s) {
        const auto [begin, end] = stretch.of_shard(s, groups.size(), groups[s]);
        EXPECT_EQ(begin, done[s]);
        done[s] = end;
        in_flight += end - begin;
      }
      EXPECT_LE(in_flight, flight + groups.size() - 1);
    }
    EXPECT_EQ(done, groups);
  }
}

// Shards of one size take turns instead of stepping all at once.
TEST(Stretch, EqualShardsTakeTurns) {
  constexpr std::size_t kShards = 64, kGroups = 10;
  for (std::uint64_t t = 0; t < kShards * kGroups; ++t) {
    std::size_t in_flight = 0;
    for (std::size_t s = 0; s < kShards; ++s) {
      const auto [begin, end] = Stretch{t, t + 1, kShards * kGroups}.of_shard(s, kShards, kGroups);
      in_flight += end - begin;
    }
    EXPECT_LE(in_flight, 2U);
  }
}

TEST(RoundRequest, SurvivesTheJourney) {
  RoundRequest request;
  request.epoch = 3;
  request.stretch = {1, 2, 9};
  request.round = 11;
  request.takes_back = 10;
  request.seen = 77;
  request.noise_may_vary = 1;
  request.noise = {0.5, 0.25};
  request.may_be_taken_back = 0;
  WeightMessages<float> belief(3), arrived(3), other(4);
  belief.tau = {1, 2, 3};
  const Bytes bytes = request.packed(belief);
  const RoundRequest found = RoundRequest::unpacked(bytes, arrived);
  EXPECT_EQ(found.packed(arrived), bytes);
  EXPECT_EQ(arrived.tau, belief.tau);
  EXPECT_EQ(trouble([&] { RoundRequest::unpacked(bytes, other); }),
            "cannot read a round's request: it has another number of values than expected");
  Bytes cut = bytes;
  cut.pop_back();
  EXPECT_EQ(trouble([&] { RoundRequest::unpacked(cut, arrived); }),
            "cannot read a round's request: it ends too early");
}

}  // namespace
}  // namespace postrider::distributed
